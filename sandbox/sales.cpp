#include "sandbox/sales.hpp"

#include "base/check.hpp"
#include "base/ulid.hpp"
#include "sandbox/documents.hpp"
#include "sandbox/family.hpp"
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

bool is_post_of_a_sale(Step step) {
    return step == Step::solicitar || step == Step::confirmar || step == Step::cancelar;
}

std::string text_of(const json::object& body, std::string_view name) {
    const auto* value = body.if_contains(name);
    const auto* text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string() : std::string(*text);
}

Reply answer_of(const Transaction& sale, Step step) {
    Reply reply;
    reply.body = step == Step::confirmar ? confirmar_answer(sale) : cancelar_answer(sale);
    return reply;
}

// Answers a request about a sale that is not there.
Reply unknown_answer(const Said& said, std::string_view mensagem) {
    auto reply = refusal(said.http, unknown_sale, mensagem);
    if (said.http < 300) reply.body.clear();
    return reply;
}

// Answers a request about a sale that is final already.
Reply final_answer(const Transaction& sale, Step step, const Said& said) {
    if (said == Said{200, Said::Word::own}) return answer_of(sale, step);
    auto reply = refusal(said.http, "transacao_finalizada", "the sale is final");
    if (said.http < 300) reply.body.clear();
    if (said.word == Said::Word::own)
        for (const auto& pair : answer_of(sale, step).body)
            reply.body[pair.key()] = pair.value();
    return reply;
}

// Removes from a second confirm's answer the fields that the personality leaves out.
void withhold_instrucao(json::object& body, InstrucaoAgain again) {
    auto* transacao = body.if_contains("transacao");
    auto* inner = transacao == nullptr ? nullptr : transacao->if_object();
    if (inner == nullptr || !inner->contains("instrucao")) return;
    switch (again) {
        case InstrucaoAgain::again: break;
        case InstrucaoAgain::missing: inner->erase("instrucao"); break;
        case InstrucaoAgain::null: (*inner)["instrucao"] = nullptr; break;
    }
}

}  // namespace

Transaction* Sales::named(const Route& route, const json::object* body, WallTime now) {
    if (route.step == Step::status)
        return route.idTransacao.empty() ? books_.find(route.idExterno) : books_.find_by_id(route.idTransacao);
    if (body == nullptr || !is_post_of_a_sale(route.step)) return nullptr;
    if (route.step == Step::confirmar) return books_.find_by_id(text_of(*body, "idTransacao"));
    const auto idExterno = text_of(*body, "idExterno");
    return idExterno.empty() ? nullptr : &books_.entry(idExterno, now);
}

Sales::Checked Sales::departed(const Route& route, const std::string& what, Wrong wrong) const {
    const auto said = [&] {
        switch (wrong) {
            case Wrong::field: return options_.error_missing_field;
            case Wrong::amount: return options_.error_bad_amount;
            case Wrong::product: return options_.error_unknown_product;
            case Wrong::bound: return options_.error_beyond_bound;
            case Wrong::establishment: return options_.error_wrong_establishment;
        }
        return Said{};
    }();
    if (said.word == Said::Word::nothing) return refused(departure(said.http, "requisicao_invalida", what));
    // Only the answer to a solicitar can name a status where no sale was made.
    constexpr int otherwise = 422;
    const bool asks = route.step == Step::solicitar;
    auto reply = departure(asks ? said.http : otherwise, "requisicao_invalida", what);
    if (asks) reply.body = {{"venda", {{"transacao", {{"status", word_of(said.word)}}}}}};
    return refused(std::move(reply));
}

Reply Sales::status_of(const Transaction* sale, WallTime now) const {
    if (sale != nullptr && (sale->status == Status::negada || is_known(*sale, now))) {
        Reply reply;
        reply.body = status_answer(*sale, options_.status_shape);
        return reply;
    }
    const auto word = word_of(options_.status_unknown.word);
    auto reply = unknown_answer(options_.status_unknown, "the sale is not known here");
    if (!word.empty()) reply.body = status_answer(word, options_.status_shape);
    return reply;
}

bool Sales::is_known(const Transaction& sale, WallTime now) const {
    if (sale.status == Status::none || sale.status == Status::negada) return false;
    return options_.forgets == Duration(0) || now < sale.accepted + options_.forgets;
}

// Says whether the entry holds a sale that this address can confirm or cancel.
bool Sales::is_sale_of(const Transaction* entry, const Route& route, WallTime now) const {
    if (entry == nullptr || !is_known(*entry, now) || entry->family != route.family) return false;
    return route.segment.empty() || entry->segment == route.segment;
}

Sales::Checked Sales::check(const Route& route, const json::object* body, Transaction* entry, const Visitor& visitor) {
    if (route.step == Step::cancelar) {
        constexpr std::string_view missing = "there is no such address";
        if (options_.cancel_effect == CancelEffect::no_path) return refused(refusal(404, "nao_encontrado", missing));
        if (options_.cancel_effect == CancelEffect::no_method) return refused(refusal(405, "metodo_invalido", missing));
    }
    if (body == nullptr) return departed(route, "the body is not a JSON object, or repeats a field", Wrong::field);
    const auto knows_segment = model_of(*route.family).knows_segment;
    if (knows_segment != nullptr && !knows_segment(route.segment))
        return refused(refusal(404, "nao_encontrado", "there is no operator of that name"));
    if (route.step == Step::solicitar) return check_order(route, *body, entry, visitor);
    return route.step == Step::confirmar ? check_confirm(route, *body, entry, visitor.now)
                                         : check_cancel(route, *body, entry, visitor.now);
}

Sales::Checked Sales::check_order(const Route& route, const json::object& body, Transaction* entry,
                                  const Visitor& visitor) {
    auto read = read_order(route, body, options_);
    if (!read.departure.empty()) return departed(route, read.departure, read.wrong);
    CHECK(entry != nullptr);
    Checked checked;
    checked.valor = read.body.valor;
    checked.order = std::move(read.body);
    checked.sale = entry;
    if (entry->status != Status::none || (!visitor.copy && entry->calls_of(Step::solicitar) > 1)) {
        check_again(checked, *entry, visitor);
    } else if (entry->cancel_came) {
        check_after_cancel(checked);
    }
    if (checked.sale != nullptr) checked.sale->order_body = visitor.digest;
    return checked;
}

// The idExterno was used before: if that request was refused, there is no sale.
void Sales::check_again(Checked& checked, Transaction& entry, const Visitor& visitor) {
    constexpr std::string_view code = "idExterno_repetido";
    constexpr std::string_view repeated = "idExterno was used by an earlier request";
    const bool same_body = entry.order_body == visitor.digest;
    const auto what = same_body ? options_.id_again_same_body : options_.id_again_other_body;
    const auto no = [&](int status) {
        return refused(visitor.copy ? refusal(status, code, repeated) : departure(status, code, repeated));
    };
    switch (what) {
        case IdAgain::refuses_409: checked = no(409); break;
        case IdAgain::refuses_422: checked = no(422); break;
        case IdAgain::same:
            if (entry.status == Status::none) break;
            checked.answer.emplace();
            checked.answer->body = solicitar_answer(entry);
            checked.sale = nullptr;
            break;
        case IdAgain::second:
            if (entry.status == Status::none) break;
            checked.sale = &books_.add(checked.order.idExterno, visitor.now);
            checked.sale->calls_of(Step::solicitar) = 1;
            break;
    }
}

void Sales::check_after_cancel(Checked& checked) const {
    constexpr std::string_view code = "transacao_cancelada";
    constexpr std::string_view late = "idExterno was cancelled before";
    switch (options_.request_after_cancel) {
        case AfterCancel::sells: break;
        case AfterCancel::refuses_409: checked = refused(refusal(409, code, late)); break;
        case AfterCancel::refuses_422: checked = refused(refusal(422, code, late)); break;
        case AfterCancel::cancelada: checked.becomes = Status::cancelada; break;
        case AfterCancel::negada: checked.becomes = Status::negada; break;
    }
}

Sales::Checked Sales::check_confirm(const Route& route, const json::object& body, Transaction* entry, WallTime now) {
    const auto read = read_confirm(route, body, options_);
    if (!read.departure.empty()) return departed(route, read.departure, read.wrong);
    if (!is_sale_of(entry, route, now)) {
        constexpr std::string_view unknown = "idTransacao is not known here";
        const bool forgotten = is_sale_of(entry, route, entry == nullptr ? now : entry->accepted);
        return refused(forgotten ? refusal(404, unknown_sale, unknown) : departure(404, unknown_sale, unknown));
    }
    if (entry->estabelecimento != read.body.estabelecimento || entry->produto != read.body.produto)
        return departed(route, "estabelecimento and produto are not those of the sale", Wrong::establishment);
    Checked checked;
    checked.sale = entry;
    checked.valor = entry->valor;
    return checked;
}

Sales::Checked Sales::check_cancel(Route route, const json::object& body, Transaction* entry, WallTime now) {
    const auto read = read_cancel(route, body, options_);
    if (!read.departure.empty()) return departed(route, read.departure, read.wrong);
    if (route.health_too && entry != nullptr && entry->status != Status::none && entry->family == Family::health) {
        route.family = Family::health;
        route.segment.clear();
    }
    // This is no departure: after a lost answer, a client cannot know whether its request was ever processed.
    if (!is_sale_of(entry, route, now)) {
        if (entry != nullptr && entry->status == Status::none) entry->cancel_came = true;
        const auto word = word_of(options_.cancel_unknown.word);
        auto reply = unknown_answer(options_.cancel_unknown, "idExterno is not known here");
        if (!word.empty()) reply.body["transacao"] = json::object{{"status", word}};
        return refused(std::move(reply));
    }
    if (entry->estabelecimento != read.body.estabelecimento)
        return departed(route, "estabelecimento is not that of the sale", Wrong::establishment);
    Checked checked;
    checked.sale = entry;
    checked.valor = entry->valor;
    return checked;
}

Sales::Done Sales::act(const Route& route, const Checked& checked, Effect effect, WallTime now) {
    CHECK(!checked.refusal && checked.sale != nullptr);
    if (route.step == Step::solicitar) return accept(route, checked, effect, now);
    if (route.step == Step::cancelar) return cancel(*checked.sale, now);
    return move(*checked.sale, route.step, effect == Effect::cancel ? Status::cancelada : Status::efetivada, now);
}

Sales::Done Sales::cancel(Transaction& sale, WallTime now) {
    const bool sells = sale.family == Family::health && options_.health_cancel_does == HealthCancel::sells;
    if (is_final(sale.status) || options_.cancel_effect == CancelEffect::cancels)
        return move(sale, Step::cancelar, sells ? Status::efetivada : Status::cancelada, now);
    Done done;
    done.reply = answer_of(sale, Step::cancelar);
    return done;
}

Sales::Done Sales::accept(const Route& route, const Checked& checked, Effect effect, WallTime now) {
    auto& sale = *checked.sale;
    const auto& order = checked.order;
    sale.move_to(effect == Effect::deny ? Status::negada : checked.becomes.value_or(Status::autorizada), now);
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
    Done done;
    done.reply.body = solicitar_answer(sale);
    if (sale.status == Status::autorizada) {
        done.reply.status = options_.sale_http;
        if (model_of(sale.family).by_callback) schedule_callbacks(sale, order, now);
        const auto open_for = options_.open_sales_end.at(static_cast<std::size_t>(sale.family));
        if (open_for > Duration(0)) open_ends_.emplace(now + open_for, sale.idTransacao);
    }
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
        withhold_instrucao(done.reply.body, options_.egift_instrucao_again);
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
        callback.idTransacao = sale.idTransacao;
        const bool about_sale = event.about == CallbackEvent::About::sale;
        const bool own_address = options_.recharge_callback == RechargeCallback::own_address;
        callback.url = about_sale || !own_address ? order.sale_url : order.recharge_url;
        callback.body = callback_body(sale, event, order.recharge, options_.esim_uuid, random_);
        callback.status = event.status;
        callback.sent = event.sent && (about_sale || options_.recharge_callback != RechargeCallback::none);
        callbacks_.add(std::move(callback), due);
    }
}

std::optional<WallTime> Sales::next_open_end() const {
    return open_ends_.empty() ? std::nullopt : std::optional(open_ends_.begin()->first);
}

void Sales::end_open_sale() {
    CHECK(!open_ends_.empty());
    const auto [when, idTransacao] = *open_ends_.begin();
    open_ends_.erase(open_ends_.begin());
    auto* sale = books_.find_by_id(idTransacao);
    if (sale == nullptr || !sale->move_to(Status::cancelada, when)) return;
    sale->note(
        {.at = when, .step = Step::cancelar, .behaviour = "by_itself", .processed = true, .status = sale->status});
}

void Sales::clear() {
    books_.clear();
    callbacks_.clear();
    open_ends_.clear();
}

}  // namespace gateway::sandbox
