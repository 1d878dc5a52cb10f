#include "sandbox/documents.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

std::vector<std::string> names(const json::object& object) {
    std::vector<std::string> out;
    for (const auto& pair : object)
        out.emplace_back(pair.key());
    std::sort(out.begin(), out.end());
    return out;
}

using Names = std::vector<std::string>;

// Returns the document inside a string member.
json::object inner(const json::object& object, std::string_view name) {
    return parse_object(std::string(object.at(name).as_string()));
}

TEST(Documents, ASaleRequestsAnswerHasTheDocumentsShape) {
    Caller caller;
    const auto venda = sale_part(caller.ask(Family::tv, "A"));
    EXPECT_EQ(names(venda), (Names{"estabelecimento", "idExterno", "produto", "transacao"}));
    EXPECT_EQ(names(venda.at("estabelecimento").as_object()), (Names{"cnpjCpf", "nome"}));
    EXPECT_EQ(venda.at("produto").at("fornecedor").at("nome").as_string(), "Operadora Norte");
    EXPECT_EQ(venda.at("idExterno").as_string(), "A");
    const auto& transacao = venda.at("transacao").as_object();
    EXPECT_EQ(names(transacao), (Names{"dataHora", "idTransacao", "instrucao", "status", "valor"}));
    EXPECT_EQ(transacao.at("valor").as_int64(), 5000);
    EXPECT_EQ(transacao.at("dataHora").as_string(), "2024-05-02T10:00:00.000-03:00");
    EXPECT_EQ(std::string(transacao.at("idTransacao").as_string()), caller.entry("A").idTransacao);
}

TEST(Documents, EveryAnswerNamesASupplierAndAnEstablishment) {
    Caller caller;
    for (const auto family : families) {
        const auto venda = sale_part(caller.ask(family, std::string(to_string(family))));
        EXPECT_FALSE(venda.at("produto").at("fornecedor").at("nome").as_string().empty()) << to_string(family);
        EXPECT_FALSE(venda.at("estabelecimento").at("nome").as_string().empty()) << to_string(family);
        EXPECT_FALSE(venda.at("estabelecimento").at("cnpjCpf").as_string().empty()) << to_string(family);
    }
}

TEST(Documents, EachFamilysInstrucaoHasItsNames) {
    Caller caller;
    const auto instrucao = [&](Family family, const std::string& id) {
        return inner(sale_part(caller.ask(family, id)).at("transacao").as_object(), "instrucao");
    };
    EXPECT_EQ(names(instrucao(Family::tv, "A").at("recargaTV").as_object()),
              (Names{"mensagem_validade", "mensagens", "nsuFornecedor"}));
    EXPECT_EQ(names(instrucao(Family::transit, "B")),
              (Names{"cartao", "mensagens", "nomeProduto", "nsuFornecedor", "tipoProduto", "valorFormatado"}));
    EXPECT_EQ(names(instrucao(Family::health, "C")),
              (Names{"dataHora", "estabelecimentoId", "expired", "message", "nomeEstabelecimento", "nsu", "nsuParceiro",
                     "pin", "produto", "situacaoAtual", "text", "valor"}));
}

TEST(Documents, AHealthAnswerCarriesThePinAndTheComplemento) {
    Caller caller;
    const auto transacao = sale_part(caller.ask(Family::health, "A")).at("transacao").as_object();
    EXPECT_EQ(inner(transacao, "complemento"), (json::object{{"produtoIdParceiro", "7001"}}));
    EXPECT_EQ(std::string(inner(transacao, "instrucao").at("pin").as_string()), caller.entry("A").goods);
    EXPECT_EQ(caller.entry("A").goods.size(), 10U);
}

TEST(Documents, AnEGiftHandsOverItsAddressWithTheConfirmOnly) {
    Caller caller;
    EXPECT_FALSE(sale_part(caller.ask(Family::egift, "A")).at("transacao").as_object().contains("instrucao"));
    const auto first = parse_object(caller.confirm("A").body).at("transacao").as_object();
    EXPECT_EQ(names(first), (Names{"idTransacao", "instrucao", "status"}));
    const auto instrucao = inner(first, "instrucao");
    EXPECT_EQ(names(instrucao), (Names{"dataTransacao", "estabelecimento", "estabelecimentoId", "produto", "token",
                                       "transacaoId", "urlAtivacao", "valor"}));
    EXPECT_EQ(std::string(instrucao.at("urlAtivacao").as_string()), caller.entry("A").goods);
    EXPECT_EQ(parse_object(caller.confirm("A").body).at("transacao").as_object(), first)
        << "a repeated confirm hands over the same";
}

TEST(Documents, ACancelledEGiftHandsOverNothing) {
    Caller caller;
    caller.ask(Family::egift, "A");
    caller.cancel("A");
    EXPECT_FALSE(parse_object(caller.confirm("A").body).at("transacao").as_object().contains("instrucao"));
}

TEST(Documents, ARefusedHealthSaleHandsOverNothing) {
    Caller caller;
    const auto answer = caller.ask(Family::health, "A", 8);
    EXPECT_EQ(answered_status(answer), "NEGADA");
    EXPECT_FALSE(sale_part(answer).at("transacao").as_object().contains("instrucao"));
}

TEST(Documents, ConfirmAndCancelAnswersHaveTheDocumentsShape) {
    Caller caller;
    caller.ask(Family::tv, "A");
    const json::object cancelled{{"transacao", {{"status", "CANCELADA"}}}};
    EXPECT_EQ(parse_object(caller.cancel("A").body), cancelled);
    caller.ask(Family::tv, "B");
    const json::object sold{{"transacao", {{"status", "EFETIVADA"}, {"idTransacao", caller.entry("B").idTransacao}}}};
    EXPECT_EQ(parse_object(caller.confirm("B").body), sold);
}

TEST(Documents, AnEsimAnswerLacksIdExternoAndInstrucao) {
    Caller caller;
    const auto venda = sale_part(caller.ask(Family::esim, "A"));
    EXPECT_EQ(names(venda), (Names{"estabelecimento", "produto", "transacao"}));
    EXPECT_EQ(names(venda.at("transacao").as_object()), (Names{"dataHora", "idTransacao", "status", "valor"}));
}

TEST(Documents, ACallbackHasTheDocumentsFields) {
    Caller caller;
    caller.ask(Family::esim, "A");
    const auto sent = caller.pass(10s);
    ASSERT_EQ(sent.size(), 2U);
    const auto first = parse_object(sent.at(0).body);
    EXPECT_EQ(names(first), (Names{"msisdn", "promocaoAtivada", "situacaoTransacao", "url", "uuid"}));
    EXPECT_EQ(first.at("situacaoTransacao").as_string(), "EFETIVADA");
    EXPECT_EQ(std::string(first.at("uuid").as_string()), caller.entry("A").nsu);
    const auto second = parse_object(sent.at(1).body);
    EXPECT_EQ(second.at("situacaoRecarga").as_string(), "SUCESSO");
    EXPECT_TRUE(second.at("nsuRecarga").is_string());
}

TEST(Documents, WithoutARechargeTheSecondCallbackSaysSo) {
    Caller caller;
    auto body = caller.order(Family::esim, "A");
    body["servicoId"] = "304";
    body["valorRecarga"] = 0;
    ASSERT_EQ(caller.post("/venda/esim/solicitar", body).status, 200);
    const auto sent = caller.pass(10s);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(parse_object(sent.at(1).body).at("situacaoRecarga").as_string(), "SEM RECARGA");
    EXPECT_FALSE(parse_object(sent.at(1).body).contains("nsuRecarga"));
}

TEST(Documents, WhatASaleKeepsHasNothingOfItsCustomerInIt) {
    Caller caller;
    caller.ask(Family::transit, "A");
    EXPECT_EQ(caller.entry("A").instrucao.find("1000000002"), std::string::npos);
}

}  // namespace
}  // namespace gateway::sandbox
