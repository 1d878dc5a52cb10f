#include "sandbox/documents.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

// Returns the names in an object as sorted paths. A member whose text is an object counts as one as well.
std::string shape(const json::object& object) {
    std::vector<std::string> names;
    for (const auto& pair : object) {
        std::string name = pair.key();
        const auto* inner = pair.value().if_object();
        if (inner != nullptr) name += "{" + shape(*inner) + "}";
        if (const auto* text = pair.value().if_string(); text != nullptr && text->starts_with("{"))
            name += "{" + shape(parse_object(std::string(*text))) + "}";
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    std::string all;
    for (const auto& name : names)
        all += (all.empty() ? "" : " ") + name;
    return all;
}

TEST(Documents, AnswersHaveTheDocumentsShape) {
    const std::string venda = "venda{estabelecimento{cnpjCpf nome} ";
    const std::string with_id = venda + "idExterno produto{fornecedor{nome}} transacao{";
    const std::map<Family, std::string> shapes{
        {Family::tv, with_id + "dataHora idTransacao instrucao{recargaTV{mensagem_validade mensagens nsuFornecedor}} "
                               "status valor}}"},
        {Family::egift, with_id + "dataHora idTransacao status valor}}"},
        {Family::transit, with_id + "dataHora idTransacao instrucao{cartao mensagens nomeProduto nsuFornecedor "
                                    "tipoProduto valorFormatado} status valor}}"},
        {Family::health, with_id + "complemento{produtoIdParceiro} dataHora idTransacao instrucao{dataHora "
                                   "estabelecimentoId expired message nomeEstabelecimento nsu nsuParceiro pin produto "
                                   "situacaoAtual text valor} status valor}}"},
        {Family::esim, venda + "produto{fornecedor{nome}} transacao{dataHora idTransacao status valor}}"}};
    for (const auto& [family, expected] : shapes) {
        Caller caller;
        EXPECT_EQ(shape(parse_object(caller.ask(family, "A").body)), expected);
        if (family == Family::esim) continue;
        const std::string goods =
            "dataTransacao estabelecimento estabelecimentoId produto token transacaoId "
            "urlAtivacao valor";
        const auto confirmed = family == Family::egift ? " instrucao{" + goods + "}" : std::string();
        EXPECT_EQ(shape(parse_object(caller.confirm("A").body)), "transacao{idTransacao" + confirmed + " status}");
    }
    Caller caller;
    caller.ask(Family::tv, "A");
    EXPECT_EQ(shape(parse_object(caller.cancel("A").body)), "transacao{status}");
}

TEST(Documents, AnAnswerSaysWhatTheBooksSay) {
    Caller caller;
    const auto venda = sale_part(caller.ask(Family::tv, "A"));
    EXPECT_EQ(venda.at("produto").at("fornecedor").at("nome").as_string(), "Operadora Norte");
    EXPECT_EQ(venda.at("idExterno").as_string(), "A");
    const auto& transacao = venda.at("transacao").as_object();
    EXPECT_EQ(transacao.at("valor").as_int64(), 5000);
    EXPECT_EQ(transacao.at("dataHora").as_string(), "2024-05-02T10:00:00.000-03:00");
    EXPECT_EQ(std::string(transacao.at("idTransacao").as_string()), caller.entry("A").idTransacao);
}

TEST(Documents, GoodsAreHandedOverOnceSoldAndTheSameAgain) {
    Caller caller;
    const auto health = caller.ask(Family::health, "A").body;
    EXPECT_EQ(caller.entry("A").goods.size(), 10U);
    EXPECT_NE(health.find("\\\"pin\\\":\\\"" + caller.entry("A").goods), std::string::npos) << health;
    caller.ask(Family::egift, "B");
    const auto first = caller.confirm("B").body;
    EXPECT_NE(first.find("\\\"urlAtivacao\\\":\\\"" + caller.entry("B").goods), std::string::npos) << first;
    EXPECT_EQ(caller.confirm("B").body, first);
    caller.ask(Family::egift, "C");
    caller.cancel("C");
    EXPECT_EQ(caller.confirm("C").body.find("instrucao"), std::string::npos);
    EXPECT_EQ(caller.ask(Family::health, "D", 8).body.find("instrucao"), std::string::npos) << "NEGADA";
    caller.ask(Family::transit, "E");
    EXPECT_EQ(caller.entry("E").instrucao.find("1000000002"), std::string::npos) << "it is the customer's";
}

TEST(Documents, ACallbackHasTheDocumentsFields) {
    Caller caller;
    caller.ask(Family::esim, "A");
    const auto sent = caller.pass(10s);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(shape(parse_object(sent.at(0).body)), "msisdn promocaoAtivada situacaoTransacao url uuid");
    EXPECT_EQ(shape(parse_object(sent.at(1).body)),
              "msisdn nsuRecarga promocaoAtivada situacaoRecarga situacaoTransacao url uuid");
    auto body = caller.order(Family::esim, "B");
    body["servicoId"] = "304";
    body["valorRecarga"] = 0;
    ASSERT_EQ(caller.post("/venda/esim/solicitar", body).status, 200);
    const auto without = parse_object(caller.pass(10s).at(1).body);
    EXPECT_EQ(without.at("situacaoRecarga").as_string(), "SEM RECARGA");
    EXPECT_FALSE(without.contains("nsuRecarga"));
}

}  // namespace
}  // namespace gateway::sandbox
