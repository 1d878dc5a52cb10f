#include "probe/bench.hpp"

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "families/request_body.hpp"
#include "probe/reply_words.hpp"

#include <algorithm>
#include <array>

namespace gateway::probe {
namespace {

// One sale is cancelled so often, one cancel after the other; the next run cancels what is still open.
constexpr int most_cancels = 4;
constexpr Duration between_cancels{2'000};
// We send so many cancels of one sale only to ask whether it is still CANCELADA.
constexpr int most_asked_again = 2;
// If so many sales in a row were not answered for, nobody answers, and we do not ask about the others.
constexpr int most_unanswered = 2;
// A shorter echo is no idExterno, but the filler of an error.
constexpr std::size_t least_echo = 8;
// The gateway's own callback secrets are as long.
constexpr std::size_t callback_secret_bytes = 24;

Entry entry_of(const Deal& deal) {
    const auto& sale = deal.sale;
    return {.id = deal.id,
            .family = sale.family,
            .segment = sale.segment,
            .estabelecimento = sale.estabelecimento,
            .produto = sale.produto,
            .valor = sale.valor};
}

// Answers for a request that does not leave. The ledger hears nothing of it: an earlier request with the same
// idExterno may be open.
Shot not_asked() {
    Shot shot;
    shot.reply = Reply::unsent(errc::shutting_down);
    shot.answer.verdict = Verdict::unsent;
    return shot;
}

}  // namespace

// --- what an answer means ------------------------------------------------------------------------------------------

Shot Bench::judged(Step step, const Deal& deal, Reply reply) {
    auto ours = reply;
    // The law compares the echo with the attempt's own idExterno.
    if (const auto own = deal.attempt().id_externo.str(); deal.id != own)
        for (auto at = ours.body.find(deal.id); at != std::string::npos; at = ours.body.find(deal.id, at + own.size()))
            ours.body.replace(at, deal.id.size(), own);
    Shot shot{.reply = std::move(reply), .answer = interpret(step, deal.sale, deal.attempt(), ours)};
    // An error that names a status may be written in another way than a bare one.
    const bool is_bare = shot.reply.status >= 400 && is_about_the_sale(shot.reply) && status_word(shot.reply).empty();
    if (is_bare && error_shape_.empty()) error_shape_ = error_shape(shot.reply);
    note_reply(std::string(to_string(deal.sale.family)).append(" ").append(to_string(step)), shot.reply, deal.id,
               to_string(shot.answer.verdict));
    return shot;
}

// --- sales ---------------------------------------------------------------------------------------------------------

std::string Bench::make_id() {
    auto id = IdExterno::make(clock().wall(), parts_.random).str();
    if (!digits_) return id;
    std::string digits = "0";
    while (digits.size() < Ulid::length)
        digits += static_cast<char>('0' + parts_.random.below(10));
    return digits;
}

Deal Bench::deal(const Goods& goods, std::string id) {
    const auto& order = goods.order;
    auto deal = deal_of({.id = std::move(id),
                         .family = order.family,
                         .segment = order.segment,
                         .estabelecimento = order.estabelecimento,
                         .produto = order.produto,
                         .valor = order.valor,
                         .asked = clock().wall()});
    auto& sale = deal.sale;
    sale.fornecedor = order.fornecedor;
    std::string fields;
    append_json(fields, order.fields);
    sale.request = Secret(std::move(fields));
    if (order.family == Family::esim) {
        std::array<std::byte, callback_secret_bytes> bytes{};
        parts_.random.fill(bytes);
        sale.callback_secret = Secret(to_hex(bytes));
        parts_.transcript.mask().learn(sale.callback_secret.reveal());
    }
    return deal;
}

Deal Bench::deal_of(const Entry& entry) const {
    const auto now = clock().wall();
    Deal deal{.sale = {.id = SaleId::make(now, parts_.random), .family = entry.family}, .id = entry.id};
    auto& sale = deal.sale;
    sale.created_at = entry.asked;
    sale.estabelecimento = entry.estabelecimento;
    sale.produto = entry.produto;
    sale.segment = entry.segment;
    sale.valor = entry.valor;
    sale.request = Secret("{}");
    // The attempt has another idExterno where that of the deal is none of the gateway's own.
    sale.attempts.push_back({.id_externo = IdExterno::parse(entry.id).value_or(IdExterno::make(now, parts_.random)),
                             .id_transacao = entry.id_transacao,
                             .created_at = entry.asked});
    return deal;
}

void Bench::note_authorised(Deal& deal, const std::string& id_transacao) {
    const bool known = parts_.ledger.find(deal.id).value_or(Entry{}).id_transacao == id_transacao;
    deal.attempt().id_transacao = id_transacao;
    // Where the provider names the transaction that there was, this request made none of its own.
    if (known && parts_.ledger.find(deal.id).value_or(Entry{}).requests > 1) parts_.ledger.refused(deal.id);
    parts_.ledger.authorised(deal.id, id_transacao);
}

Shot Bench::ask_for(Deal& deal, Provider& through, const Alteration& alter) {
    if (stopped()) return not_asked();
    if (!parts_.ledger.asking(entry_of(deal))) {
        stop_by_fault(parts_.ledger.fault());
        return not_asked();
    }
    auto shot = judged(Step::solicitar, deal, send(Step::solicitar, deal, through, Need::trial, alter));
    switch (shot.answer.verdict) {
        case Verdict::authorised:
            accepted_http_ = shot.reply.status;
            note_authorised(deal, shot.answer.id_transacao);
            break;
        case Verdict::refused:
        case Verdict::unsent:
        case Verdict::unauthorised:
        case Verdict::throttled: parts_.ledger.refused(deal.id); break;
        case Verdict::sold:
        case Verdict::cancelled:
        case Verdict::no_such_sale:
        case Verdict::declined:
        case Verdict::unknown: note_departure(deal, shot.reply); break;
    }
    return shot;
}

// An AUTORIZADA that the law does not believe is a sale all the same: the provider knows it, and may know it by the
// idExterno that it echoes and not by ours, so that it is cancelled by that one too.
void Bench::note_departure(const Deal& deal, const Reply& reply) {
    parts_.ledger.said(deal.id, in_portuguese(reply));
    const auto known = parts_.ledger.find(deal.id).value_or(Entry{});
    if (parse_status(status_word(reply)) != Status::AUTORIZADA || known.authorised) return;
    const auto id_transacao = transaction_text(reply, "idTransacao");
    parts_.ledger.authorised(deal.id, id_transacao);
    auto echoed = entry_of(deal);
    echoed.id = transaction_text(reply, "idExterno");
    if (echoed.id.size() < least_echo || parts_.ledger.find(echoed.id)) return;
    parts_.ledger.asking(echoed);
    parts_.ledger.authorised(echoed.id, id_transacao);
}

Shot Bench::solicitar_with_field(Deal& deal, const std::string& callback_field) {
    parts_.transcript.mask().hide_field(callback_field);
    return ask_for(deal, make_provider(health_path_, callback_field), nullptr);
}

Shot Bench::ask(Step step, Deal& deal, Provider& through, Need need) {
    auto& asked_at = step == Step::confirmar ? deal.attempt().confirm_time : deal.attempt().cancel_time;
    if (!asked_at) asked_at = clock().wall();
    return judged(step, deal, send(step, deal, through, need));
}

Shot Bench::confirmar(Deal& deal) {
    parts_.ledger.said(deal.id, "confirmar enviado");
    auto shot = ask(Step::confirmar, deal, *main_, Need::trial);
    if (shot.is(Verdict::sold)) parts_.ledger.closed(deal.id, to_string(Status::EFETIVADA));
    return shot;
}

Shot Bench::confirmar_without_token(Deal& deal) {
    if (!deal.attempt().confirm_time) deal.attempt().confirm_time = clock().wall();
    http::ClientRequest request;
    request.post = true;
    request.target = options_.base_url.path + main_->path_of(Step::confirmar, deal.sale.family, deal.sale.segment);
    request.label = "confirmar sem token";
    request.content_type = "application/json";
    request.body = Secret(request_body(Step::confirmar, deal.sale, deal.attempt(), "", ""));
    auto reply = exchange(parts_.provider, std::move(request));
    return judged(Step::confirmar, deal, std::move(reply));
}

Shot Bench::cancelar(Deal& deal) {
    auto shot = ask(Step::cancelar, deal, *main_, Need::trial);
    note_cancel(deal, shot);
    return shot;
}

Shot Bench::cancelar_by(Deal& deal, const std::string& health_path) {
    if (parts_.ledger.find(deal.id))
        parts_.ledger.said(deal.id, "cancelar enviado a " + health_path + ", e não se sabe o que esse caminho faz");
    return ask(Step::cancelar, deal, make_provider(health_path, options_.callback_field), Need::trial);
}

void Bench::note_cancelled(const std::string& id) {
    parts_.ledger.closed(id, to_string(Status::CANCELADA));
    cancelled_.insert(id);
    // One transaction may be in the list by two names: see note_departure().
    const auto id_transacao = parts_.ledger.find(id).value_or(Entry{}).id_transacao;
    for (const auto& other : parts_.ledger.open_sales())
        if (!id_transacao.empty() && other.id_transacao == id_transacao && other.requests == 1)
            parts_.ledger.closed(other.id, "CANCELADA, com o idExterno " + id);
}

void Bench::note_cancel(const Deal& deal, const Shot& shot) {
    const auto entry = parts_.ledger.find(deal.id);
    if (!entry || !entry->open) return;
    const bool late = clock().wall() >= entry->asked + late_arrival_;
    const bool can_arrive_late = !entry->authorised;
    // Any answer that names no other status will do for what was CANCELADA before.
    const bool says_no_more = shot.is(Verdict::no_such_sale) || shot.is(Verdict::declined);
    // A cancel ends one of two sales with one idExterno, and the provider does not say which.
    if (shot.is(Verdict::cancelled) && entry->requests > 1)
        parts_.ledger.said(deal.id, "CANCELADA; mas houve dois pedidos com este idExterno, e um pode estar em aberto");
    else if (shot.is(Verdict::cancelled) && can_arrive_late && !late && !entry->cancelled)
        parts_.ledger.said(deal.id, "CANCELADA, mas um solicitar perdido ainda pode chegar");
    else if (shot.is(Verdict::cancelled) || (entry->cancelled && says_no_more))
        note_cancelled(deal.id);
    else if (shot.is(Verdict::sold))
        parts_.ledger.closed(deal.id, to_string(Status::EFETIVADA));
    else if (shot.is(Verdict::no_such_sale) && can_arrive_late && late)
        parts_.ledger.closed(deal.id, "o provedor não a conhece");
    else
        parts_.ledger.said(deal.id, "cancelar: " + in_portuguese(shot.reply));
}

void Bench::ask_about_again() {
    int unanswered = 0;  // one after the other
    for (const auto& id : std::exchange(cancelled_, {})) {
        const auto entry = parts_.ledger.find(id);
        if (!entry || entry->open) continue;
        auto deal = deal_of(*entry);
        Shot shot;
        for (int tries = 0; tries < most_asked_again && unanswered < most_unanswered && !is_answered(shot.reply);
             ++tries)
            shot = ask(Step::cancelar, deal, *main_, Need::taking_back);
        unanswered = is_answered(shot.reply) ? 0 : unanswered + 1;
        if (unanswered == most_unanswered) stop("o provedor não responde: " + in_portuguese(shot.reply));
        const auto status = parse_status(status_word(shot.reply));
        if (!is_answered(shot.reply))
            parts_.ledger.unsure(id, "CANCELADA; perguntada de novo, a resposta não veio");
        else if (status && *status != Status::CANCELADA)
            parts_.ledger.reopened(id, "CANCELADA, e depois " + std::string(to_string(*status)));
    }
}

void Bench::take_back(Deal& deal) {
    parts_.transcript.let_go_on(true);
    cancel_until_known(deal);
    parts_.transcript.let_go_on(false);
}

void Bench::cancel_until_known(Deal& deal) {
    if (!can_cancel(deal.sale.family)) return;
    for (int tries = 0; tries < most_cancels; ++tries) {
        const auto entry = parts_.ledger.find(deal.id);
        if (!entry || !entry->open) return;
        if (tries > 0) sleep_for(between_cancels);
        const auto shot = ask(Step::cancelar, deal, *main_, Need::taking_back);
        note_cancel(deal, shot);
        if (shot.is(Verdict::no_such_sale)) return;  // it can come yet: what is still open is asked about again
    }
}

void Bench::take_back_all() {
    for (const auto& entry : parts_.ledger.open_sales()) {
        if (entry.left_open) continue;
        auto deal = deal_of(entry);
        take_back(deal);
    }
}

}  // namespace gateway::probe
