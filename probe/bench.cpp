#include "probe/bench.hpp"

#include "base/json_text.hpp"
#include "families/request_body.hpp"
#include "probe/reply_words.hpp"

#include <algorithm>
#include <array>

namespace gateway::probe {
namespace {

using boost::asio::awaitable;

// Of cancels of one sale, one after the other; the next run cancels what is still open.
constexpr int most_cancels = 4;
constexpr Duration between_cancels{2'000};
// Of cancels of one sale that only ask whether it is still CANCELADA.
constexpr int most_asked_again = 2;
// Of sales in a row of which that was not answered: then nobody answers, and the others are not asked about.
constexpr int most_unanswered = 2;
// An idExterno that is echoed shorter than that is none: it is an error's filler.
constexpr std::size_t least_echo = 8;
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

}  // namespace

Bench::Bench(boost::asio::any_io_executor executor, BenchOptions options, http::Client& provider, http::Client& tokens,
             Transcript& transcript, Ledger& ledger, Clock& clock, Random& random, Log& log)
    : Wire(std::move(executor), std::move(options), provider, tokens, transcript, clock, random, log),
      ledger_(ledger) {}

// --- what an answer means ------------------------------------------------------------------------------------------

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
    auto id = IdExterno::make(clock().wall(), random()).str();
    if (!digits_) return id;
    std::string digits = "0";
    while (digits.size() < Ulid::length)
        digits += static_cast<char>('0' + random().below(10));
    return digits;
}

Deal Bench::deal(const Goods& goods, bool with_callbacks) {
    return deal_with_id(goods, make_id(), with_callbacks);
}

Deal Bench::deal_with_id(const Goods& goods, std::string id, bool with_callbacks) {
    const auto now = clock().wall();
    const auto own = IdExterno::parse(id);
    const auto& order = goods.order;
    Deal deal{.sale = {.id = SaleId::make(now, random()), .family = order.family}, .id = id};
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
        sale.callback_secret = Secret(hex_of_chance(random()));
        transcript().mask().learn(sale.callback_secret.reveal());
    }
    sale.attempts.push_back(Attempt{.id_externo = own ? *own : IdExterno::make(now, random()), .created_at = now});
    return deal;
}

Deal Bench::deal_of(const Entry& entry) const {
    const auto own = IdExterno::parse(entry.id);
    const auto now = clock().wall();
    Deal deal{.sale = {.id = SaleId::make(now, random()), .family = entry.family}, .id = entry.id};
    deal.sale.estabelecimento = entry.estabelecimento;
    deal.sale.produto = entry.produto;
    deal.sale.segment = entry.segment;
    deal.sale.valor = entry.valor;
    deal.sale.request = Secret("{}");
    deal.sale.created_at = entry.asked;
    deal.sale.attempts.push_back(Attempt{.id_externo = own ? *own : IdExterno::make(now, random()),
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
        case Verdict::unknown: note_departure(deal, shot.reply); break;
    }
    co_return shot;
}

// An AUTORIZADA that the law does not believe is a sale all the same: the provider knows it, and may know it by the
// idExterno that it echoes and not by ours, so that it is cancelled by that one too.
void Bench::note_departure(const Deal& deal, const Reply& reply) {
    ledger_.said(deal.id, in_portuguese(reply));
    const auto known = ledger_.find(deal.id).value_or(Entry{});
    if (parse_status(status_word(reply)) != Status::AUTORIZADA || known.authorised) return;
    const auto id_transacao = transaction_text(reply, "idTransacao");
    ledger_.authorised(deal.id, id_transacao);
    auto echoed = entry_of(deal);
    echoed.id = transaction_text(reply, "idExterno");
    if (echoed.id.size() < least_echo || ledger_.find(echoed.id)) return;
    ledger_.asking(echoed);
    ledger_.authorised(echoed.id, id_transacao);
}

Entry Bench::entry_of(const Deal& deal) {
    const auto& sale = deal.sale;
    return {.id = deal.id,
            .family = sale.family,
            .segment = sale.segment,
            .estabelecimento = sale.estabelecimento,
            .produto = sale.produto,
            .valor = sale.valor,
            .id_transacao = {},
            .asked = {},
            .last = {}};
}

bool Bench::write_down_goods(const Deal& deal) {
    if (stopped()) return false;
    const bool written = ledger_.asking(entry_of(deal));
    if (!written) stop("não se pode escrever na pasta do ensaio: " + ledger_.fault());
    return written;
}

// What is told of a request that does not leave. The ledger hears nothing of it: an earlier request with the same
// idExterno may be open.
Shot Bench::not_asked() {
    Shot shot;
    shot.reply = Reply::unsent(errc::shutting_down);
    shot.answer.verdict = Verdict::unsent;
    return shot;
}

awaitable<Shot> Bench::solicitar(Deal& deal) {
    if (!write_down_goods(deal)) co_return not_asked();
    auto whole = finish_solicitar(deal, step(Step::solicitar, deal, main(), Need::trial));
    co_return co_await std::move(whole);
}

awaitable<Shot> Bench::solicitar_altered(Deal& deal, Alteration alter) {
    if (!write_down_goods(deal)) co_return not_asked();
    auto whole = finish_solicitar(deal, altered(Step::solicitar, deal, main(), std::move(alter), Need::trial));
    co_return co_await std::move(whole);
}

awaitable<Shot> Bench::solicitar_with_field(Deal& deal, const std::string& callback_field) {
    transcript().mask().hide_field(callback_field);
    if (!write_down_goods(deal)) co_return not_asked();
    auto& through = provider_for(health_path(), callback_field);
    auto whole = finish_solicitar(deal, step(Step::solicitar, deal, through, Need::trial));
    co_return co_await std::move(whole);
}

awaitable<Shot> Bench::confirmar(Deal& deal) {
    if (!deal.attempt().confirm_time) deal.attempt().confirm_time = clock().wall();
    ledger_.said(deal.id, "confirmar enviado");
    auto sending = step(Step::confirmar, deal, main(), Need::trial);
    auto reply = co_await std::move(sending);
    auto shot = judged(Step::confirmar, deal, std::move(reply));
    if (shot.is(Verdict::sold)) ledger_.closed(deal.id, to_string(Status::EFETIVADA));
    co_return shot;
}

awaitable<Shot> Bench::confirmar_without_token(Deal& deal) {
    if (!deal.attempt().confirm_time) deal.attempt().confirm_time = clock().wall();
    auto text = request_body(Step::confirmar, deal.sale, deal.attempt(), "", "");
    auto path = options().provider.base_path + rules_of(deal.sale.family).path(Step::confirmar, deal.sale.segment);
    auto sending = post(std::move(path), "confirmar sem token", std::move(text), false, Need::trial);
    auto reply = co_await std::move(sending);
    co_return judged(Step::confirmar, deal, std::move(reply));
}

awaitable<Shot> Bench::cancelar(Deal& deal) {
    if (!deal.attempt().cancel_time) deal.attempt().cancel_time = clock().wall();
    auto sending = step(Step::cancelar, deal, main(), Need::trial);
    auto reply = co_await std::move(sending);
    auto shot = judged(Step::cancelar, deal, std::move(reply));
    note_cancel(deal, shot);
    co_return shot;
}

awaitable<Shot> Bench::cancelar_by(Deal& deal, std::string health_path) {
    if (!deal.attempt().cancel_time) deal.attempt().cancel_time = clock().wall();
    if (ledger_.find(deal.id))
        ledger_.said(deal.id, "cancelar enviado a " + health_path + ", e não se sabe o que esse caminho faz");
    auto& through = provider_for(health_path, options().provider.callback_field);
    auto sending = step(Step::cancelar, deal, through, Need::trial);
    auto reply = co_await std::move(sending);
    co_return judged(Step::cancelar, deal, std::move(reply));
}

void Bench::note_cancelled(const std::string& id) {
    ledger_.closed(id, to_string(Status::CANCELADA));
    cancelled_.insert(id);
    // One transaction that is in the list by two names: see note_departure().
    const auto id_transacao = ledger_.find(id).value_or(Entry{}).id_transacao;
    for (const auto& other : ledger_.open_sales())
        if (!id_transacao.empty() && other.id_transacao == id_transacao && other.requests == 1)
            ledger_.closed(other.id, "CANCELADA, com o idExterno " + id);
}

void Bench::note_cancel(const Deal& deal, const Shot& shot) {
    const auto entry = ledger_.find(deal.id);
    if (!entry || !entry->open) return;
    const bool late = clock().wall() >= entry->asked + options().late_arrival;
    const bool can_arrive_late = !entry->authorised;
    // Of what was CANCELADA before, any answer that names no other status will do.
    const bool says_no_more = shot.is(Verdict::no_such_sale) || shot.is(Verdict::declined);
    // Of two sales with one idExterno a cancel ends one, and the provider does not say which.
    if (shot.is(Verdict::cancelled) && entry->requests > 1)
        ledger_.said(deal.id, "CANCELADA; mas houve dois pedidos com este idExterno, e um pode estar em aberto");
    else if (shot.is(Verdict::cancelled) && can_arrive_late && !late && !entry->cancelled)
        ledger_.said(deal.id, "CANCELADA, mas um solicitar perdido ainda pode chegar");
    else if (shot.is(Verdict::cancelled) || (entry->cancelled && says_no_more))
        note_cancelled(deal.id);
    else if (shot.is(Verdict::sold))
        ledger_.closed(deal.id, to_string(Status::EFETIVADA));
    else if (shot.is(Verdict::no_such_sale) && can_arrive_late && late)
        ledger_.closed(deal.id, "o provedor não a conhece");
    else
        ledger_.said(deal.id, "cancelar: " + in_portuguese(shot.reply));
}

awaitable<void> Bench::ask_about_again() {
    int unanswered = 0;  // one after the other
    for (const auto& id : std::exchange(cancelled_, {})) {
        const auto entry = ledger_.find(id);
        if (!entry || entry->open) continue;
        auto deal = deal_of(*entry);
        deal.attempt().cancel_time = clock().wall();
        Shot shot;
        const auto answered = [&] { return shot.reply.kind == Reply::Kind::answered; };
        for (int tries = 0; tries < most_asked_again && unanswered < most_unanswered && !answered(); ++tries) {
            auto sending = step(Step::cancelar, deal, main(), Need::taking_back);
            auto reply = co_await std::move(sending);
            shot = judged(Step::cancelar, deal, std::move(reply));
        }
        unanswered = answered() ? 0 : unanswered + 1;
        if (unanswered == most_unanswered) stop("o provedor não responde: " + in_portuguese(shot.reply));
        const auto status = parse_status(status_word(shot.reply));
        if (!answered())
            ledger_.unsure(id, "CANCELADA; perguntada de novo, a resposta não veio");
        else if (status && *status != Status::CANCELADA)
            ledger_.reopened(id, "CANCELADA, e depois " + std::string(to_string(*status)));
    }
}

awaitable<void> Bench::take_back(Deal& deal) {
    transcript().let_go_on(true);
    auto taking = cancel_until_known(deal);
    co_await std::move(taking);
    transcript().let_go_on(false);
}

awaitable<void> Bench::cancel_until_known(Deal& deal) {
    if (deal.sale.family == Family::esim) co_return;  // there is no cancel
    if (!deal.attempt().cancel_time) deal.attempt().cancel_time = clock().wall();
    for (int tries = 0; tries < most_cancels; ++tries) {
        const auto entry = ledger_.find(deal.id);
        if (!entry || !entry->open) co_return;
        if (tries > 0) co_await clock().sleep_for(between_cancels);
        auto sending = step(Step::cancelar, deal, main(), Need::taking_back);
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

}  // namespace gateway::probe
