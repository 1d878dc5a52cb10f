// The trials that ask for no sale: the token, the value queries, and how many requests the provider takes.
#include "base/wall_time.hpp"
#include "probe/answer_words.hpp"
#include "probe/reply_words.hpp"
#include "probe/trial.hpp"
#include "provider/token_answer.hpp"

#include <fmt/format.h>

#include <array>
#include <variant>

namespace gateway::probe {
namespace {

using boost::asio::awaitable;

// Between app-key and app-secret: the first is what RFC 7617 has.
struct Separator {
    std::string_view word;
    std::string_view text;
};
constexpr std::array separators{Separator{"colon", ":"}, Separator{"semicolon", ";"}, Separator{"pipe", "|"},
                                Separator{"slash", "/"}, Separator{"nothing", ""}};
// Those that the interface document names.
constexpr std::array<std::string_view, 11> documented_scopes{
    "Venda_Egift",   "Venda_Telecom",  "Venda_TvPrePaga", "Venda_Voucher", "Envio_SMS",    "PagamentoDeContas",
    "Venda_Parking", "Venda_PartnerA", "Venda_PartnerB",  "Venda_Transit", "Venda_Lottery"};

// No store reads faster, and no provider should mind it: the ceiling of the reads in a second.
constexpr std::array steps_of_reads{3, 6, 12, 25};
// Before each of these, so that a window of a second that is counted holds none of the one before.
constexpr Duration between_steps{2'000};
constexpr Duration a_second{1'000};
// For clocks that differ by less.
constexpr Duration after_the_second{20};

Secret credentials_of(const Bench& bench, std::string_view separator) {
    return basic_credentials(bench.options().tokens.app_key, separator, bench.options().tokens.app_secret);
}

std::optional<Grant> grant_in(const Bench& bench, const Reply& reply) {
    auto read = read_token_answer(reply, bench.credentials());
    auto* grant = std::get_if<Grant>(&read);
    return grant == nullptr ? std::nullopt : std::optional(std::move(*grant));
}

// A code of RFC 6749's, or another word; nothing that a service invents is repeated at length.
std::string error_in(const Reply& reply) {
    return text_member(reply.body, "error").substr(0, 40);
}

// "HTTP 401 invalid_client, JSON com error": what an error of the token service is and looks like.
std::string error_in_words(const Reply& reply) {
    if (reply.kind != Reply::Kind::answered) return in_portuguese(reply);
    const auto word = error_in(reply);
    return fmt::format("HTTP {}{}{}, {}", reply.status, word.empty() ? "" : " ", word,
                       answer_in_portuguese("error-body", error_shape(reply)));
}

awaitable<void> try_separators(Setting& setting, Found& found) {
    auto& bench = setting.bench;
    std::string last;
    for (const auto& separator : separators) {
        auto asking = bench.ask_token(credentials_form(setting.bench.options().tokens.scopes),
                                      credentials_of(bench, separator.text));
        const auto reply = co_await std::move(asking);
        if (reply.kind != Reply::Kind::answered) {
            found.leave("basic-separator", reply);
            co_return;
        }
        // A caller that is told that no scope will do has been recognised.
        if (grant_in(bench, reply) || error_in(reply) == "invalid_scope") {
            bench.use_separator(std::string(separator.text));
            found.answer("basic-separator", separator.word,
                         grant_in(bench, reply) ? "um token foi emitido" : "as credenciais valem, os escopos não");
            co_return;
        }
        last = fmt::format("HTTP {} {}", reply.status, error_in(reply));
    }
    found.leave("basic-separator", "nenhum separador foi aceito: " + last + "; as credenciais estão certas?");
}

awaitable<void> ask_scopes(Setting& setting, Found& found) {
    auto& bench = setting.bench;
    std::vector<std::string> names(documented_scopes.begin(), documented_scopes.end());
    for (const auto& scope : setting.bench.options().tokens.scopes)
        if (std::ranges::find(names, scope) == names.end()) names.push_back(scope);
    std::vector<std::string> granted;
    std::vector<std::string> denied;
    for (const auto& scope : names) {
        auto asking = bench.ask_token(credentials_form({scope}),
                                      credentials_of(bench, bench.options().tokens.credential_separator));
        const auto reply = co_await std::move(asking);
        if (reply.kind != Reply::Kind::answered) {
            found.leave_all({"scopes", "scope-separator"}, reply);
            co_return;
        }
        const bool has = grant_in(bench, reply).has_value();
        // An error of another kind says nothing of the scope.
        if (!has && error_in(reply) != "invalid_scope") {
            found.leave_all({"scopes", "scope-separator"}, scope + ": " + error_in_words(reply));
            co_return;
        }
        (has ? granted : denied).push_back(scope);
    }
    const auto all = fmt::format("{}", fmt::join(granted, "+"));
    found.answer(
        "scopes",
        granted.size() == names.size() ? "all"
        : granted.empty()              ? "none"
                                       : all,
        denied.empty() ? "pedidos um a um" : fmt::format("pedidos um a um; negados: {}", fmt::join(denied, ", ")));
    if (granted.size() < 2) {
        found.drop("scope-separator", "há menos de dois escopos concedidos");
        co_return;
    }
    auto asking = bench.ask_token(credentials_form({granted[0], granted[1]}),
                                  credentials_of(bench, bench.options().tokens.credential_separator));
    const auto reply = co_await std::move(asking);
    const auto scope = text_member(reply.body, "scope");
    if (scope.find(',') != std::string::npos)
        found.answer("scope-separator", "comma");
    else if (scope.find(' ') != std::string::npos)
        found.answer("scope-separator", "space");
    else
        found.leave("scope-separator", "a resposta não lista os dois escopos");
}

awaitable<void> ask_wrongly(Setting& setting, Found& found) {
    auto& bench = setting.bench;
    const auto& options = bench.options().tokens;
    auto wrong_secret =
        bench.ask_token(credentials_form(setting.bench.options().tokens.scopes),
                        basic_credentials(options.app_key, options.credential_separator, Secret("segredo-errado")));
    const auto first = co_await std::move(wrong_secret);
    auto wrong_scope =
        bench.ask_token(credentials_form({"Escopo_Inexistente"}), credentials_of(bench, options.credential_separator));
    const auto second = co_await std::move(wrong_scope);
    const auto words =
        fmt::format("app-secret errado: {}; escopo errado: {}", error_in_words(first), error_in_words(second));
    if (first.kind != Reply::Kind::answered || second.kind != Reply::Kind::answered)
        found.leave("token-errors", "um dos pedidos não foi respondido");
    else if (first.status == 401 && second.status == 400)
        found.answer("token-errors", "rfc", words);
    else if (first.status == second.status)
        found.answer("token-errors", std::to_string(first.status), words);
    else
        found.answer("token-errors", fmt::format("{}+{}", first.status, second.status), words);
}

std::string_view unit_of(std::int64_t expires_in) {
    constexpr std::int64_t a_year = 366LL * 24 * 3600;
    constexpr std::int64_t year_5138 = 100'000'000'000;
    if (expires_in <= a_year) return "duration";
    return expires_in < year_5138 ? "s" : "ms";
}

std::string life_in_words(std::int64_t expires_in, WallTime now) {
    const auto until = expiry_of(expires_in, now);
    if (!until) return "o valor não é uma hora nem uma duração";
    return fmt::format("o token vale {} s", std::chrono::duration_cast<std::chrono::seconds>(*until - now).count());
}

// Whether the answer grants or refuses: one that asks for patience, or an error of the service's own, does neither.
bool tells_of_token(const Reply& reply) {
    return reply.kind == Reply::Kind::answered && reply.status != 429 && reply.status < 500;
}

// What a refresh does to the refresh token that was used, and to the access token that came with it.
awaitable<void> refresh(Setting& setting, Found& found, const Grant& grant) {
    auto& bench = setting.bench;
    auto first = bench.ask_token(refresh_form(grant.refresh), Secret());
    const auto renewed = grant_in(bench, co_await std::move(first));
    if (!renewed) {
        found.leave_all({"refresh-token", "refresh-old-access"}, "o refresh não deu um token");
        co_return;
    }
    auto again = bench.ask_token(refresh_form(grant.refresh), Secret());
    const auto reply = co_await std::move(again);
    if (!tells_of_token(reply)) {
        found.leave("refresh-token", reply);
    } else {
        // RFC 6749 lets an answer have none: then the old one is kept.
        const bool stays = renewed->refresh.empty() || renewed->refresh == grant.refresh;
        const bool lives = grant_in(bench, reply).has_value();
        if (stays && !lives)
            found.answer("refresh-token", "once", "o mesmo volta e não vale mais");
        else
            found.answer("refresh-token", stays ? "stays" : lives ? "rotates-old-lives" : "rotates");
    }
    if (setting.questions.empty()) {
        found.leave("refresh-old-access", "não há consulta com que experimentar o token antigo");
        co_return;
    }
    auto asking = bench.query_with(setting.questions.begin()->second, grant.access);
    const auto old = co_await std::move(asking);
    if (old.kind == Reply::Kind::answered && old.status == 401)
        found.answer("refresh-old-access", "revoked");
    else if (old.kind == Reply::Kind::answered && old.status >= 200 && old.status <= 299)
        found.answer("refresh-old-access", "good");
    else
        found.leave("refresh-old-access", old);
}

awaitable<void> ask_token(Setting& setting, Found& found) {
    auto& bench = setting.bench;
    auto asking = bench.ask_token(credentials_form(setting.bench.options().tokens.scopes),
                                  credentials_of(bench, bench.options().tokens.credential_separator));
    const auto reply = co_await std::move(asking);
    const auto grant = grant_in(bench, reply);
    if (!grant) {
        found.leave_all({"expires-in", "refresh-token", "refresh-old-access"},
                        "não veio um token: " + in_portuguese(reply));
        co_return;
    }
    const auto now = bench.clock().wall();
    if (grant->expires_in)
        found.answer("expires-in", unit_of(*grant->expires_in), life_in_words(*grant->expires_in, now));
    else
        found.leave("expires-in", "expires_in não é um número inteiro");
    if (grant->refresh.empty()) {
        found.answer("refresh-token", "none");
        found.drop("refresh-old-access", "não há refresh_token");
        co_return;
    }
    co_await refresh(setting, found, *grant);
}

// Reads as many as `most` in a row; how many were taken before the first 429, or nothing where all were.
struct Burst {
    std::optional<int> taken_before;
    bool with_retry_after = false;
    int sent = 0;  // within a second
    bool failed = false;
};

awaitable<Burst> burst(Setting& setting, const OptionsQuestion& question, int most) {
    Burst burst;
    const auto begun = setting.bench.clock().now();
    for (int i = 0; i < most; ++i) {
        if (setting.bench.clock().now() - begun >= a_second) co_return burst;
        auto asking = setting.bench.query_once(question);
        const auto reply = co_await std::move(asking);
        if (reply.kind != Reply::Kind::answered) {
            burst.failed = true;
            co_return burst;
        }
        if (reply.status == 429) {
            burst.taken_before = i;
            burst.with_retry_after = reply.retry_after.has_value();
            co_return burst;
        }
        ++burst.sent;
    }
    co_return burst;
}

// Who counts by the seconds of the clock begins anew there.
Duration until_a_whole_second(const Clock& clock) {
    const auto now = clock.wall();
    const auto next = std::chrono::ceil<std::chrono::seconds>(now + between_steps);
    return next - now + after_the_second;
}

awaitable<void> read_faster(Setting& setting, Found& found) {
    if (setting.questions.empty()) {
        found.leave_all({"rate-limit", "rate-limit-answer"}, "não há consulta com que contar");
        co_return;
    }
    const auto& question = setting.questions.begin()->second;
    int most = 0;
    for (const auto step : steps_of_reads) {
        co_await setting.bench.pause(until_a_whole_second(setting.bench.clock()));
        auto reading = burst(setting, question, step);
        const auto seen = co_await std::move(reading);
        most = std::max(most, seen.sent);
        if (seen.failed) {
            found.leave_all({"rate-limit", "rate-limit-answer"}, "uma leitura não foi respondida");
            co_return;
        }
        if (!seen.taken_before) continue;
        const int limit = std::max(*seen.taken_before, 1);
        found.answer("rate-limit", std::to_string(limit),
                     fmt::format("o primeiro 429 veio depois de {} em um segundo", limit));
        found.answer("rate-limit-answer", seen.with_retry_after ? "429-retry-after" : "429");
        setting.bench.use_pace(Duration(1000 / limit + 1));
        co_await setting.bench.pause(between_steps);
        co_return;
    }
    // Where the line or this machine is slower than the ceiling, no more than that is known.
    const bool reached = most >= steps_of_reads.back();
    found.answer("rate-limit", reached ? "none" : fmt::format("over-{}", most),
                 fmt::format("nenhum 429 até {} leituras em um segundo", most));
    found.drop("rate-limit-answer", "não houve recusa");
}

}  // namespace

std::vector<Trial> look_trials() {
    return {
        {"Credenciais: o separador entre app-key e app-secret",
         Level::look,
         std::nullopt,
         {"basic-separator"},
         try_separators},
        {"Token: um escopo por vez", Level::look, std::nullopt, {"scopes", "scope-separator"}, ask_scopes},
        {"Token: app-secret errado e escopo errado", Level::look, std::nullopt, {"token-errors"}, ask_wrongly},
        {"Token: validade e refresh",
         Level::look,
         std::nullopt,
         {"expires-in", "refresh-token", "refresh-old-access"},
         ask_token},
        {"Limite de requisições", Level::look, std::nullopt, {"rate-limit", "rate-limit-answer"}, read_faster},
    };
}

}  // namespace gateway::probe
