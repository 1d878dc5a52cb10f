#include "api/sale_json.hpp"

#include "api/openapi/shared.hpp"
#include "api/openapi/written.hpp"
#include "base/strict_json.hpp"
#include "families/receipt.hpp"
#include "sale/provider_words.hpp"

#include <boost/json.hpp>

#include <array>

namespace gateway {

namespace openapi {
namespace {

namespace json = boost::json;

// A sale with its goods takes about half of this.
constexpr std::size_t usual_bytes = 2048;
// The goods take far less than this as values, in every family. What needs more finds it on the heap.
constexpr std::size_t decoded_bytes = 4096;

// Holds a sale as a caller is told of it. Goods and receipt are null until it is EFETIVADA.
struct ToldSale {
    const Sale& sale;
    Outcome outcome;
    json::value instrucao;
    json::value complemento;
    std::optional<std::vector<std::string>> receipt;
};

template <auto Member>
constexpr auto of_sale = [](const ToldSale& told) -> const auto& {
    return told.sale.*Member;
};

// Returns the provider's words as JSON where they are JSON, so that a program can read them.
json::value words_of(const Secret& body) {
    auto value = parse_strict_json(body.reveal(), usual_json_depth, {}, LongNumbers::as_text, Zeros::replaced);
    if (value.has_value()) return std::move(*value);
    return body.empty() ? json::value(nullptr) : json::value(body.reveal());
}

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

constexpr Written<Reason> reason_provider_members[] = {
    {{"status", http_status, "Its HTTP status.", "200"}, its<&Reason::provider_status>},
    {{"body", anything, "Its body, size-limited: decoded where it is JSON, else its text.",
      R"({"transacao":{"status":"NEGADA"},"mensagem":"saldo insuficiente"})"},
     [](const Reason& reason) { return words_of(reason.provider_body); }},
};

constexpr Written<Reason> reason_members[] = {
    {{"code", one_of(reason_code_words), "The one word for it.", "refused"}, its<&Reason::code>},
    {{"detail", text, "A sentence for a person; of `operator` the note that came with the decision.",
      "The provider refused the sale."},
     its<&Reason::detail>},
    {maybe({"provider", object_of<reason_provider_members>, "The provider's answer, where it refused the sale."}),
     [](const Reason& reason) {
         const bool is_answered = reason.code == ReasonCode::refused && reason.provider_status != 0;
         return part(reason_provider_members, is_answered ? &reason : nullptr);
     }},
};

// Gives the console the reason, with the provider's words only as far as they name no customer.
constexpr Written<Sale> cleared_reason_members[] = {
    {{"code", one_of(reason_code_words)}, [](const Sale& sale) { return sale.reason->code; }},
    {{"detail", text}, [](const Sale& sale) -> const std::string& { return sale.reason->detail; }},
    {maybe({"said", text}), [](const Sale& sale) { return refusal_sentence(sale); }},
};

constexpr Written<EsimDetails> esim_members[] = {
    {{"uuid", or_null(text)}, its<&EsimDetails::uuid>},
    {{"msisdn", or_null(text)}, [](const EsimDetails& esim) -> const std::string& { return esim.msisdn.reveal(); }},
    {{"url", or_null(text)}, [](const EsimDetails& esim) -> const std::string& { return esim.url.reveal(); }},
    {{"promocaoAtivada", or_null(text)}, its<&EsimDetails::promocao_ativada>},
    {{"situacaoRecarga", or_null(text)}, its<&EsimDetails::situacao_recarga>},
    {{"nsuRecarga", or_null(text)}, its<&EsimDetails::nsu_recarga>},
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

constexpr Written<Attempt> attempt_members[] = {
    {{"idExterno", a("IdExterno")}, its<&Attempt::id_externo>},
    {{"state", a("AttemptState"), "", "sold"}, its<&Attempt::state>},
    {{"idTransacao", or_null(text), "The provider's name for it.", "7781200"}, its<&Attempt::id_transacao>},
    {{"at", a("Time")}, its<&Attempt::created_at>},
};

constexpr Written<ToldSale> sale_members[] = {
    {{"id", a("SaleId")}, of_sale<&Sale::id>},
    {{"outcome", a("Outcome")}, its<&ToldSale::outcome>},
    {{"status", a("Status"), "", "EFETIVADA"}, of_sale<&Sale::status>},
    {{"final", boolean, "Whether the status can no longer change.", "true"},
     [](const ToldSale& told) { return is_final(told.sale.status); }},
    {{"settled", boolean, "The provider is known to agree.", "true"}, of_sale<&Sale::settled>},
    {{"attention", boolean, "A person has to look; on the admin listener, `mark` says why.", "false"},
     [](const ToldSale& told) { return told.sale.attention != Attention::none; }},
    {for_operators(
         maybe({"mark", a("Mark"), "Why, in one word; absent where it needs nobody, and from the sale of a problem."})),
     [](const ToldSale& told) {
         const auto mark = told.sale.attention;
         return mark == Attention::none ? std::string_view() : to_string(mark);
     }},
    {{"family", a("Family")}, of_sale<&Sale::family>},
    {{"terminal", text, "Which terminal sold it.", "caixa-01"}, of_sale<&Sale::terminal>},
    {maybe({"cashier", text, "Who stood at the till, where the terminal said it; erased with the personal fields."}),
     of_sale<&Sale::cashier>},
    {{"estabelecimento", text, "The establishment that the sale belongs to.", "12345678"},
     of_sale<&Sale::estabelecimento>},
    {{"produto", text, "", "TV Mensal"}, of_sale<&Sale::produto>},
    {{"fornecedor", or_null(text), "The provider's word on the supplier, else the terminal's.", "null"},
     [](const ToldSale& told) -> const std::string& {
         const auto& theirs = told.sale.details.fornecedor;
         return theirs.empty() ? told.sale.fornecedor : theirs;
     }},
    {{"valor", cents, "Cents.", "1099"}, of_sale<&Sale::valor>},
    {{"idExterno", a("IdExterno")}, [](const ToldSale& told) { return told.sale.current().id_externo; }},
    {{"idTransacao", or_null(text), "The provider's name for the latest attempt.", "7781200"},
     [](const ToldSale& told) -> const std::string& { return told.sale.current().id_transacao; }},
    {{"dataHora", or_null(text), "When the provider sold it, as it wrote it.", "2024-05-02T10:11:12.000-03:00"},
     [](const ToldSale& told) -> const std::string& { return told.sale.details.data_hora; }},
    {{"createdAt", a("Time")}, of_sale<&Sale::created_at>},
    {{"updatedAt", a("Time"), "", "2024-05-02T13:11:12.020Z"}, of_sale<&Sale::updated_at>},
    {not_in_console({"reason", or_null(a("Reason")), "", "null"}),
     [](const ToldSale& told) { return part(reason_members, told.sale.reason); }},
    {in_console({"reason", or_null(object_of<cleared_reason_members>)}),
     [](const ToldSale& told) { return part(cleared_reason_members, told.sale.reason ? &told.sale : nullptr); }},
    {not_in_console({"estabelecimentoNome", or_null(text), "The name of the establishment, as the provider has it.",
                     "Banca da Praça"}),
     [](const ToldSale& told) -> const std::string& { return told.sale.details.estabelecimento_nome; }},
    {not_in_console(
         {"cnpjCpf", or_null(text), "The establishment's tax id, as the provider has it.", "12.345.678/0001-95"}),
     [](const ToldSale& told) -> const std::string& { return told.sale.details.cnpj_cpf; }},
    {not_in_console({"esim", or_null(a("EsimFacts")), "", "null"}),
     [](const ToldSale& told) { return part(esim_members, told.sale.esim); }},
    {not_in_console({"instrucao", anything,
                     "The goods: the provider's JSON-in-a-string decoded, or the plain string where it does not "
                     "decode. Null until the sale is EFETIVADA.",
                     R"({"recargaTV":{"nsuFornecedor":"998877"}})"}),
     its<&ToldSale::instrucao>},
    {not_in_console({"complemento", anything,
                     "The field of that name in the provider's answer, decoded as `instrucao` is.", "null"}),
     its<&ToldSale::complemento>},
    {not_in_console({"receipt", or_null(list_of(a("ReceiptLine"))),
                     "Lines for a receipt printer of 40 columns. Null until the sale is EFETIVADA.",
                     R"(["Banca da Praça","TV Mensal","R$ 10,99","NSU: 998877"])"}),
     its<&ToldSale::receipt>},
    {in_console({"delivered", boolean}), [](const ToldSale& told) { return told.sale.status == Status::EFETIVADA; }},
};

constexpr Written<Sale> sale_with_attempts_members[] = {
    {{"attempts", list_of(a("Attempt"), R"("minItems":1)")},
     [](const Sale& sale) { return parts(attempt_members, sale.attempts); }},
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

constexpr Written<Sale> existing_sale_members[] = {
    {{"id", a("SaleId")}, its<&Sale::id>},
    {{"outcome", a("Outcome")}, [](const Sale& sale) { return outcome_of(sale); }},
    {{"status", a("Status"), "", "EFETIVADA"}, its<&Sale::status>},
    {{"createdAt", a("Time")}, its<&Sale::created_at>},
};

enum class With { no_attempts, attempts };
std::string text_of(const Sale& sale, Outcome outcome, Audience audience, With more) {
    std::array<unsigned char, decoded_bytes> bytes;
    json::monotonic_resource memory(bytes.data(), bytes.size());
    const bool tells_goods = sale.status == Status::EFETIVADA && audience != Audience::console;
    const auto goods = [&](const Secret& kept) {
        return tells_goods ? decoded_goods(kept, &memory) : json::value(nullptr);
    };
    ToldSale told{sale, outcome, goods(sale.details.instrucao), goods(sale.details.complemento), {}};
    if (tells_goods) told.receipt = receipt_of(sale, told.instrucao, {});
    std::string text;
    text.reserve(usual_bytes);
    JsonWriter writer(text);
    writer.begin_object();
    write_members(writer, Table<ToldSale>(sale_members), told, ListenerSet(audience));
    if (more == With::attempts)
        write_members(writer, Table<Sale>(sale_with_attempts_members), sale, ListenerSet(audience));
    writer.end_object();
    return text;
}

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
     .type = object_of<reason_members>},
    {.name = "EsimFacts",
     .description = "What the callbacks of an eSIM sale told, or an operator.",
     .type = object_of<esim_members>},
    {.name = "AttemptState", .description = "Where an attempt stands.", .type = one_of(attempt_state_words)},
    {.name = "Attempt", .description = "One `idExterno` and what became of it.", .type = object_of<attempt_members>},
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
     .type = object_of<sale_members>,
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
     .type = object_of<sale_with_attempts_members>,
     .extends = "SaleFields"},
    {.name = "ExistingSale",
     .description = "The sale that is there already: enough to ask for it, and none of its goods.",
     .type = object_of<existing_sale_members>},
    {.name = "Mark", .description = "Why a sale needs a person.", .type = one_of(mark_words)},
};

}  // namespace

std::span<const Schema> sale_schemas() {
    return all_sale_schemas;
}

}  // namespace openapi

std::string sale_json(const Sale& sale, Audience audience) {
    return openapi::text_of(sale, outcome_of(sale), audience, openapi::With::no_attempts);
}

std::string sale_json(const Sale& sale, Outcome outcome) {
    return openapi::text_of(sale, outcome, Audience::terminals, openapi::With::no_attempts);
}

std::string sale_with_attempts_json(const Sale& sale, Audience audience) {
    return openapi::text_of(sale, outcome_of(sale), audience, openapi::With::attempts);
}

boost::json::object existing_sale(const Sale& sale) {
    return openapi::object_from(openapi::existing_sale_members, sale);
}

}  // namespace gateway
