#include "probe/bench.hpp"

#include "base/json_text.hpp"
#include "families/request_body.hpp"
#include "probe/reply_words.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace gateway::probe {
namespace {

namespace json = boost::json;
using boost::asio::awaitable;

// How often a request is sent again to a provider that takes no more: with the waits between them more than a minute,
// the longest that limits are commonly counted over.
constexpr int most_throttled = 8;
constexpr Duration throttled_first{1'000};
constexpr Duration throttled_last{16'000};
// A service that says when to come back is heeded, within reason.
constexpr Duration throttled_most{60'000};
// After so many exchanges in a row without an answer it is no chance any more.
constexpr int most_silent = 5;
// How soon a wait notices that the probe was stopped.
constexpr Duration look_every{500};
// Of cancels of one sale, one after the other; the next run cancels what is still open.
constexpr int most_cancels = 4;
constexpr Duration between_cancels{2'000};
// As the gateway's own are made.
constexpr std::size_t callback_secret_bytes = 24;

std::string hex_of_chance(Random& random) {
    std::array<std::byte, callback_secret_bytes> bytes{};
    random.fill(bytes);
    std::string text;
    for (const auto byte : bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        text += digits[std::to_integer<std::size_t>(byte >> 4)];
        text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return text;
}

bool is_unprocessed(const Reply& reply) {
    return reply.kind == Reply::Kind::answered && reply.status == 429;
}

}  // namespace

Bench::Bench(boost::asio::any_io_executor executor, BenchOptions options, http::Client& provider, http::Client& tokens,
             Transcript& transcript, Ledger& ledger, Clock& clock, Random& random, Log& log)
    : executor_(std::move(executor)),
      options_(std::move(options)),
      provider_client_(provider),
      token_client_(tokens),
      transcript_(transcript),
      ledger_(ledger),
      clock_(clock),
      random_(random),
      log_(log),
      credentials_{Secret(options_.tokens.app_key), options_.tokens.app_secret},
      health_path_(options_.provider.health_cancel_path),
      next_(clock.now()) {
    transcript_.mask().learn(options_.tokens.app_secret.reveal());
    transcript_.mask().hide_field(options_.provider.callback_field);
    make_keeper();
}

void Bench::make_keeper() {
    keepers_.push_back(std::make_unique<TokenKeeper>(executor_, options_.tokens, token_client_, clock_, random_, log_,
                                                     std::nullopt, nullptr));
    for (auto& [name, provider] : providers_)
        old_providers_.push_back(std::move(provider));
    providers_.clear();
    main_ = &provider_for(health_path_, options_.provider.callback_field);
}

Provider& Bench::provider_for(const std::string& health_path, const std::string& callback_field) {
    auto& provider = providers_[{health_path, callback_field}];
    if (!provider) {
        auto options = options_.provider;
        options.health_cancel_path = health_path;
        options.callback_field = callback_field;
        provider = std::make_unique<Provider>(executor_, std::move(options), provider_client_, *keepers_.back(),
                                              clock_, log_);
    }
    return *provider;
}

void Bench::use_separator(const std::string& separator) {
    if (options_.tokens.credential_separator == separator) return;
    options_.tokens.credential_separator = separator;
    make_keeper();
}

void Bench::use_health_path(const std::string& path) {
    health_path_ = path;
    main_ = &provider_for(path, options_.provider.callback_field);
}

bool Bench::can_cancel_by(const std::string& health_path) {
    return provider_for(health_path, options_.provider.callback_field).can_cancel(Family::health);
}

void Bench::stop(std::string why) {
    if (stopped_.empty()) stopped_ = std::move(why);
}

void Bench::look_at_faults() {
    for (const auto& fault : {ledger_.fault(), transcript_.fault()})
        if (!fault.empty()) stop("não se pode escrever na pasta do ensaio: " + fault);
}

// --- waiting and sending -------------------------------------------------------------------------------------------

awaitable<void> Bench::pause(Duration length) {
    const auto end = clock_.now() + length;
    while (!stopped() && clock_.now() < end)
        co_await clock_.sleep_until(std::min(end, clock_.now() + look_every));
}

awaitable<void> Bench::wait_for_pace() {
    if (clock_.now() < next_) co_await clock_.sleep_until(next_);
    next_ = clock_.now() + pace_;
}

awaitable<Reply> Bench::repeated(std::function<awaitable<Reply>()> once, Need need) {
    auto wait = throttled_first;
    Reply reply = Reply::unsent(errc::shutting_down);
    for (int tries = 0; tries < most_throttled; ++tries) {
        if (stopped() && need == Need::trial) co_return Reply::unsent(errc::shutting_down);
        co_await wait_for_pace();
        auto sending = once();
        reply = co_await std::move(sending);
        if (need == Need::trial) look_at_faults();
        silent_ = reply.kind == Reply::Kind::answered ? 0 : silent_ + 1;
        if (silent_ >= most_silent) stop("o provedor não responde: " + in_portuguese(reply));
        if (!is_unprocessed(reply)) co_return reply;
        const Duration asked = reply.retry_after ? Duration(*reply.retry_after) : wait;
        co_await clock_.sleep_for(std::min(asked, need == Need::trial ? throttled_most : throttled_last));
        wait = std::min(wait * 2, throttled_last);
    }
    co_return reply;
}

// As production does it: with a token and a connection that are reserved before, and a second time where the connection
// turned out to be closed, or the token to be no good.
awaitable<Reply> Bench::step_once(Step step, const Deal& deal, Provider& through) {
    bool renewed = false;
    while (true) {
        const auto deadline = clock_.now() + through.request_timeout();
        auto access = co_await through.reserve(deadline);
        if (!access) co_return Reply::unsent(access.error());
        auto sending = through.send(std::move(*access), step, deal.sale, deal.attempt(), deadline);
        auto reply = co_await std::move(sending);
        if (reply.failure == errc::stale_connection) continue;
        const bool refused = reply.kind == Reply::Kind::answered && reply.status == 401;
        if (!refused || std::exchange(renewed, true)) co_return reply;
    }
}

awaitable<Reply> Bench::step(Step step, const Deal& deal, Provider& through, Need need) {
    // An idExterno that is none of the gateway's own cannot be in its attempt.
    if (deal.id != deal.attempt().id_externo.text()) {
        auto sending = altered(step, deal, nullptr, need);
        co_return co_await std::move(sending);
    }
    auto sending = repeated([&, step] { return step_once(step, deal, through); }, need);
    co_return co_await std::move(sending);
}

awaitable<Reply> Bench::altered(Step step, const Deal& deal, Alteration alter, Need need) {
    auto text = request_body(step, deal.sale, deal.attempt(), options_.provider.callback_url,
                             options_.provider.callback_field);
    boost::system::error_code malformed;
    auto body = json::parse(text, malformed);
    if (malformed || !body.is_object()) co_return Reply::unsent(errc::malformed);
    auto& object = body.get_object();
    if (object.contains("idExterno")) object["idExterno"] = deal.id;
    if (alter) alter(object);
    text.clear();
    append_json(text, body);
    const bool by_own_path = step == Step::cancelar && deal.sale.family == Family::health;
    auto path = by_own_path ? health_path_ : rules_of(deal.sale.family).path(step, deal.sale.segment);
    if (path.empty()) co_return Reply::unsent(errc::not_found);
    auto sending = post(options_.provider.base_path + path,
                        std::string(to_string(deal.sale.family)).append(" ").append(to_string(step)), std::move(text),
                        true, need);
    co_return co_await std::move(sending);
}

awaitable<Reply> Bench::post(std::string target, std::string label, std::string body, bool has_token, Need need) {
    http::ClientRequest request;
    request.post = true;
    request.target = std::move(target);
    request.label = std::move(label);
    request.content_type = "application/json";
    request.body = Secret(std::move(body));
    if (has_token) {
        auto sending = with_token(std::move(request), need);
        co_return co_await std::move(sending);
    }
    auto sending = repeated(
        [&] {
            return http::exchange(provider_client_, request, clock_.now() + options_.provider.request_timeout);
        },
        need);
    co_return co_await std::move(sending);
}

awaitable<Reply> Bench::with_token(http::ClientRequest request, Need need) {
    Reply reply;
    for (const bool last : {false, true}) {
        auto token = co_await keepers_.back()->get(clock_.now() + options_.tokens.request_timeout);
        if (!token) co_return Reply::unsent(token.error());
        request.authorization = Secret("Bearer " + token->reveal());
        auto sending = repeated(
            [&] {
                return http::exchange(provider_client_, request, clock_.now() + options_.provider.request_timeout);
            },
            need);
        reply = co_await std::move(sending);
        if (last || reply.kind != Reply::Kind::answered || reply.status != 401) break;
        keepers_.back()->reject(*token);
    }
    co_return reply;
}

// --- what an answer means ------------------------------------------------------------------------------------------

void Bench::note_reply(std::string_view label, std::string_view id, const Reply& reply, std::string_view verdict) {
    if (label != "token") asked_ = true;
    if (reply.kind != Reply::Kind::answered) {
        log_.warn("probe.no_answer", "no answer to {label}[ of {idExterno}]: {detail}",
                  {{"label", label}, {"idExterno", id}, {"detail", reply.failure.message()}});
        return;
    }
    if (reply.status < 500 && label != "token") answered_ = true;
    log_.info("probe.answered", "{label}[ of {idExterno}] was answered {httpStatus}[: {verdict}]",
              {{"label", label},
               {"idExterno", id},
               {"httpStatus", reply.status},
               {"verdict", verdict},
               {"status", parse_status(status_word(reply)) ? status_word(reply) : std::string()}});
}

Shot Bench::judged(Step step, const Deal& deal, Reply reply) {
    auto ours = reply;
    // The law compares the echo with the attempt's own idExterno.
    if (const auto own = deal.attempt().id_externo.str(); deal.id != own)
        for (auto at = ours.body.find(deal.id); at != std::string::npos; at = ours.body.find(deal.id, at + own.size()))
            ours.body.replace(at, deal.id.size(), own);
    Shot shot{.reply = std::move(reply), .answer = interpret(step, deal.sale, deal.attempt(), ours)};
    const bool error = shot.reply.kind == Reply::Kind::answered && shot.reply.status >= 400;
    // What names a status besides is no bare error, and may be written in another way.
    const bool bare = error && status_word(shot.reply).empty();
    if (bare && shot.reply.status != 401 && shot.reply.status != 429 && error_shape_.empty())
        error_shape_ = error_shape(shot.reply);
    note_reply(std::string(to_string(deal.sale.family)).append(" ").append(to_string(step)), deal.id, shot.reply,
               to_string(shot.answer.verdict));
    return shot;
}

// --- sales ---------------------------------------------------------------------------------------------------------

std::string Bench::make_id() {
    const auto id = IdExterno::make(clock_.wall(), random_).str();
    if (!digits_) return id;
    std::string digits = "0";
    while (digits.size() < Ulid::length)
        digits += static_cast<char>('0' + random_.below(10));
    return digits;
}

Deal Bench::deal(const Goods& goods, bool with_callbacks) {
    return deal_with_id(goods, make_id(), with_callbacks);
}

Deal Bench::deal_with_id(const Goods& goods, std::string id, bool with_callbacks) {
    const auto now = clock_.wall();
    const auto own = IdExterno::parse(id);
    const auto& order = goods.order;
    Deal deal{.sale = {.id = SaleId::make(now, random_), .family = order.family}, .id = id};
    auto& sale = deal.sale;
    sale.estabelecimento = order.estabelecimento;
    sale.produto = order.produto;
    sale.fornecedor = order.fornecedor;
    sale.valor = order.valor;
    sale.segment = order.segment;
    std::string fields;
    append_json(fields, order.fields);
    sale.request = Secret(std::move(fields));
    sale.created_at = now;
    if (with_callbacks) {
        sale.callback_secret = Secret(hex_of_chance(random_));
        transcript_.mask().learn(sale.callback_secret.reveal());
    }
    sale.attempts.push_back(
        Attempt{.id_externo = own ? *own : IdExterno::make(now, random_), .created_at = now});
    return deal;
}

Deal Bench::deal_of(const Entry& entry) const {
    const auto own = IdExterno::parse(entry.id);
    const auto now = clock_.wall();
    Deal deal{.sale = {.id = SaleId::make(now, random_), .family = entry.family}, .id = entry.id};
    deal.sale.estabelecimento = entry.estabelecimento;
    deal.sale.produto = entry.produto;
    deal.sale.segment = entry.segment;
    deal.sale.valor = entry.valor;
    deal.sale.request = Secret("{}");
    deal.sale.created_at = entry.asked;
    deal.sale.attempts.push_back(Attempt{.id_externo = own ? *own : IdExterno::make(now, random_),
                                         .id_transacao = entry.id_transacao,
                                         .created_at = entry.asked});
    return deal;
}

void Bench::note_authorised(Deal& deal, const std::string& id_transacao) {
    authorised_ = true;
    const bool known = ledger_.find(deal.id).value_or(Entry{}).id_transacao == id_transacao;
    deal.attempt().id_transacao = id_transacao;
    // Told once more of the transaction that there was: this request made none of its own.
    if (known && ledger_.find(deal.id).value_or(Entry{}).requests > 1) ledger_.refused(deal.id);
    ledger_.authorised(deal.id, id_transacao);
}

awaitable<Shot> Bench::finish_solicitar(Deal& deal, awaitable<Reply> sending) {
    auto reply = co_await std::move(sending);
    auto shot = judged(Step::solicitar, deal, std::move(reply));
    switch (shot.answer.verdict) {
        case Verdict::authorised:
            accepted_http_ = shot.reply.status;
            note_authorised(deal, shot.answer.id_transacao);
            break;
        case Verdict::refused:
        case Verdict::unsent:
        case Verdict::unauthorised:
        case Verdict::throttled: ledger_.refused(deal.id); break;
        case Verdict::sold:
        case Verdict::cancelled:
        case Verdict::no_such_sale:
        case Verdict::declined:
        case Verdict::unknown: ledger_.said(deal.id, in_portuguese(shot.reply)); break;
    }
    co_return shot;
}

void Bench::write_down_goods(const Deal& deal) {
    const auto& sale = deal.sale;
    const bool written = !stopped() && ledger_.asking({.id = deal.id,
                                                       .family = sale.family,
                                                       .segment = sale.segment,
                                                       .estabelecimento = sale.estabelecimento,
                                                       .produto = sale.produto,
                                                       .valor = sale.valor,
                                                       .id_transacao = {},
                                                       .asked = {},
                                                       .last = {}});
    if (!written) look_at_faults();
}

awaitable<Shot> Bench::solicitar(Deal& deal) {
    write_down_goods(deal);
    auto whole = finish_solicitar(deal, step(Step::solicitar, deal, *main_, Need::trial));
    co_return co_await std::move(whole);
}

awaitable<Shot> Bench::solicitar_altered(Deal& deal, Alteration alter) {
    write_down_goods(deal);
    auto whole = finish_solicitar(deal, altered(Step::solicitar, deal, std::move(alter), Need::trial));
    co_return co_await std::move(whole);
}

awaitable<Shot> Bench::solicitar_with_field(Deal& deal, const std::string& callback_field) {
    transcript_.mask().hide_field(callback_field);
    write_down_goods(deal);
    auto& through = provider_for(health_path_, callback_field);
    auto whole = finish_solicitar(deal, step(Step::solicitar, deal, through, Need::trial));
    co_return co_await std::move(whole);
}

awaitable<Shot> Bench::confirmar(Deal& deal) {
    if (!deal.attempt().confirm_time) deal.attempt().confirm_time = clock_.wall();
    ledger_.said(deal.id, "confirmar enviado");
    auto sending = step(Step::confirmar, deal, *main_, Need::trial);
    auto reply = co_await std::move(sending);
    auto shot = judged(Step::confirmar, deal, std::move(reply));
    if (shot.is(Verdict::sold)) ledger_.closed(deal.id, "EFETIVADA");
    co_return shot;
}

awaitable<Shot> Bench::confirmar_without_token(Deal& deal) {
    if (!deal.attempt().confirm_time) deal.attempt().confirm_time = clock_.wall();
    auto text = request_body(Step::confirmar, deal.sale, deal.attempt(), "", "");
    auto path = options_.provider.base_path + rules_of(deal.sale.family).path(Step::confirmar, deal.sale.segment);
    auto sending = post(std::move(path), "confirmar sem token", std::move(text), false, Need::trial);
    auto reply = co_await std::move(sending);
    co_return judged(Step::confirmar, deal, std::move(reply));
}

awaitable<Shot> Bench::cancelar(Deal& deal, std::string health_path) {
    if (!deal.attempt().cancel_time) deal.attempt().cancel_time = clock_.wall();
    auto& through = health_path.empty() ? *main_ : provider_for(health_path, options_.provider.callback_field);
    auto sending = step(Step::cancelar, deal, through, Need::trial);
    auto reply = co_await std::move(sending);
    auto shot = judged(Step::cancelar, deal, std::move(reply));
    note_cancel(deal, shot);
    co_return shot;
}

void Bench::note_cancelled(const std::string& id) {
    ledger_.closed(id, "CANCELADA");
    cancelled_.insert(id);
}

void Bench::note_cancel(const Deal& deal, const Shot& shot) {
    const auto entry = ledger_.find(deal.id);
    if (!entry || !entry->open) return;
    const bool late = clock_.wall() >= entry->asked + options_.late_arrival;
    const bool can_arrive_late = entry->id_transacao.empty();
    // Of two sales with one idExterno a cancel ends one, and the provider does not say which.
    if (shot.is(Verdict::cancelled) && entry->requests > 1)
        ledger_.said(deal.id, "CANCELADA; mas houve dois pedidos com este idExterno, e um pode estar em aberto");
    else if (shot.is(Verdict::cancelled) && can_arrive_late && !late)
        ledger_.said(deal.id, "CANCELADA, mas um solicitar perdido ainda pode chegar");
    else if (shot.is(Verdict::cancelled))
        note_cancelled(deal.id);
    else if (shot.is(Verdict::sold))
        ledger_.closed(deal.id, "EFETIVADA");
    else if (shot.is(Verdict::no_such_sale) && can_arrive_late && late)
        ledger_.closed(deal.id, "o provedor não a conhece");
    else
        ledger_.said(deal.id, "cancelar: " + in_portuguese(shot.reply));
}

awaitable<void> Bench::ask_about_again() {
    for (const auto& id : std::exchange(cancelled_, {})) {
        const auto entry = ledger_.find(id);
        if (!entry || entry->open) continue;
        auto deal = deal_of(*entry);
        deal.attempt().cancel_time = clock_.wall();
        auto sending = step(Step::cancelar, deal, *main_, Need::taking_back);
        auto reply = co_await std::move(sending);
        const auto shot = judged(Step::cancelar, deal, std::move(reply));
        const auto status = parse_status(status_word(shot.reply));
        if (status && *status != Status::CANCELADA)
            ledger_.reopened(id, "CANCELADA, e depois " + std::string(to_string(*status)));
    }
}

awaitable<void> Bench::take_back(Deal& deal) {
    transcript_.let_go_on(true);
    auto taking = cancel_until_known(deal);
    co_await std::move(taking);
    transcript_.let_go_on(false);
}

awaitable<void> Bench::cancel_until_known(Deal& deal) {
    if (deal.sale.family == Family::esim) co_return;  // there is no cancel
    if (!deal.attempt().cancel_time) deal.attempt().cancel_time = clock_.wall();
    for (int tries = 0; tries < most_cancels; ++tries) {
        const auto entry = ledger_.find(deal.id);
        if (!entry || !entry->open) co_return;
        if (tries > 0) co_await clock_.sleep_for(between_cancels);
        auto sending = step(Step::cancelar, deal, *main_, Need::taking_back);
        auto reply = co_await std::move(sending);
        if (reply.failure == errc::not_found) co_return;  // no path
        const auto shot = judged(Step::cancelar, deal, std::move(reply));
        note_cancel(deal, shot);
        if (shot.is(Verdict::no_such_sale)) co_return;  // it can come yet: what is still open is asked about again
    }
}

awaitable<void> Bench::take_back_all() {
    for (const auto& entry : ledger_.open_sales()) {
        if (entry.left_open) continue;
        auto deal = deal_of(entry);
        co_await take_back(deal);
    }
}

// --- everything else -----------------------------------------------------------------------------------------------

awaitable<Reply> Bench::query(const OptionsQuestion& question) {
    auto sending = repeated(
        [&] { return main_->query(question, clock_.now() + main_->request_timeout()); }, Need::trial);
    auto reply = co_await std::move(sending);
    note_reply(std::string(to_string(question.family)) + " query", "", reply, "");
    co_return reply;
}

awaitable<Reply> Bench::query_once(const OptionsQuestion& question) {
    if (stopped()) co_return Reply::unsent(errc::shutting_down);
    auto sending = main_->query(question, clock_.now() + main_->request_timeout());
    auto reply = co_await std::move(sending);
    look_at_faults();
    co_return reply;
}

awaitable<Reply> Bench::query_with(const OptionsQuestion& question, const Secret& access_token) {
    http::ClientRequest request;
    request.target = options_.provider.base_path + rules_of(question.family).query_path(question);
    request.label = std::string(to_string(question.family)) + " query";
    request.authorization = Secret("Bearer " + access_token.reveal());
    auto sending = repeated(
        [&] { return http::exchange(provider_client_, request, clock_.now() + options_.provider.request_timeout); },
        Need::trial);
    auto reply = co_await std::move(sending);
    note_reply(request.label, "", reply, "");
    co_return reply;
}

awaitable<Reply> Bench::get(std::string target) {
    http::ClientRequest request;
    request.target = options_.provider.base_path + target;
    request.label = "consultar";
    auto sending = with_token(std::move(request), Need::trial);
    auto reply = co_await std::move(sending);
    note_reply("consultar", "", reply, "");
    co_return reply;
}

awaitable<Reply> Bench::ask_token(Secret form, Secret authorization) {
    http::ClientRequest request;
    request.post = true;
    request.target = options_.tokens.token_path;
    request.label = "token";
    request.content_type = "application/x-www-form-urlencoded";
    request.authorization = std::move(authorization);
    request.body = std::move(form);
    auto sending = repeated(
        [&] { return http::exchange(token_client_, request, clock_.now() + options_.tokens.request_timeout); },
        Need::trial);
    auto reply = co_await std::move(sending);
    note_reply("token", "", reply, "");
    co_return reply;
}

}  // namespace gateway::probe
