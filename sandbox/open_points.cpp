#include "sandbox/open_points.hpp"

#include "base/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

namespace gateway::sandbox {
namespace {

constexpr std::size_t most_number = 1'000'000;

template <class Value>
struct Choice {
    std::string_view word;
    Value value;
    std::string_view meaning;
};

template <class Value>
using Choices = std::vector<Choice<Value>>;

// Says which values a point understands besides its alternatives, and how they are written.
template <class Value>
struct Form {
    std::string_view name;
    std::optional<Value> (*parse)(std::string_view);
    std::string (*write)(const Value&);
};

template <class Value>
Point make_point(std::string name, std::string_view question, std::string help,
                 std::function<Value&(Personality&)> field, Choices<Value> choices,
                 std::optional<Form<Value>> form = std::nullopt) {
    Point point{.name = std::move(name), .question = question, .help = std::move(help)};
    for (const auto& choice : choices)
        point.alternatives.push_back({choice.word, choice.meaning});
    if (form) point.also = form->name;
    point.set = [field, choices, form](Personality& target, std::string_view word) {
        const auto found =
            std::find_if(choices.begin(), choices.end(), [&](const auto& choice) { return choice.word == word; });
        std::optional<Value> value;
        if (found != choices.end()) value = found->value;
        if (!value && form) value = form->parse(word);
        if (value) field(target) = *value;
        return value.has_value();
    };
    point.get = [field, choices, form](const Personality& source) {
        auto copy = source;
        const Value value = field(copy);
        for (const auto& choice : choices)
            if (choice.value == value) return std::string(choice.word);
        CHECK(form);
        return form->write(value);
    };
    return point;
}

template <class Value>
Point make_point(std::string_view name, std::string_view question, std::string_view help, Value Personality::*field,
                 std::type_identity_t<Choices<Value>> choices,
                 std::type_identity_t<std::optional<Form<Value>>> form = std::nullopt) {
    return make_point<Value>(
        std::string(name), question, std::string(help), [field](Personality& all) -> Value& { return all.*field; },
        std::move(choices), form);
}

std::optional<Duration> parse_some_time(std::string_view text) {
    const auto duration = parse_duration(text);
    return duration && *duration > Duration::zero() ? duration : std::nullopt;
}

std::optional<std::size_t> parse_number(std::string_view text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && number > 0 && number <= most_number ? std::optional(number) : std::nullopt;
}

std::optional<std::string> parse_path(std::string_view text) {
    return text.starts_with('/') ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<std::string> parse_text(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(std::string(text));
}

std::optional<std::vector<std::string>> parse_names(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
        const auto one = text.substr(0, text.find('+'));
        if (one.empty()) return std::nullopt;
        names.emplace_back(one);
        text.remove_prefix(std::min(one.size() + 1, text.size()));
    }
    return names.empty() ? std::nullopt : std::optional(names);
}

const Form<Duration> a_duration{"a duration, such as 90s", &parse_some_time, &write_duration};
const Form<std::size_t> a_number{"a number", &parse_number, [](const std::size_t& n) { return std::to_string(n); }};
const Form<std::string> a_path{"a path", &parse_path, [](const std::string& text) { return text; }};
const Form<std::string> a_text{"a text", &parse_text, [](const std::string& text) { return text; }};
const Form<std::vector<std::string>> names{
    "names with + between them", &parse_names,
    [](const std::vector<std::string>& all) { return fmt::format("{}", fmt::join(all, "+")); }};

using Word = Said::Word;
using Points = std::vector<Point>;

constexpr std::string_view bare = "an error without a status";

void add_cancel_unknown(Points& all) {
    constexpr std::string_view question = "cancel of an unknown idExterno";
    all.push_back(make_point("cancel-unknown", question, "the answer", &Personality::cancel_unknown,
                             {{"404", {404}, bare},
                              {"400", {400}, bare},
                              {"409", {409}, bare},
                              {"422", {422}, bare},
                              {"500", {500}, bare},
                              {"200-bare", {200}, "a 200 without a status"},
                              {"200-cancelada", {200, Word::cancelada}, "CANCELADA, as if it had been there"},
                              {"404-cancelada", {404, Word::cancelada}, "an error that says CANCELADA"},
                              {"422-cancelada", {422, Word::cancelada}, "an error that says CANCELADA"},
                              {"200-negada", {200, Word::negada}, "NEGADA"}}));
}

void add_final(Points& all) {
    constexpr std::string_view question = "cancel on EFETIVADA, confirm on CANCELADA, and each once more";
    const Choices<Said> answers{{"200-status", {200, Word::own}, "200 with the status that the sale has"},
                                {"200-bare", {200}, "a 200 without a status"},
                                {"409-status", {409, Word::own}, "an error that says the sale's status"},
                                {"422-status", {422, Word::own}, "an error that says the sale's status"},
                                {"409", {409}, bare},
                                {"400", {400}, bare},
                                {"404", {404}, bare},
                                {"422", {422}, bare}};
    all.push_back(make_point("cancel-on-efetivada", question, "a cancel of a sale that is EFETIVADA",
                             &Personality::cancel_on_efetivada, answers));
    all.push_back(make_point("confirm-on-cancelada", question, "a confirm of a sale that is CANCELADA",
                             &Personality::confirm_on_cancelada, answers));
    all.push_back(make_point("confirm-again", question, "a confirm of a sale that is EFETIVADA",
                             &Personality::confirm_again, answers));
    all.push_back(make_point("cancel-again", question, "a cancel of a sale that is CANCELADA",
                             &Personality::cancel_again, answers));
}

void add_egift(Points& all) {
    all.push_back(make_point("egift-instrucao-again", "second e-gift confirm brings instrucao again",
                             "instrucao in the answer to a second confirm", &Personality::egift_instrucao_again,
                             {{"again", InstrucaoAgain::again, "the same as in the first answer"},
                              {"missing", InstrucaoAgain::missing, "it is in the first answer only"},
                              {"null", InstrucaoAgain::null, "it is null"}}));
}

void add_health(Points& all) {
    constexpr std::string_view question = "path that cancels health";
    all.push_back(make_point(
        "health-cancel-path", question, "where a health sale is cancelled; {health} stands for the partner's segment",
        &Personality::health_cancel_path,
        {{"none", "", "there is none"},
         {"/venda/{health}/cancelar", "/venda/{health}/cancelar", "as in the other families"},
         {"/venda/voucher/cancelar", "/venda/voucher/cancelar", "the e-gift's"},
         {"/venda/saude/{health}/cancelar", "/venda/saude/{health}/cancelar", "beneath a prefix of its own"}},
        a_path));
    all.push_back(
        make_point("health-cancel-does", question, "what that path does", &Personality::health_cancel_does,
                   {{"cancels", HealthCancel::cancels, "the sale is CANCELADA"},
                    {"sells", HealthCancel::sells, "the sale is EFETIVADA, as the document's example shows"}}));
}

void add_after_cancel(Points& all) {
    all.push_back(make_point("request-after-cancel", "a request that comes after its own cancel", "what becomes of it",
                             &Personality::request_after_cancel,
                             {{"sells", AfterCancel::sells, "AUTORIZADA, as ever"},
                              {"409", AfterCancel::refuses_409, bare},
                              {"422", AfterCancel::refuses_422, bare},
                              {"200-cancelada", AfterCancel::cancelada, "accepted, and CANCELADA from the beginning"},
                              {"200-negada", AfterCancel::negada, "NEGADA"}}));
}

void add_identifiers(Points& all) {
    constexpr std::string_view question = "an idExterno used twice; its length and letters";
    const Choices<IdAgain> twice{{"409", IdAgain::refuses_409, bare},
                                 {"422", IdAgain::refuses_422, bare},
                                 {"same", IdAgain::same, "the answer is about the first transaction, as it stands now"},
                                 {"second", IdAgain::second, "a transaction of its own, beside the first"}};
    all.push_back(make_point("id-again-same-body", question, "a second request, with the same body",
                             &Personality::id_again_same_body, twice));
    all.push_back(make_point("id-again-other-body", question, "a second request, with another body",
                             &Personality::id_again_other_body, twice));
    constexpr std::string_view longer = "one that is longer is refused";
    all.push_back(make_point("id-length", question, "how many characters an idExterno may have",
                             &Personality::id_length,
                             {{"unlimited", 0, "any number"},
                              {"40", 40, longer},
                              {"36", 36, longer},
                              {"30", 30, longer},
                              {"26", 26, longer}},
                             a_number));
    constexpr std::string_view others = "one that has others is refused";
    all.push_back(make_point("id-letters", question, "which characters an idExterno may have", &Personality::id_letters,
                             {{"any", IdLetters::any, "all"},
                              {"alphanumeric", IdLetters::alphanumeric, others},
                              {"upper-digits", IdLetters::upper_digits, others},
                              {"digits", IdLetters::digits, others}}));
}

void add_errors(Points& all) {
    constexpr std::string_view question = "error bodies";
    all.push_back(
        make_point("error-body", question, "the shape of an error of a sales operation", &Personality::error_body,
                   {{"erro", ErrorBody::erro, R"({"erro": code, "mensagem": text})"},
                    {"erro-object", ErrorBody::erro_object, R"({"erro": {"codigo": code, "mensagem": text}})"},
                    {"oauth", ErrorBody::oauth, R"({"error": code, "error_description": text})"},
                    {"message", ErrorBody::message, R"({"message": text})"},
                    {"html", ErrorBody::html, "a web page"},
                    {"empty", ErrorBody::empty, "nothing"}}));
    const Choices<Said> usual{
        {"400", {400}, bare},
        {"422", {422}, bare},
        {"500", {500}, bare},
        {"200-negada", {200, Word::negada}, "a sale that is NEGADA; where none is asked for, 422"}};
    auto product = usual;
    product.push_back({"404", {404}, bare});
    auto establishment = product;
    establishment.push_back({"401", {401}, bare});
    establishment.push_back({"403", {403}, bare});
    all.push_back(make_point("error-missing-field", question, "a field that is missing, malformed or one too many",
                             &Personality::error_missing_field, usual));
    all.push_back(
        make_point("error-bad-amount", question, "an amount that is no amount", &Personality::error_bad_amount, usual));
    all.push_back(make_point("error-unknown-product", question, "a product that is not in the catalogue",
                             &Personality::error_unknown_product, product));
    all.push_back(make_point("error-beyond-bound", question, "an amount that the catalogue does not allow",
                             &Personality::error_beyond_bound, usual));
    all.push_back(make_point("error-wrong-establishment", question, "an establishment that is not the user's",
                             &Personality::error_wrong_establishment, establishment));
}

void add_tokens(Points& all) {
    constexpr std::string_view question = "token: unit, rotation, separator";
    all.push_back(make_point("expires-in", question, "what expires_in holds", &Personality::expires_in,
                             {{"ms", ExpiresIn::timestamp_ms, "a timestamp in milliseconds"},
                              {"s", ExpiresIn::timestamp_s, "a timestamp in seconds"},
                              {"duration", ExpiresIn::duration_s, "a number of seconds from now"}}));
    all.push_back(make_point(
        "refresh-token", question, "what becomes of a refresh token that is used", &Personality::refresh_token,
        {{"rotates", RefreshToken::rotates, "a new one comes, and the old one is no good any more"},
         {"rotates-old-lives", RefreshToken::rotates_old_lives, "a new one comes, and the old one stays good"},
         {"stays", RefreshToken::stays, "it comes again, and stays good"},
         {"none", RefreshToken::none, "there are no refresh tokens"}}));
    all.push_back(make_point("refresh-old-access", question, "the access token before a refresh",
                             &Personality::refresh_revokes_access,
                             {{"good", false, "it stays good"}, {"revoked", true, "it is no good any more"}}));
    all.push_back(make_point("basic-separator", question, "between app-key and app-secret",
                             &Personality::basic_separator,
                             {{"colon", ":", "app-key:app-secret"},
                              {"semicolon", ";", "app-key;app-secret"},
                              {"pipe", "|", "app-key|app-secret"},
                              {"slash", "/", "app-key/app-secret"},
                              {"nothing", "", "app-keyapp-secret"}}));
    all.push_back(make_point("token-errors", question, "the HTTP status of a token error", &Personality::token_errors,
                             {{"rfc", TokenErrors::rfc, "401 of invalid_client, else 400, as RFC 6749 has it"},
                              {"400", TokenErrors::all_400, "400"},
                              {"401", TokenErrors::all_401, "401"}}));
    all.push_back(make_point("scopes", question, "which scopes the user may have", &Personality::granted_scopes,
                             {{"all", {}, "every one that exists"},
                              {"Venda_TvPrePaga", {"Venda_TvPrePaga"}, "this one"},
                              {"Venda_TvPrePaga+Venda_Egift", {"Venda_TvPrePaga", "Venda_Egift"}, "these two"}},
                             names));
    all.push_back(make_point("scope-separator", question, "between the scopes of a token answer",
                             &Personality::scope_separator,
                             {{"comma", ',', "as in the document's examples"}, {"space", ' ', "as in the request"}}));
}

void add_status(Points& all) {
    constexpr std::string_view question = "path that answers a sale's status";
    all.push_back(
        make_point("status-path", question, "where a sale's status is asked for, with {idExterno} or {idTransacao}",
                   &Personality::status_path,
                   {{"none", "", "there is none"},
                    {"/venda/transacao/{idExterno}", "/venda/transacao/{idExterno}", "by idExterno"},
                    {"/venda/transacao/id/{idTransacao}", "/venda/transacao/id/{idTransacao}", "by idTransacao"}},
                   a_path));
    all.push_back(make_point("status-shape", question, "where the answer has the status", &Personality::status_shape,
                             {{"transacao", StatusShape::transacao, "transacao.status, as a confirm's answer"},
                              {"venda", StatusShape::venda, "venda.transacao.status, as a request's answer"},
                              {"top", StatusShape::top, "status"}}));
    all.push_back(make_point("status-unknown", question, "a sale that is not known", &Personality::status_unknown,
                             {{"404", {404}, bare},
                              {"400", {400}, bare},
                              {"200-bare", {200}, "a 200 without a status"},
                              {"200-stranger", {200, Word::stranger}, "a status that the interface does not have"},
                              {"200-negada", {200, Word::negada}, "NEGADA"},
                              {"200-cancelada", {200, Word::cancelada}, "CANCELADA, as if it had been there"}}));
}

void add_open_sales(Points& all) {
    for (const auto family : families) {
        const auto index = static_cast<std::size_t>(family);
        const auto word = std::string(to_string(family));
        all.push_back(make_point<Duration>(
            "open-sales-end-" + word, "the nightly cancel of open sales, by family",
            "when an open sale of " + word + " is cancelled by itself",
            [index](Personality& target) -> Duration& { return target.open_sales_end.at(index); },
            {{"never", Duration(0), "it stays open"},
             {"48h", std::chrono::hours(48), "so long after it was accepted"},
             {"24h", std::chrono::hours(24), "so long after it was accepted"}},
            a_duration));
    }
}

void add_esim(Points& all) {
    constexpr std::string_view question = "eSIM: uuid, how callbacks are repeated, the address field";
    all.push_back(make_point("esim-uuid", question, "what a callback's uuid is", &Personality::esim_uuid,
                             {{"own-number", EsimUuid::own_number, "a number that no answer has"},
                              {"id-transacao", EsimUuid::id_transacao, "the idTransacao"},
                              {"id-externo", EsimUuid::id_externo, "the idExterno"}}));
    all.push_back(make_point("callback-field", question, "the notification address's field",
                             &Personality::callback_field,
                             {{"the service", "the service", "as in the document's table"},
                              {"urlNotificacao", "urlNotificacao", "a name of another kind"},
                              {"urlVenda", "urlVenda", "a name of the kind of urlRecarga"}},
                             a_text));
    all.push_back(make_point("recharge-callback", question, "where the callback about the recharge goes",
                             &Personality::recharge_callback,
                             {{"own-address", RechargeCallback::own_address, "to urlRecarga where it was given"},
                              {"same-address", RechargeCallback::same_address, "to the sale's address always"},
                              {"none", RechargeCallback::none, "there is none"}}));
    all.push_back(make_point(
        "callback-tries", question, "after which a callback is given up", &Personality::callback_tries,
        {{"100", 100, "so many"}, {"10", 10, "so many"}, {"3", 3, "so many"}, {"1", 1, "it is never repeated"}},
        a_number));
    all.push_back(make_point("callback-retry", question, "before a callback's second try", &Personality::callback_retry,
                             {{"1s", std::chrono::seconds(1), "so long"},
                              {"10s", std::chrono::seconds(10), "so long"},
                              {"1m", std::chrono::minutes(1), "so long"}},
                             a_duration));
    all.push_back(
        make_point("callback-repeat", question, "the waits before further tries", &Personality::callback_repeat,
                   {{"doubling", CallbackRepeat::doubling, "each twice the one before, up to a minute or the first"},
                    {"fixed", CallbackRepeat::fixed, "each like the first"}}));
    all.push_back(make_point(
        "callback-until", question, "what a receiver's answer ends the tries", &Personality::callback_until,
        {{"200", CallbackUntil::only_200, "200 and no other"}, {"2xx", CallbackUntil::any_2xx, "200 to 299"}}));
}

void add_rate_limit(Points& all) {
    constexpr std::string_view question = "rate limits";
    constexpr std::string_view more = "one more in a second is refused";
    all.push_back(make_point("rate-limit", question, "how many requests it takes in a second", &Personality::rate_limit,
                             {{"none", 0, "any number"}, {"20", 20, more}, {"5", 5, more}, {"2", 2, more}}, a_number));
    all.push_back(make_point("rate-limit-answer", question, "how one more is refused", &Personality::retry_after,
                             {{"429-retry-after", true, "with Retry-After, in seconds"}, {"429", false, "without"}}));
}

void add_statement(Points& all) {
    constexpr std::string_view question = "the statement";
    all.push_back(make_point("statement-separator", question, "between two fields", &Personality::statement_separator,
                             {{"semicolon", ';', ";"}, {"tab", '\t', "a tabulator"}, {"pipe", '|', "|"}}));
    all.push_back(make_point("statement-encoding", question, "the encoding, unless encoding= says another",
                             &Personality::statement_encoding,
                             {{"utf-8", Encoding::utf_8, "UTF-8"}, {"latin1", Encoding::latin_1, "ISO 8859-1"}}));
    all.push_back(make_point(
        "statement-money", question, "amounts, unless money= says another", &Personality::statement_money,
        {{"cents", Money::cents, "4900"}, {"comma", Money::comma, "49,00"}, {"point", Money::point, "49.00"}}));
    all.push_back(make_point("statement-eol", question, "line ends, unless eol= says another",
                             &Personality::statement_line_end,
                             {{"lf", LineEnd::lf, "a line feed"}, {"crlf", LineEnd::crlf, "with a carriage return"}}));
    all.push_back(make_point("statement-rows", question, "which attempts are in it", &Personality::statement_only_sold,
                             {{"all", false, "all of the day"}, {"sold", true, "EFETIVADA ones only"}}));
}

void add_connections(Points& all) {
    constexpr std::string_view question = "keep-alive";
    constexpr std::string_view closed = "the connection is closed behind the answer";
    all.push_back(make_point(
        "keep-alive-requests", question, "how many requests a connection serves", &Personality::keep_alive_requests,
        {{"unlimited", 0, "any number"}, {"100", 100, closed}, {"10", 10, closed}, {"1", 1, closed}}, a_number));
    all.push_back(make_point("keep-alive-idle", question, "how long an idle connection stays open",
                             &Personality::keep_alive_idle,
                             {{"75s", std::chrono::seconds(75), "so long"},
                              {"5s", std::chrono::seconds(5), "so long"},
                              {"1s", std::chrono::seconds(1), "so long"}},
                             a_duration));
}

void add_others(Points& all) {
    constexpr std::string_view question = "besides";
    all.push_back(make_point("egift-confirm-token", question, "the header Authorization of an e-gift confirm",
                             &Personality::egift_confirm_without_token,
                             {{"required", false, "it is needed, as everywhere"},
                              {"optional", true, "it may be left out, as in the document's example"}}));
    all.push_back(make_point("sale-http", question, "the HTTP status of a sale that is accepted",
                             &Personality::sale_http, {{"200", 200, "OK"}, {"201", 201, "Created"}}));
    all.push_back(make_point("cancel-effect", question, "what a cancel of an open sale does",
                             &Personality::cancel_effect,
                             {{"cancels", CancelEffect::cancels, "the sale is CANCELADA"},
                              {"stays-autorizada", CancelEffect::stays_autorizada, "nothing; 200 with AUTORIZADA"},
                              {"404", CancelEffect::no_path, "nothing: there is no such address"},
                              {"405", CancelEffect::no_method, "nothing: the address takes no POST"}}));
    all.push_back(make_point("forgets", question, "when a sale is not known any more, whatever became of it",
                             &Personality::forgets,
                             {{"never", Duration(0), "as long as the books have it"},
                              {"1h", std::chrono::hours(1), "so long after it was accepted"},
                              {"1m", std::chrono::minutes(1), "so long after it was accepted"}},
                             a_duration));
}

Points make_points() {
    Points all;
    add_cancel_unknown(all);
    add_final(all);
    add_egift(all);
    add_health(all);
    add_after_cancel(all);
    add_identifiers(all);
    add_errors(all);
    add_tokens(all);
    add_status(all);
    add_open_sales(all);
    add_esim(all);
    add_rate_limit(all);
    add_statement(all);
    add_connections(all);
    add_others(all);
    return all;
}

}  // namespace

const std::vector<Point>& points() {
    static const auto all = make_points();
    return all;
}

const Point* find_point(std::string_view name) {
    const auto& all = points();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& point) { return point.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace gateway::sandbox
