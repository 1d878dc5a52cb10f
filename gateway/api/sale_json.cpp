#include "api/sale_json.hpp"

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

}  // namespace gateway
