#include "sandbox/sales.hpp"

#include "base/check.hpp"
#include "base/ulid.hpp"
#include "sandbox/catalogue.hpp"
#include "sandbox/documents.hpp"
#include "sandbox/outcomes.hpp"

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view unknown_sale = "transacao_desconhecida";

Sales::Checked refused(Reply reply) {
    Sales::Checked checked;
    checked.refusal = std::move(reply);
    return checked;
}

Sales::Checked departed(const std::string& what) {
    return refused(departure(400, "requisicao_invalida", what));
}

std::string text_of(const json::object& body, std::string_view name) {
    const auto* value = body.if_contains(name);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

// Whether the entry holds a sale that this address can confirm or cancel.
bool is_sale_of(const Transaction* entry, const Route& route) {
    return entry != nullptr && entry->status != Status::none && entry->status != Status::negada &&
           entry->family == route.family && entry->segment == route.segment;
}

Reply answer_of(const Transaction& sale, Step step) {
    Reply reply;
    reply.body = step == Step::confirmar ? confirmar_answer(sale) : cancelar_answer(sale);
    return reply;
}

// What the transaction of an answer is said to be, where it is not the sale's own.
std::string_view word_of(Said::Word word) {
    switch (word) {
        case Said::Word::nothing:
        case Said::Word::own: return "";
        case Said::Word::cancelada: return to_string(Status::cancelada);
        case Said::Word::negada: return to_string(Status::negada);
        case Said::Word::stranger: return "DESCONHECIDA";
    }
    return "";
}

// An answer about a sale that there is none of.
Reply unknown_answer(const Said& said, std::string_view erro, std::string_view mensagem) {
    auto reply = refusal(said.http, erro, mensagem);
    if (said.http < 300) reply.body.clear();
    if (const auto word = word_of(said.word); !word.empty()) reply.body["transacao"] = json::object{{"status", word}};
    return reply;
}

// An answer about a sale that is final already.
Reply final_answer(const Transaction& sale, Step step, const Said& said) {
    if (said == Said{200, Said::Word::own}) return answer_of(sale, step);
    auto reply = refusal(said.http, "transacao_finalizada", "the sale is final");
    if (said.http < 300) reply.body.clear();
    if (said.word == Said::Word::own)
        for (const auto& pair : answer_of(sale, step).body)
            reply.body[pair.key()] = pair.value();
    return reply;
}

}  // namespace

Transaction* Sales::named(Step step, const json::object* body, WallTime now) {
    if (body == nullptr) return nullptr;
    if (step == Step::confirmar) return books_.find_by_id(text_of(*body, "idTransacao"));
    const auto idExterno = text_of(*body, "idExterno");
    return idExterno.empty() ? nullptr : &books_.entry(idExterno, now);
}

Sales::Checked Sales::check(const Route& route, const json::object* body, Transaction* entry, bool copy) {
    if (body == nullptr) return departed("the body is not a JSON object, or repeats a field");
    if (route.family == Family::transit && catalogue::transit_operator(route.segment) == nullptr)
        return refused(refusal(404, "nao_encontrado", "there is no transit operator of that name"));
    if (route.step == Step::solicitar) return check_order(route, *body, entry, copy);
    return route.step == Step::confirmar ? check_confirm(route, *body, entry) : check_cancel(route, *body, entry);
}

Sales::Checked Sales::check_order(const Route& route, const json::object& body, Transaction* entry, bool copy) {
    auto read = read_order(route, body, options_);
    if (!read.departure.empty()) return departed(read.departure);
    CHECK(entry != nullptr);
    constexpr std::string_view repeated = "idExterno was used by an earlier request";
    if (!copy && entry->calls_of(Step::solicitar) > 1) return refused(departure(409, "idExterno_repetido", repeated));
    if (entry->status != Status::none) return refused(refusal(409, "idExterno_repetido", repeated));
    Checked checked;
    checked.valor = read.body.valor;
    checked.order = std::move(read.body);
    checked.sale = entry;
    return checked;
}

Sales::Checked Sales::check_confirm(const Route& route, const json::object& body, Transaction* entry) {
    const auto read = read_confirm(route, body, options_);
    if (!read.departure.empty()) return departed(read.departure);
    if (!is_sale_of(entry, route)) return refused(departure(404, unknown_sale, "idTransacao is not known here"));
    if (entry->estabelecimento != read.body.estabelecimento || entry->produto != read.body.produto)
        return departed("estabelecimento and produto are not those of the sale");
    Checked checked;
    checked.sale = entry;
    checked.valor = entry->valor;
    return checked;
}

Sales::Checked Sales::check_cancel(const Route& route, const json::object& body, Transaction* entry) {
    const auto read = read_cancel(route, body, options_);
    if (!read.departure.empty()) return departed(read.departure);
    // No departure: after a lost answer a client cannot know whether its request was ever processed.
    if (!is_sale_of(entry, route))
        return refused(unknown_answer(options_.cancel_unknown, unknown_sale, "idExterno is not known here"));
    if (entry->estabelecimento != read.body.estabelecimento) return departed("estabelecimento is not that of the sale");
    Checked checked;
    checked.sale = entry;
    checked.valor = entry->valor;
    return checked;
}

Sales::Done Sales::act(const Route& route, const Checked& checked, Effect effect, WallTime now) {
    CHECK(!checked.refusal && checked.sale != nullptr);
    if (route.step == Step::solicitar) return accept(route, checked, effect, now);
    const bool sells = route.step == Step::confirmar && effect != Effect::cancel;
    return move(*checked.sale, route.step, sells ? Status::efetivada : Status::cancelada, now);
}

Sales::Done Sales::accept(const Route& route, const Checked& checked, Effect effect, WallTime now) {
    auto& sale = *checked.sale;
    const auto& order = checked.order;
    sale.move_to(effect == Effect::deny ? Status::negada : Status::autorizada, now);
    sale.idTransacao = Ulid::make(now, random_).str();
    sale.family = *route.family;
    sale.segment = route.segment;
    sale.estabelecimento = order.estabelecimento;
    sale.produto = order.produto;
    sale.fornecedor = order.fornecedor;
    sale.valor = order.valor;
    sale.produtoIdParceiro = order.produtoIdParceiro;
    sale.accepted = now;
    make_goods(sale, random_);
    books_.index(sale);
    if (sale.family == Family::esim && sale.status == Status::autorizada) schedule_callbacks(sale, order, now);
    Done done;
    done.reply.body = solicitar_answer(sale);
    done.moved = true;
    return done;
}

Sales::Done Sales::move(Transaction& sale, Step step, Status wanted, WallTime now) {
    Done done;
    if (sale.move_to(wanted, now)) {
        done.reply = answer_of(sale, step);
        done.moved = true;
        return done;
    }
    const bool sold = sale.status == Status::efetivada;
    if (step == Step::confirmar) {
        done.reply = final_answer(sale, step, sold ? options_.confirm_again : options_.confirm_on_cancelada);
    } else {
        done.reply = final_answer(sale, step, sold ? options_.cancel_on_efetivada : options_.cancel_again);
    }
    return done;
}

void Sales::schedule_callbacks(const Transaction& sale, const Order& order, WallTime now) {
    auto due = now;
    for (const auto& event : callback_script(sale.valor).events) {
        switch (event.gap) {
            case CallbackEvent::Gap::none: break;
            case CallbackEvent::Gap::usual: due += options_.callback_delay; break;
            case CallbackEvent::Gap::late: due += options_.callback_late; break;
        }
        Callback callback;
        callback.idExterno = sale.idExterno;
        callback.url = event.about == CallbackEvent::About::sale ? order.sale_url : order.recharge_url;
        callback.body = callback_body(sale, event, order.recharge, random_);
        callback.status = event.status;
        callback.sent = event.sent;
        callbacks_.add(std::move(callback), due);
    }
}

}  // namespace gateway::sandbox
