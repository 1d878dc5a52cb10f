#include "sandbox/documents.hpp"

#include "sandbox/dates.hpp"
#include "sandbox/family.hpp"

#include <boost/json/serialize.hpp>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view store_tax_id = "00.000.000/0001-00";

std::string_view situacao_recarga(CallbackEvent::Recharge what, Cents recharge) {
    switch (what) {
        case CallbackEvent::Recharge::unsaid: return "";
        case CallbackEvent::Recharge::by_amount: return recharge > 0 ? "SUCESSO" : "SEM RECARGA";
        case CallbackEvent::Recharge::none: return "SEM RECARGA";
        case CallbackEvent::Recharge::failed: return "FALHA";
    }
    return "";
}

std::string_view uuid_of(const Transaction& sale, EsimUuid uuid) {
    switch (uuid) {
        case EsimUuid::own_number: return sale.nsu;
        case EsimUuid::id_transacao: return sale.idTransacao;
        case EsimUuid::id_externo: return sale.idExterno;
    }
    return "";
}

}  // namespace

void make_goods(Transaction& transaction, Random& random) {
    constexpr std::size_t nsu_digits = 12;
    transaction.nsu = random_digits(random, nsu_digits);
    if (const auto make = model_of(transaction.family).make_goods; make != nullptr) make(transaction, random);
}

json::object solicitar_answer(const Transaction& sale) {
    json::object transacao{{"valor", sale.valor}, {"status", to_string(sale.status)}};
    const auto& model = model_of(sale.family);
    const bool has_instrucao = !model.goods_with_confirm && !sale.instrucao.empty();
    const bool sells = sale.status == Status::autorizada || sale.status == Status::efetivada;
    if (has_instrucao && sells) transacao["instrucao"] = sale.instrucao;
    transacao["idTransacao"] = sale.idTransacao;
    transacao["dataHora"] = to_offset_time(sale.accepted);
    if (!sale.produtoIdParceiro.empty())
        transacao["complemento"] = json::serialize(json::object{{"produtoIdParceiro", sale.produtoIdParceiro}});
    json::object venda{{"estabelecimento", {{"cnpjCpf", store_tax_id}, {"nome", store_name}}},
                       {"produto", {{"fornecedor", {{"nome", sale.fornecedor}}}}},
                       {"transacao", std::move(transacao)}};
    if (!model.by_callback) venda["idExterno"] = sale.idExterno;
    return {{"venda", std::move(venda)}};
}

json::object confirmar_answer(const Transaction& sale) {
    json::object transacao{{"status", to_string(sale.status)}, {"idTransacao", sale.idTransacao}};
    if (model_of(sale.family).goods_with_confirm && sale.status == Status::efetivada)
        transacao["instrucao"] = sale.instrucao;
    return {{"transacao", std::move(transacao)}};
}

json::object cancelar_answer(const Transaction& sale) {
    return {{"transacao", {{"status", to_string(sale.status)}}}};
}

json::object status_answer(const Transaction& sale, StatusShape shape) {
    const auto status = to_string(sale.status);
    json::object transacao{{"status", status}, {"idTransacao", sale.idTransacao}, {"valor", sale.valor}};
    switch (shape) {
        case StatusShape::transacao: return {{"transacao", std::move(transacao)}};
        case StatusShape::venda:
            return {{"venda", {{"transacao", std::move(transacao)}, {"idExterno", sale.idExterno}}}};
        case StatusShape::top: transacao["idExterno"] = sale.idExterno; return transacao;
    }
    return {};
}

json::object status_answer(std::string_view status, StatusShape shape) {
    switch (shape) {
        case StatusShape::transacao: return {{"transacao", {{"status", status}}}};
        case StatusShape::venda: return {{"venda", {{"transacao", {{"status", status}}}}}};
        case StatusShape::top: return {{"status", status}};
    }
    return {};
}

std::string callback_body(const Transaction& sale, const CallbackEvent& event, Cents recharge, EsimUuid uuid,
                          Random& random) {
    constexpr std::size_t nsu_digits = 12;
    json::object body{{"uuid", uuid_of(sale, uuid)},
                      {"msisdn", "55119" + sale.nsu.substr(0, 8)},
                      {"url", "https://recibo.example/" + sale.nsu},
                      {"situacaoTransacao", to_string(event.status)},
                      {"promocaoAtivada", "NAO"}};
    const auto situacao = situacao_recarga(event.recharge, recharge);
    if (!situacao.empty()) body["situacaoRecarga"] = situacao;
    if (situacao == "SUCESSO") body["nsuRecarga"] = random_digits(random, nsu_digits);
    return json::serialize(body);
}

}  // namespace gateway::sandbox
