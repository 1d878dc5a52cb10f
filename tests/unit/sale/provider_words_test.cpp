#include "sale/provider_words.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

std::string sentence(std::string_view body, const std::vector<std::string>& personal = {}) {
    return provider_sentence(body, personal);
}

TEST(ProviderSentence, IsTheMemberThatServicesSayItIn) {
    EXPECT_EQ(sentence(R"({"erro":"saldo","mensagem":"Saldo insuficiente."})"), "Saldo insuficiente.");
    EXPECT_EQ(sentence(R"({"error":"invalid_request","error_description":"Credentials not available"})"),
              "Credentials not available");
    EXPECT_EQ(sentence(R"({"venda":{"transacao":{"status":"NEGADA","mensagem":"Loja bloqueada"}}})"), "Loja bloqueada");
    EXPECT_EQ(sentence(R"({"erros":[{"mensagens":["Um","Dois"]}]})"), "Um");
    EXPECT_EQ(sentence(R"({"erro":"produto_desconhecido"})"), "produto_desconhecido");
    EXPECT_EQ(sentence(R"({"mensagem":"","message":null,"detail":"D"})"), "D");
}

TEST(ProviderSentence, MayBeTheBodyItself) {
    EXPECT_EQ(sentence("Produto desconhecido\r\n"), "Produto desconhecido");
    EXPECT_EQ(sentence(R"("Produto desconhecido")"), "Produto desconhecido");
}

TEST(ProviderSentence, IsNoneWhereThereIsNoSentence) {
    for (const auto* body : {"", " \n", "{}", "[]", "null", "42", R"({"status":"NEGADA"})", "<html><p>Erro</p></html>",
                             R"({"mensagem":42})", R"({"mensagem":"Sald)", "\xFFrro"})
        EXPECT_EQ(sentence(body), "") << body;
    EXPECT_EQ(sentence(std::string(201, 'x')), "") << "a page";
}

TEST(ProviderSentence, IsOneLineWithoutControlCharacters) {
    EXPECT_EQ(sentence("{\"mensagem\":\" Um\\n\\tdois\\u0000 \\u009b  tres\\u001b[31m \"}"), "Um dois tres [31m");
}

TEST(ProviderSentence, IsCutBetweenCharacters) {
    const auto cut = sentence(R"({"mensagem":")" + std::string(199, 'a') + R"(éíó"})");
    EXPECT_EQ(cut, std::string(199, 'a') + "é…");
    EXPECT_EQ(sentence(std::string(199, 'a') + "é"), std::string(199, 'a') + "é") << "which fits";
}

TEST(ProviderSentence, QuotesNobody) {
    const std::vector<std::string> personal{"529.982.247-25", "Zuleica Quaresma", "12345"};
    EXPECT_EQ(sentence("CPF 529.982.247-25 de ZULEICA invalido", personal), "CPF … de … invalido");
    EXPECT_EQ(sentence("cpf=52998224725, nome=zuleica quaresma.", {"Zuleica Quaresma"}), "… nome=… ….");
    EXPECT_EQ(sentence("Cartao 12345 bloqueado", personal), "Cartao … bloqueado");
    EXPECT_EQ(sentence("ligue (11) 98765-4321 ou escreva a z@a.example"), "ligue (11) … ou escreva a …");
    EXPECT_EQ(sentence("Cartao 1000 0000 03 bloqueado"), "Cartao … bloqueado");
}

TEST(ProviderSentence, HandsOutNoGoods) {
    EXPECT_EQ(sentence("Ative em https://a.example/k agora"), "Ative em … agora");
    EXPECT_EQ(sentence("Instale LPA:1$a.example$B agora"), "Instale … agora");
    EXPECT_EQ(sentence("Seu codigo: ABCD-12EF-34GH"), "Seu codigo: …");
    EXPECT_EQ(sentence(R"({"transacao":{"instrucao":{"mensagem":"PIN 1"},"complemento":{"mensagem":"2"}}})"), "");
    EXPECT_EQ(sentence(R"({"mensagem":"{\"pin\":\"4821\"}"})"), "");
}

TEST(ProviderSentence, KeepsAmountsAndErrorCodes) {
    EXPECT_EQ(sentence("Erro 4021: valor entre R$ 10,00 e R$ 5.000,00 (em 30 dias)"),
              "Erro 4021: valor entre R$ 10,00 e R$ 5.000,00 (em 30 dias)");
}

TEST(RefusalSentence, IsOfARefusedSaleAndWithoutItsCustomer) {
    Sale sale{.id = SaleId(Ulid::first_at({}))};
    sale.request =
        Secret(R"({"valor":"2990","consumidor":{"nome":"Zuleica","telefone":12345},"endereco":{"uf":"SP"}})");
    EXPECT_EQ(refusal_sentence(sale), "");
    sale.reason = Reason{.code = ReasonCode::refused};
    sale.reason->provider_body = Secret(R"({"mensagem":"Zuleica, 12345: valor 2990 recusado em SP"})");
    EXPECT_EQ(refusal_sentence(sale), "…, …: valor 2990 recusado em SP");
    sale.reason->code = ReasonCode::provider_error;
    EXPECT_EQ(refusal_sentence(sale), "");
    sale.reason->code = ReasonCode::refused;
    sale.request = Secret();
    EXPECT_NE(refusal_sentence(sale), "") << "of a sale whose customer was erased";
}

}  // namespace
}  // namespace gateway::test
