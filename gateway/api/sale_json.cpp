#include "api/sale_json.hpp"

#include "base/wall_time.hpp"
#include "provider/receipt.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

namespace json = boost::json;

json::value text_or_null(std::string_view text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

// The provider's words as JSON where they are JSON, so that a program can read them.
json::value words(const Secret& body) {
    boost::system::error_code ec;
    auto value = json::parse(body.reveal(), ec);
    return ec ? text_or_null(body.reveal()) : value;
}

json::value reason_json(const std::optional<Reason>& reason) {
    if (!reason) return nullptr;
    json::object object{{"code", word(reason->code)}, {"detail", reason->detail}};
    if (reason->code == ReasonCode::refused && reason->provider_status != 0)
        object["provider"] = json::object{{"status", reason->provider_status}, {"body", words(reason->provider_body)}};
    return object;
}

json::value esim_json(const std::optional<EsimFacts>& esim) {
    if (!esim) return nullptr;
    return json::object{{"uuid", text_or_null(esim->uuid)},
                        {"msisdn", text_or_null(esim->msisdn.reveal())},
                        {"url", text_or_null(esim->url.reveal())},
                        {"promocaoAtivada", text_or_null(esim->promocao_ativada)},
                        {"situacaoRecarga", text_or_null(esim->situacao_recarga)},
                        {"nsuRecarga", text_or_null(esim->nsu_recarga)}};
}

json::value receipt_json(const Sale& sale) {
    json::array lines;
    for (auto& line : receipt_of(sale))
        lines.emplace_back(line);
    return lines;
}

}  // namespace

json::object sale_json(const Sale& sale) {
    const auto& current = sale.current();
    const bool sold = sale.status == Status::EFETIVADA;
    const auto& fornecedor = sale.facts.fornecedor.empty() ? sale.fornecedor : sale.facts.fornecedor;
    json::object object;
    object.reserve(26);
    object["id"] = sale.id.text();
    object["outcome"] = word(outcome_of(sale));
    object["status"] = word(sale.status);
    object["final"] = is_final(sale.status);
    object["settled"] = sale.settled;
    object["attention"] = sale.attention != Attention::none;
    object["family"] = word(sale.family);
    object["terminal"] = sale.terminal;
    object["estabelecimento"] = sale.estabelecimento;
    object["produto"] = sale.produto;
    object["fornecedor"] = text_or_null(fornecedor);
    object["valor"] = sale.valor.value;
    object["idExterno"] = current.id_externo.text();
    object["idTransacao"] = text_or_null(current.id_transacao);
    object["dataHora"] = text_or_null(sale.facts.data_hora);
    object["createdAt"] = to_rfc3339(sale.created_at);
    object["updatedAt"] = to_rfc3339(sale.updated_at);
    object["reason"] = reason_json(sale.reason);
    object["estabelecimentoNome"] = text_or_null(sale.facts.estabelecimento_nome);
    object["cnpjCpf"] = text_or_null(sale.facts.cnpj_cpf);
    object["instrucao"] = sold ? decoded_goods(sale.facts.instrucao) : json::value(nullptr);
    object["complemento"] = sold ? decoded_goods(sale.facts.complemento) : json::value(nullptr);
    object["esim"] = esim_json(sale.esim);
    object["receipt"] = sold ? receipt_json(sale) : json::value(nullptr);
    return object;
}

json::object sale_with_attempts_json(const Sale& sale) {
    auto object = sale_json(sale);
    json::array attempts;
    for (const auto& attempt : sale.attempts)
        attempts.push_back(json::object{{"idExterno", attempt.id_externo.text()},
                                        {"state", word(attempt.state)},
                                        {"idTransacao", text_or_null(attempt.id_transacao)},
                                        {"at", to_rfc3339(attempt.created_at)}});
    object["attempts"] = std::move(attempts);
    return object;
}

}  // namespace gateway
