#include "sandbox/documents.hpp"

#include "sandbox/dates.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

constexpr std::string_view store_name = "Loja Sandbox";
constexpr std::string_view store_tax_id = "00.000.000/0001-00";

std::string random_digits(Random& random, std::size_t count) {
    std::string digits;
    for (std::size_t i = 0; i < count; ++i)
        digits += static_cast<char>('0' + random.below(10));
    return digits;
}

std::string with_comma(Cents valor) {
    return fmt::format("{},{:02}", valor / 100, valor % 100);
}

json::object tv_instrucao(const Transaction& sale) {
    return {{"recargaTV",
             {{"nsuFornecedor", sale.nsu},
              {"mensagens", json::array{"RECARGA DE TV", "Ligue o decodificador e aguarde alguns minutos."}},
              {"mensagem_validade", "Valido por 30 dias."}}}};
}

json::object transit_instrucao(const Transaction& sale, Random& random) {
    return {{"tipoProduto", "TRANSPORTE"},
            {"nsuFornecedor", sale.nsu},
            {"valorFormatado", "R$ " + with_comma(sale.valor)},
            {"nomeProduto", sale.produto},
            {"mensagens", json::array{"Aproxime o cartao do validador para carregar o credito."}},
            // Not the card's number: what the sandbox keeps of a sale has nothing of its customer in it.
            {"cartao", "******" + random_digits(random, 4)}};
}

json::object health_instrucao(const Transaction& sale) {
    return {{"produto", sale.produto},
            {"expired", false},
            {"text", "Apresente este voucher na recepcao."},
            {"estabelecimentoId", sale.estabelecimento},
            {"nsuParceiro", sale.nsu},
            {"nomeEstabelecimento", store_name},
            {"valor", with_comma(sale.valor)},
            {"nsu", sale.nsu},
            {"dataHora", to_receipt_time(sale.accepted)},
            {"message", "Voucher emitido."},
            {"situacaoAtual", "ATIVO"},
            {"pin", sale.goods}};
}

json::object egift_instrucao(const Transaction& sale) {
    return {{"estabelecimento", store_name},
            {"produto", sale.produto},
            {"valor", sale.valor},
            {"token", sale.goods.substr(sale.goods.rfind('/') + 1)},
            {"estabelecimentoId", sale.estabelecimento},
            {"urlAtivacao", sale.goods},
            {"dataTransacao", to_receipt_time(sale.accepted)},
            {"transacaoId", sale.idTransacao}};
}

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
    constexpr std::size_t pin_digits = 10;
    transaction.nsu = random_digits(random, nsu_digits);
    switch (transaction.family) {
        case Family::tv: transaction.instrucao = json::serialize(tv_instrucao(transaction)); break;
        case Family::transit: transaction.instrucao = json::serialize(transit_instrucao(transaction, random)); break;
        case Family::health:
            transaction.goods = random_digits(random, pin_digits);
            transaction.instrucao = json::serialize(health_instrucao(transaction));
            break;
        case Family::egift:
            transaction.goods = "https://resgate.example/ativar/" + random_digits(random, 2 * pin_digits);
            transaction.instrucao = json::serialize(egift_instrucao(transaction));
            break;
        case Family::esim: break;
    }
}

json::object solicitar_answer(const Transaction& sale) {
    json::object transacao{{"valor", sale.valor}, {"status", to_string(sale.status)}};
    const bool has_instrucao = sale.family != Family::egift && !sale.instrucao.empty();
    const bool sells = sale.status == Status::autorizada || sale.status == Status::efetivada;
    if (has_instrucao && sells) transacao["instrucao"] = sale.instrucao;
    transacao["idTransacao"] = sale.idTransacao;
    transacao["dataHora"] = to_offset_time(sale.accepted);
    if (sale.family == Family::health)
        transacao["complemento"] = json::serialize(json::object{{"produtoIdParceiro", sale.produtoIdParceiro}});
    json::object venda{{"estabelecimento", {{"cnpjCpf", store_tax_id}, {"nome", store_name}}},
                       {"produto", {{"fornecedor", {{"nome", sale.fornecedor}}}}},
                       {"transacao", std::move(transacao)}};
    if (sale.family != Family::esim) venda["idExterno"] = sale.idExterno;
    return {{"venda", std::move(venda)}};
}

json::object confirmar_answer(const Transaction& sale) {
    json::object transacao{{"status", to_string(sale.status)}, {"idTransacao", sale.idTransacao}};
    if (sale.family == Family::egift && sale.status == Status::efetivada) transacao["instrucao"] = sale.instrucao;
    return {{"transacao", std::move(transacao)}};
}

json::object cancelar_answer(const Transaction& sale) {
    return {{"transacao", {{"status", to_string(sale.status)}}}};
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
