#include "sale/answer.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/json_text.hpp"
#include "base/strict_json.hpp"
#include "base/utf8.hpp"
#include "sale/provider_words.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

// So much of a refusal's body is kept for the terminal and the operator.
constexpr std::size_t kept_body_bytes = 2048;
// An ordinary answer, once parsed, takes a fraction of this. Memory beyond it comes from the heap.
constexpr std::size_t parsed_bytes = 8192;

// Holds what we read from an answer's JSON. We ignore the fields that the provider adds. A field that is missing is
// empty here, and makes the answer unknown where it is needed.
struct Parsed {
    bool object = false;       // the body was a JSON object
    bool contradicts = false;  // it has two transactions, or two idExterno, that differ
    std::optional<Status> status;
    std::string id_transacao;
    std::string id_externo;
    std::optional<std::int64_t> valor;
    TransactionDetails details;
};

const json::object* object_at(const json::object* parent, std::string_view name) {
    const auto* value = parent != nullptr ? parent->if_contains(name) : nullptr;
    return value != nullptr ? value->if_object() : nullptr;
}

// Returns the text of a string or of a whole number, and nothing for any other value.
std::optional<std::string> text_at(const json::object* parent, std::string_view name) {
    const auto* value = parent != nullptr ? parent->if_contains(name) : nullptr;
    if (value == nullptr) return std::nullopt;
    if (const auto* text = value->if_string()) return std::string(*text);
    if (const auto* number = value->if_int64()) return std::to_string(*number);
    if (const auto* number = value->if_uint64()) return std::to_string(*number);
    return std::nullopt;
}

// The document says that `transacao.valor` is an integer. A whole number in a string is taken as well.
std::optional<std::int64_t> cents_at(const json::object* parent, std::string_view name) {
    const auto text = text_at(parent, name).value_or("");
    if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    return std::stoll(text);
}

// The document says that goods are JSON in a string. Should they come as plain JSON, we take its text.
Secret goods_at(const json::object* parent, std::string_view name) {
    const auto* value = parent != nullptr ? parent->if_contains(name) : nullptr;
    if (value == nullptr || value->is_null()) return Secret();
    if (const auto* text = value->if_string()) return Secret(std::string(*text));
    std::string plain;
    append_json(plain, *value);
    return Secret(std::move(plain));
}

// Tells whether two transactions in one answer differ in what decides about a sale.
bool differ(const json::object* one, const json::object* other) {
    const auto differs_in = [&](std::string_view name) {
        const auto left = text_at(one, name);
        const auto right = text_at(other, name);
        return left && right && to_lower(*left) != to_lower(*right);  // status words come in any letter case
    };
    return differs_in("status") || differs_in("valor");
}

// Returns the identifier that the places have under this name, or an empty text if none has it. Sets `contradicts` if
// they have different ones.
std::string identifier_in(std::initializer_list<const json::object*> places, std::string_view name, bool& contradicts) {
    std::string found;
    for (const auto* place : places) {
        auto text = text_at(place, name).value_or("");
        if (!text.empty() && !found.empty() && text != found) contradicts = true;
        if (found.empty()) found = std::move(text);
    }
    return found;
}

Parsed parse(const std::string& body) {
    Parsed parsed;
    std::array<unsigned char, parsed_bytes> bytes;
    json::monotonic_resource memory(bytes.data(), bytes.size());
    // The parser is strict: if an object has two statuses, nobody knows which of them counts.
    const auto value = parse_strict_json(body, usual_json_depth, &memory, LongNumbers::as_text, Zeros::replaced);
    const auto* root = value ? value->if_object() : nullptr;
    if (root == nullptr) return parsed;
    parsed.object = true;
    const auto* venda = object_at(root, "venda");
    const auto* inner = object_at(venda, "transacao");
    const auto* outer = object_at(root, "transacao");
    const auto* transacao = inner != nullptr ? inner : outer;
    parsed.contradicts = differ(inner, outer);
    // The document has idExterno under `venda`. Wherever it stands, it names an attempt.
    parsed.id_externo = identifier_in({venda, root, inner, outer}, "idExterno", parsed.contradicts);
    parsed.id_transacao = identifier_in({inner, outer}, "idTransacao", parsed.contradicts);
    if (const auto status = text_at(transacao, "status")) parsed.status = parse_status(*status);
    parsed.valor = cents_at(transacao, "valor");
    if (!parsed.valor) parsed.valor = cents_at(outer, "valor");
    const auto* place = venda != nullptr ? venda : root;
    const auto* estabelecimento = object_at(place, "estabelecimento");
    parsed.details.estabelecimento_nome = text_at(estabelecimento, "nome").value_or("");
    parsed.details.cnpj_cpf = text_at(estabelecimento, "cnpjCpf").value_or("");
    parsed.details.fornecedor = text_at(object_at(object_at(place, "produto"), "fornecedor"), "nome").value_or("");
    parsed.details.data_hora = text_at(transacao, "dataHora").value_or("");
    parsed.details.instrucao = goods_at(transacao, "instrucao");
    parsed.details.complemento = goods_at(transacao, "complemento");
    return parsed;
}

bool success(const Reply& reply) {
    return reply.status >= 200 && reply.status <= 299;
}
bool client_error(const Reply& reply) {
    return reply.status >= 400 && reply.status <= 499;
}

// These codes say nothing about the sale, only about this one call of ours.
bool about_the_call(unsigned status) {
    return status == 401 || status == 408 || status == 409 || status == 425 || status == 429;
}

constexpr std::array<std::string_view, 2> goods_names{"instrucao", "complemento"};

// Removes every member that holds goods, wherever it stands.
void take_goods_away(json::value& value) {
    if (auto* array = value.if_array())
        for (auto& element : *array)
            take_goods_away(element);
    if (auto* object = value.if_object()) {
        for (const auto name : goods_names)
            object->erase(name);
        for (auto& member : *object)
            take_goods_away(member.value());
    }
}

// Returns the body without goods, because a refusal sells nothing, whatever it carries. A body that names goods and is
// not JSON is left out.
std::string without_goods(const std::string& body) {
    const auto names_goods = [&body](std::string_view name) { return body.find(name) != std::string::npos; };
    if (std::ranges::none_of(goods_names, names_goods)) return body;
    auto value = parse_strict_json(body, usual_json_depth, {}, LongNumbers::as_text, Zeros::replaced);
    if (!value) return {};
    take_goods_away(*value);
    std::string rest;
    append_json(rest, *value);
    return rest;
}

// Keeps the beginning of the body, if it is UTF-8: a person has no use for anything else.
Secret kept_body(const Reply& reply) {
    const auto body = without_goods(reply.body);
    const auto front = std::string_view(body).substr(0, kept_body_bytes);
    auto cut = is_utf8(body) ? std::string(front) : std::string();
    while (!is_utf8(cut))
        cut.pop_back();
    return Secret(std::move(cut));
}

Reason reason_from(ReasonCode code, std::string detail, const Reply& reply) {
    Reason reason{.code = code, .detail = std::move(detail)};
    reason.provider_status = reply.status;
    // Only the words of a refusal are for the terminal. Any other answer may hold the goods of a sale that is not sold.
    if (code == ReasonCode::refused) reason.provider_body = kept_body(reply);
    reason.retry_after = reply.retry_after;
    return reason;
}

std::string failure_in_words(const Reply& reply) {
    auto words = reply.failure.message();
    return reply.cause.empty() || reply.cause == words ? words : words + ": " + reply.cause;
}

Answer unsent(const Reply& reply) {
    return {.verdict = Verdict::unsent,
            .reason = {.code = ReasonCode::never_sent, .detail = "nothing was sent: " + failure_in_words(reply)}};
}

Answer lost(const Reply& reply) {
    return {.verdict = Verdict::unknown,
            .reason = {.code = ReasonCode::response_lost, .detail = "the answer was lost: " + reply.failure.message()}};
}

Answer senseless(const Reply& reply, std::string_view what) {
    return {.verdict = Verdict::unknown,
            .reason = reason_from(ReasonCode::provider_error,
                                  fmt::format("the provider answered {}: {}", reply.status, what), reply)};
}

Answer judged_as(Verdict verdict, Answer answer) {
    answer.verdict = verdict;
    return answer;
}

// Says in what an AUTORIZADA departs from what was asked, by the chapter "Common sale-request response". Returns an
// empty text if it departs in nothing.
std::string_view departure(const Sale& sale, const Parsed& parsed) {
    if (parsed.id_transacao.empty()) return "AUTORIZADA without idTransacao";
    if (parsed.id_externo.empty() && traits_of(sale.family).echoes_id_externo)
        return "AUTORIZADA without the echo of idExterno";
    if (!parsed.valor) return "AUTORIZADA without valor";
    if (*parsed.valor != sale.valor.value) return "AUTORIZADA of another valor";
    return {};
}

Answer unauthorised(const Sale& sale, const Reply& reply) {
    std::string detail = "the provider answered 401: it does not accept the token";
    if (const auto said = provider_sentence(sale, reply); !said.empty())
        detail += fmt::format("; it said \"{}\"", said);
    return {.verdict = Verdict::unauthorised, .reason = reason_from(ReasonCode::provider_error, detail, reply)};
}

// A provider answers 404 both to an unknown product and at a wrong address. No single answer tells the two apart.
std::string refusal_in_words(const Reply& reply, const Parsed& parsed) {
    if (!reply.finds_nothing() || parsed.status) return "the provider refused the sale";
    constexpr std::string_view elsewhere =
        ", or no such address; if it answers every sale so, the path in provider.base_url is wrong";
    return fmt::format("the provider answered {}: it knows no such product{}", reply.status,
                       reply.address == Reply::Address::proven ? "" : elsewhere);
}

// Says which attempt an answer speaks of. The header of provider_words.hpp lists what the documented answers name.
enum class About {
    this_attempt,  // it names this one: by its idExterno, or by the idTransacao that is known to be its own
    unsaid,        // it names none
    unseen,        // it names an idTransacao only, and this attempt's was never seen: it may be anybody's
    another,       // it names another one
};

About about(const Attempt& attempt, const Parsed& parsed) {
    const bool same_request = parsed.id_externo == attempt.id_externo.text();
    const bool same_transaction = parsed.id_transacao == attempt.id_transacao;
    const bool seen = !attempt.id_transacao.empty();
    if (!parsed.id_externo.empty() && !same_request) return About::another;
    if (!parsed.id_transacao.empty() && seen && !same_transaction) return About::another;
    if (same_request || (seen && same_transaction)) return About::this_attempt;
    return parsed.id_transacao.empty() ? About::unsaid : About::unseen;
}

// Says why an answer to a confirm, a cancel or a consultar does not count, whatever its status. Returns an empty text
// if it may count.
std::string_view objection(const Sale& sale, const Attempt& attempt, const Parsed& parsed) {
    if (parsed.contradicts) return "two transactions that contradict each other";
    if (about(attempt, parsed) == About::another) return "of another transaction";
    if (parsed.valor && *parsed.valor != sale.valor.value) return "of another valor";
    return {};
}

// A 4xx is an explicit no, unless it is about the call or names a status that a no cannot have. NEGADA is one in a
// success as well.
bool refuses(const Reply& reply, const Parsed& parsed) {
    if (parsed.status == Status::NEGADA) return success(reply) || client_error(reply);
    return client_error(reply) && !about_the_call(reply.status) && !parsed.status;
}

Answer solicitar_answered(const Sale& sale, const Attempt& attempt, const Reply& reply) {
    auto parsed = parse(reply.body);
    if (parsed.contradicts) return senseless(reply, "two transactions that contradict each other");
    if (about(attempt, parsed) == About::another) return senseless(reply, "of another idExterno");
    if (refuses(reply, parsed))
        return {.verdict = Verdict::refused,
                .id_transacao = std::move(parsed.id_transacao),
                .reason = reason_from(ReasonCode::refused, refusal_in_words(reply, parsed), reply)};
    const bool says_nothing = !parsed.status;  // a call that was not processed has no status
    if (reply.status == 401 && says_nothing) return unauthorised(sale, reply);
    if (reply.status == 429 && says_nothing)
        return {.verdict = Verdict::throttled,
                .reason = reason_from(ReasonCode::provider_error, "the provider takes no more requests now", reply)};
    if (!success(reply)) return senseless(reply, "no word on the sale");
    if (!parsed.object)
        return senseless(reply, is_utf8(reply.body) ? "not the documented JSON" : "in an encoding that is not known");
    if (parsed.status != Status::AUTORIZADA) return senseless(reply, "no status that a request can have");
    if (const auto why = departure(sale, parsed); !why.empty()) return senseless(reply, why);
    return {.verdict = Verdict::authorised,
            .id_transacao = std::move(parsed.id_transacao),
            .details = std::move(parsed.details)};
}

// Returns what a final status says, and nothing if the status is not final. The caller has checked that the answer is
// believed. The function moves out of `parsed`.
std::optional<Answer> final_word(Parsed& parsed, const Reply& reply) {
    if (parsed.status == Status::EFETIVADA)
        return Answer{.verdict = Verdict::sold,
                      .id_transacao = std::move(parsed.id_transacao),
                      .details = std::move(parsed.details)};
    if (parsed.status == Status::CANCELADA)
        return Answer{.verdict = Verdict::cancelled,
                      .id_transacao = std::move(parsed.id_transacao),
                      .reason = reason_from(ReasonCode::provider_error, "the provider says CANCELADA", reply)};
    return std::nullopt;
}

constexpr std::string_view from_elsewhere = "nothing shows that the provider says so: is provider.base_url right?";

// Tells whether a 4xx may come from a server that knows nothing of any sale, because provider.base_url is wrong. It may
// if requests are answered in the same way there. An attempt that was authorised may still be open at the right
// address. For such an attempt the 4xx is doubted in two more cases: requests were once answered so, and nothing has
// proved the address since; or nothing has proved the address yet, and a page answers.
bool may_be_from_elsewhere(const Attempt& attempt, const Reply& reply) {
    if (!reply.may_be_of_another_server() || reply.address == Reply::Address::proven) return false;
    if (reply.address == Reply::Address::doubted) return true;
    const bool was_authorised = !attempt.id_transacao.empty();
    return was_authorised && (reply.address == Reply::Address::once_doubted || Reply::is_page(reply.body));
}

// Answers to confirm and cancel are read alike: a final status is believed in a 2xx and in a 4xx. NEGADA differs. A
// confirm that is answered NEGADA may itself have been denied, while a cancel that is answered NEGADA found nothing to
// cancel.
//
// Where the attempt's idTransacao was never seen, an idTransacao without an idExterno may belong to another sale.
// EFETIVADA is not believed then: a terminal must not be told that it sold what another one sold. CANCELADA is
// believed, because nothing can be sold by that mistake: without an idTransacao no confirm is ever sent, and one more
// cancel follows before the sale is settled.
Answer settling_answered(Step step, const Sale& sale, const Attempt& attempt, const Reply& reply) {
    if (!success(reply) && !client_error(reply)) return senseless(reply, "no word on the sale");
    auto parsed = parse(reply.body);
    if (const auto why = objection(sale, attempt, parsed); !why.empty()) return senseless(reply, why);
    if (parsed.status == Status::EFETIVADA && about(attempt, parsed) == About::unseen)
        return senseless(reply, "EFETIVADA of an idTransacao that is not known to be this sale's");
    if (auto word = final_word(parsed, reply)) return std::move(*word);
    if (parsed.status == Status::NEGADA && step == Step::cancelar)
        return judged_as(Verdict::no_such_sale, senseless(reply, "NEGADA"));
    if (parsed.status || success(reply)) return senseless(reply, "no final status");
    if (reply.status == 401) return unauthorised(sale, reply);
    const bool about_us = about_the_call(reply.status) || reply.status == 403;
    if (!about_us && may_be_from_elsewhere(attempt, reply))
        return judged_as(Verdict::declined, senseless(reply, from_elsewhere));
    auto answer =
        judged_as(about_us ? Verdict::declined : Verdict::no_such_sale, senseless(reply, "no word on the sale"));
    answer.without_status = !about_us;
    return answer;
}

// Reads the answer to a consultar. The provider may not know yet of a request that is still on its way, so only a final
// status in a success counts, and only where the answer names this very attempt.
Answer consultar_answered(const Sale& sale, const Attempt& attempt, const Reply& reply) {
    auto parsed = parse(reply.body);
    if (reply.status == 401 && !parsed.status) return unauthorised(sale, reply);
    if (!success(reply)) return senseless(reply, "no word on the sale");
    if (const auto why = objection(sale, attempt, parsed); !why.empty()) return senseless(reply, why);
    if (about(attempt, parsed) != About::this_attempt) return senseless(reply, "it does not say of which transaction");
    if (auto word = final_word(parsed, reply)) return std::move(*word);
    if (parsed.status == Status::NEGADA && is_by_callback(sale.family))
        return {.verdict = Verdict::refused,
                .id_transacao = std::move(parsed.id_transacao),
                .reason = reason_from(ReasonCode::refused, "the provider says NEGADA", reply)};
    return senseless(reply, parsed.status ? "no final status" : "no status");
}

}  // namespace

std::string_view to_string(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::authorised: return "authorised";
        case Verdict::refused: return "refused";
        case Verdict::unsent: return "unsent";
        case Verdict::unauthorised: return "unauthorised";
        case Verdict::throttled: return "throttled";
        case Verdict::sold: return "sold";
        case Verdict::cancelled: return "cancelled";
        case Verdict::no_such_sale: return "no_such_sale";
        case Verdict::declined: return "declined";
        case Verdict::unknown: return "unknown";
    }
    return "unknown";
}

Answer interpret(Step step, const Sale& sale, const Attempt& attempt, const Reply& reply) {
    switch (reply.kind) {
        case Reply::Kind::nothing_sent: return unsent(reply);
        case Reply::Kind::lost: return lost(reply);
        case Reply::Kind::answered: break;
    }
    switch (step) {
        case Step::solicitar: return solicitar_answered(sale, attempt, reply);
        case Step::confirmar:
        case Step::cancelar: return settling_answered(step, sale, attempt, reply);
        case Step::consultar: return consultar_answered(sale, attempt, reply);
    }
    CHECK(false);
}

std::optional<StatusSaid> status_said(const Attempt& attempt, const Reply& reply) {
    if (!success(reply)) return std::nullopt;
    auto parsed = parse(reply.body);
    if (parsed.contradicts || about(attempt, parsed) != About::this_attempt) return std::nullopt;
    if (!parsed.status || !parsed.valor) return std::nullopt;
    const bool by_transaction = parsed.id_transacao == attempt.id_transacao;
    return StatusSaid{.status = *parsed.status,
                      .valor = Cents{*parsed.valor},
                      .id_externo = std::move(parsed.id_externo),
                      .id_transacao = by_transaction ? attempt.id_transacao : std::string(),
                      .cnpj_cpf = std::move(parsed.details.cnpj_cpf)};
}

}  // namespace gateway
