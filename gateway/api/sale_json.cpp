#include "api/sale_json.hpp"

#include "api/openapi/shared.hpp"
#include "base/json_text.hpp"
#include "base/strict_json.hpp"
#include "base/wall_time.hpp"
#include "families/receipt.hpp"
#include "sale/provider_words.hpp"

#include <boost/json.hpp>

#include <array>

namespace gateway {
namespace {

namespace json = boost::json;

// About twice what a sale with its goods takes.
constexpr std::size_t usual_bytes = 2048;
// Of the goods as values: many times what any family's take. What needs more finds it on the heap.
constexpr std::size_t decoded_bytes = 4096;

void write_time(JsonWriter& writer, WallTime at) {
    writer.plain(Rfc3339(at).text());
}

// The provider's words as JSON where they are JSON, so that a program can read them.
void write_words(JsonWriter& writer, const Secret& body) {
    const auto value = parse_strict_json(body.reveal(), usual_json_depth, {}, LongNumbers::as_text, Zeros::replaced);
    if (value.has_error())
        writer.string_or_null(body.reveal());
    else
        writer.value(*value);
}

void write_reason(JsonWriter& writer, const std::optional<Reason>& reason) {
    if (!reason) return writer.null();
    writer.begin_object();
    writer.key("code").plain(to_string(reason->code));
    writer.key("detail").string(reason->detail);
    if (reason->code == ReasonCode::refused && reason->provider_status != 0) {
        writer.key("provider").begin_object();
        writer.key("status").number(reason->provider_status);
        write_words(writer.key("body"), reason->provider_body);
        writer.end_object();
    }
    writer.end_object();
}

// The same with the provider's words of a refusal only as far as they name no customer.
void write_cleared_reason(JsonWriter& writer, const Sale& sale) {
    if (!sale.reason) return writer.null();
    writer.begin_object();
    writer.key("code").plain(to_string(sale.reason->code));
    writer.key("detail").string(sale.reason->detail);
    if (const auto said = refusal_sentence(sale); !said.empty()) writer.key("said").string(said);
    writer.end_object();
}

void write_esim(JsonWriter& writer, const std::optional<EsimDetails>& esim) {
    if (!esim) return writer.null();
    writer.begin_object();
    writer.key("uuid").string_or_null(esim->uuid);
    writer.key("msisdn").string_or_null(esim->msisdn.reveal());
    writer.key("url").string_or_null(esim->url.reveal());
    writer.key("promocaoAtivada").string_or_null(esim->promocao_ativada);
    writer.key("situacaoRecarga").string_or_null(esim->situacao_recarga);
    writer.key("nsuRecarga").string_or_null(esim->nsu_recarga);
    writer.end_object();
}

void write_lines(JsonWriter& writer, const std::vector<std::string>& lines) {
    writer.begin_array();
    for (const auto& line : lines)
        writer.string(line);
    writer.end_array();
}

// What the sale is and what is known of it, all but the goods.
void write_facts(JsonWriter& writer, const Sale& sale, Outcome outcome, Audience audience) {
    const auto& current = sale.current();
    writer.key("id").plain(sale.id.text());
    writer.key("outcome").plain(to_string(outcome));
    writer.key("status").plain(to_string(sale.status));
    writer.key("final").boolean(is_final(sale.status));
    writer.key("settled").boolean(sale.settled);
    writer.key("attention").boolean(sale.attention != Attention::none);
    if (audience != Audience::terminals && sale.attention != Attention::none)
        writer.key("mark").plain(to_string(sale.attention));
    writer.key("family").plain(to_string(sale.family));
    writer.key("terminal").string(sale.terminal);
    if (!sale.cashier.empty()) writer.key("cashier").string(sale.cashier);
    writer.key("estabelecimento").string(sale.estabelecimento);
    writer.key("produto").string(sale.produto);
    writer.key("fornecedor")
        .string_or_null(sale.details.fornecedor.empty() ? sale.fornecedor : sale.details.fornecedor);
    writer.key("valor").number(sale.valor.value);
    writer.key("idExterno").plain(current.id_externo.text());
    writer.key("idTransacao").string_or_null(current.id_transacao);
    writer.key("dataHora").string_or_null(sale.details.data_hora);
    write_time(writer.key("createdAt"), sale.created_at);
    write_time(writer.key("updatedAt"), sale.updated_at);
    if (audience == Audience::console) return write_cleared_reason(writer.key("reason"), sale);
    write_reason(writer.key("reason"), sale.reason);
    writer.key("estabelecimentoNome").string_or_null(sale.details.estabelecimento_nome);
    writer.key("cnpjCpf").string_or_null(sale.details.cnpj_cpf);
    write_esim(writer.key("esim"), sale.esim);
}

void write_goods(JsonWriter& writer, const Sale& sale) {
    std::array<unsigned char, decoded_bytes> bytes;
    json::monotonic_resource memory(bytes.data(), bytes.size());
    const auto instrucao = decoded_goods(sale.details.instrucao, &memory);
    const auto complemento = decoded_goods(sale.details.complemento, &memory);
    writer.key("instrucao").value(instrucao);
    writer.key("complemento").value(complemento);
    write_lines(writer.key("receipt"), receipt_of(sale, instrucao, {}));
}

void write_sale(JsonWriter& writer, const Sale& sale, Outcome outcome, Audience audience) {
    write_facts(writer, sale, outcome, audience);
    if (audience == Audience::console) {
        writer.key("delivered").boolean(sale.status == Status::EFETIVADA);
        return;
    }
    if (sale.status == Status::EFETIVADA) return write_goods(writer, sale);
    for (const auto* name : {"instrucao", "complemento", "receipt"})
        writer.key(name).null();
}

void write_attempt(JsonWriter& writer, const Attempt& attempt) {
    writer.begin_object();
    writer.key("idExterno").plain(attempt.id_externo.text());
    writer.key("state").plain(to_string(attempt.state));
    writer.key("idTransacao").string_or_null(attempt.id_transacao);
    write_time(writer.key("at"), attempt.created_at);
    writer.end_object();
}

std::string sale_text(const Sale& sale, Outcome outcome, Audience audience) {
    std::string text;
    text.reserve(usual_bytes);
    JsonWriter writer(text);
    writer.begin_object();
    write_sale(writer, sale, outcome, audience);
    writer.end_object();
    return text;
}

}  // namespace

std::string sale_json(const Sale& sale, Audience audience) {
    return sale_text(sale, outcome_of(sale), audience);
}

std::string sale_json(const Sale& sale, Outcome outcome) {
    return sale_text(sale, outcome, Audience::terminals);
}

json::object existing_sale(const Sale& sale) {
    return {{"id", sale.id.str()},
            {"outcome", to_string(outcome_of(sale))},
            {"status", to_string(sale.status)},
            {"createdAt", std::string_view(Rfc3339(sale.created_at).text())}};
}

std::string sale_with_attempts_json(const Sale& sale, Audience audience) {
    std::string text;
    text.reserve(usual_bytes);
    JsonWriter writer(text);
    writer.begin_object();
    write_sale(writer, sale, outcome_of(sale), audience);
    writer.key("attempts").begin_array();
    for (const auto& attempt : sale.attempts)
        write_attempt(writer, attempt);
    writer.end_array();
    writer.end_object();
    return text;
}

namespace openapi {
namespace {

constexpr std::array family_words = [] {
    std::array<Word, family_count> all{};
    for (const auto family : all_families)
        all.at(index_of(family)).word = to_string(family);
    return all;
}();

constexpr Word status_words[] = {
    {"PENDENTE", "not known yet."},
    {"AUTORIZADA", "asked for and authorised, not confirmed; or not known whether it was."},
    {"EFETIVADA", "sold. Final: it never changes."},
    {"CANCELADA", "not sold. Final; `settled` says whether the provider is known to agree."},
    {"NEGADA", "not sold: the provider said no. Final."},
};

constexpr Word outcome_words[] = {
    {"sold", "hand over the product."},
    {"not_sold", "don't, it never will be."},
    {"held", "authorised, the terminal's confirm decides."},
    {"pending", "not known yet, ask again."},
};

constexpr Word reason_code_words[] = {
    {"response_lost", "no answer came, or the gateway could not keep the one that came."},
    {"provider_error", "an answer came that made no sense, or the provider would not go on."},
    {"never_sent", "the provider could not be reached."},
    {"refused", "the provider said no."},
    {"hold_expired", "the terminal held it and never decided."},
    {"terminal_cancelled", "the terminal asked for it."},
    {"operator", "a person decided."},
    {"statement", "the provider's statement of the day said so."},
};

constexpr Field reason_provider_fields[] = {
    {"status", http_status, "Its HTTP status.", "200"},
    {"body", anything, "Its body, size-limited: decoded where it is JSON, else its text.",
     R"({"transacao":{"status":"NEGADA"},"mensagem":"saldo insuficiente"})"},
};

constexpr Field reason_fields[] = {
    {"code", one_of(reason_code_words), "The one word for it.", "refused"},
    {"detail", text, "A sentence for a person; of `operator` the note that came with the decision.",
     "The provider refused the sale."},
    maybe({"provider", object(reason_provider_fields), "Of a refusal: the provider's answer."}),
};

constexpr Field esim_facts_fields[] = {
    {"uuid", or_null(text)},
    {"msisdn", or_null(text)},
    {"url", or_null(text)},
    {"promocaoAtivada", or_null(text)},
    {"situacaoRecarga", or_null(text)},
    {"nsuRecarga", or_null(text)},
};

constexpr Word attempt_state_words[] = {
    {"requesting", "the request was made, or is about to be; nothing is known of it yet."},
    {"held", "authorised; the terminal holds it, and confirms or cancels."},
    {"confirming",
     "the gateway has decided to confirm, and asks the provider until it answers or the confirm window closes."},
    {"collecting",
     "sold, and confirmed once more: the goods did not come with the answer, or the provider's statement has it "
     "unconfirmed."},
    {"disputing",
     "a confirm may have been sent and nobody said whether it took effect; only the provider can say, and it is "
     "asked."},
    {"retracting", "to be cancelled, never confirmed; the terminal still waits, and may get another attempt."},
    {"cancelling",
     "to be cancelled, and never to be confirmed from here on; the provider is asked to cancel until it answers."},
    {"lingering",
     "the cancel was answered, but the request may still reach the provider late: it is cancelled once more."},
    {"awaiting", "eSIM: asked for, and the provider's callback decides."},
    {"sold", "EFETIVADA."},
    {"cancelled", "CANCELADA, and the provider agrees."},
    {"refused", "NEGADA: the provider said no."},
    {"unsent", "nothing ever left the gateway."},
    {"unauthorised", "answered 401, so not processed."},
    {"throttled", "answered 429, so not processed."},
};

constexpr Field attempt_fields[] = {
    {"idExterno", a("IdExterno")},
    {"state", a("AttemptState"), "", "sold"},
    {"idTransacao", or_null(text), "The provider's name for it.", "7781200"},
    {"at", a("Time")},
};

constexpr Field sale_fields_fields[] = {
    {"id", a("SaleId")},
    {"outcome", a("Outcome")},
    {"status", a("Status"), "", "EFETIVADA"},
    {"final", boolean, "Whether the status can no longer change.", "true"},
    {"settled", boolean, "The provider is known to agree.", "true"},
    {"attention", boolean, "A person has to look; on the admin listener, `mark` says why.", "false"},
    for_operators(
        maybe({"mark", a("Mark"), "Why, in one word; absent where it needs nobody, and from the sale of a problem."})),
    {"family", a("Family")},
    {"terminal", text, "Which terminal sold it.", "caixa-01"},
    maybe({"cashier", text, "Who stood at the till, where the terminal said it; erased with the personal fields."}),
    {"estabelecimento", text, "For which establishment.", "12345678"},
    {"produto", text, "", "TV Mensal"},
    {"fornecedor", or_null(text), "The provider's word on the supplier, else the terminal's.", "null"},
    {"valor", cents, "Cents.", "1099"},
    {"idExterno", a("IdExterno")},
    {"idTransacao", or_null(text), "The provider's name for the latest attempt.", "7781200"},
    {"dataHora", or_null(text), "When the provider sold it, as it wrote it.", "2024-05-02T10:11:12.000-03:00"},
    {"createdAt", a("Time")},
    {"updatedAt", a("Time"), "", "2024-05-02T13:11:12.020Z"},
    {"reason", or_null(a("Reason")), "", "null"},
    {"estabelecimentoNome", or_null(text), "As the provider has it.", "Banca da Praça"},
    {"cnpjCpf", or_null(text), "The establishment's tax id, as the provider has it.", "12.345.678/0001-95"},
    {"instrucao", anything,
     "The goods: the provider's JSON-in-a-string decoded, or the plain string where it does not decode. Null until the "
     "sale is EFETIVADA.",
     R"({"recargaTV":{"nsuFornecedor":"998877"}})"},
    {"complemento", anything, "As `instrucao`.", "null"},
    {"esim", or_null(a("EsimFacts")), "", "null"},
    {"receipt", or_null(list_of(a("ReceiptLine"))),
     "Lines for a receipt printer of 40 columns. Null until the sale is EFETIVADA.",
     R"(["Banca da Praça","TV Mensal","R$ 10,99","NSU: 998877"])"},
};

constexpr Field sale_with_attempts_fields[] = {
    {"attempts", list_of(a("Attempt"), R"("minItems":1)")},
};

constexpr Word mark_words[] = {
    {"unsettled", "a cancel or a confirm has gone unanswered for too long; the gateway goes on asking."},
    {"no_callback", "an eSIM whose callback has not come."},
    {"no_cancel_path", "not sold, and this family's sales cannot be cancelled: the provider may keep it AUTORIZADA."},
    {"contradiction", "the provider said something else after the status was final."},
    {"undeliverable", "sold, and what the customer is to be given never came."},
    {"recharge_failed", "eSIM: sold, and the recharge after it failed."},
    {"unreadable", "a value of the sale in the journal could not be read: it was damaged or altered."},
    {"restored", "it was open in the copy that the journal was restored from: what followed was lost."},
};

constexpr Field existing_sale_fields[] = {
    {"id", a("SaleId")},
    {"outcome", a("Outcome")},
    {"status", a("Status"), "", "EFETIVADA"},
    {"createdAt", a("Time")},
};

constexpr Schema all_sale_schemas[] = {
    {.name = "SaleId",
     .description = "26 characters of Crockford's base 32; sorts by time.",
     .type = ulid_text,
     .example = "01JD3W4Q8Y7RZK5T9V2XB6M0NA"},
    {.name = "IdExterno",
     .description = "What the provider knows one attempt by.",
     .type = ulid_text,
     .example = "01JD3W4Q90C4D8E1F5G7H9J2KM"},
    {.name = "Time",
     .description = "UTC, in milliseconds.",
     .type = Type{R"("type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$")"},
     .example = "2024-05-02T13:11:11.480Z"},
    {.name = "Family", .description = "The product family.", .type = one_of(family_words)},
    {.name = "Status", .description = "How the sale stands, in the provider's words.", .type = one_of(status_words)},
    {.name = "Outcome", .description = "The one word a terminal lives by.", .type = one_of(outcome_words)},
    {.name = "Reason",
     .description = "Why a sale is not sold, or not sold the ordinary way.",
     .type = object(reason_fields)},
    {.name = "EsimFacts",
     .description = "What the callbacks of an eSIM sale told, or an operator.",
     .type = object(esim_facts_fields)},
    {.name = "AttemptState", .description = "Where an attempt stands.", .type = one_of(attempt_state_words)},
    {.name = "Attempt", .description = "One `idExterno` and what became of it.", .type = object(attempt_fields)},
    {.name = "ReceiptLine",
     .description = "A line for a receipt printer of 40 columns. East Asian characters and emoji take two of them, and "
                    "what only changes the character before it none. Wider than that is only an address, or an "
                    "activation code of an eSIM, which is a line to itself: cut in two it would be of no use, so print "
                    "it over several lines without joining other text to it, or as a QR code.",
     .type =
         Type{
             R"("type":"string","minLength":1,"anyOf":[{"maxLength":40},{"pattern":"^([hH][tT][tT][pP][sS]?://|[lL][pP][aA]:)[^ ]+$"},)"
             R"({"description":"With characters that take no column.","pattern":"[^ -\\u02FF]"}])"},
     .example = "Banca da Praça"},
    {.name = "SaleFields",
     .description = "What every answer about a sale says of it.",
     .type = object(sale_fields_fields),
     .rules = R"("allOf":[
        {"if":{"properties":{"status":{"const":"EFETIVADA"}}},
         "then":{"properties":{"outcome":{"const":"sold"},"receipt":{"type":"array","items":{"type":"string"}}}},
         "else":{"properties":{"instrucao":{"type":"null"},"complemento":{"type":"null"},"receipt":{"type":"null"}}}},
        {"if":{"properties":{"status":{"enum":["CANCELADA","NEGADA"]}}},
         "then":{"properties":{"outcome":{"const":"not_sold"}}}},
        {"if":{"properties":{"status":{"const":"AUTORIZADA"}}},
         "then":{"properties":{"outcome":{"enum":["held","pending"]}}}},
        {"if":{"properties":{"status":{"const":"PENDENTE"}}},
         "then":{"properties":{"outcome":{"const":"pending"}}}},
        {"if":{"properties":{"status":{"enum":["EFETIVADA","CANCELADA","NEGADA"]}}},
         "then":{"properties":{"final":{"const":true}}},
         "else":{"properties":{"final":{"const":false},"settled":{"const":false}}}}])",
     .is_extended = true},
    {.name = "Sale", .description = "A sale as every answer carries it.", .extends = "SaleFields"},
    {.name = "SaleWithAttempts",
     .description = "A sale with every attempt at it, oldest first.",
     .type = object(sale_with_attempts_fields),
     .extends = "SaleFields"},
    {.name = "ExistingSale",
     .description = "The sale that is there already: enough to ask for it, and none of its goods.",
     .type = object(existing_sale_fields)},
    {.name = "Mark", .description = "Why a sale needs a person.", .type = one_of(mark_words)},
};

}  // namespace

std::span<const Schema> sale_schemas() {
    return all_sale_schemas;
}

}  // namespace openapi

}  // namespace gateway
