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
    EXPECT_EQ(sentence(R"({"mensagens":[],"mensagem":123456789012345678901234567890,"erro":"E"})"), "E");
}

TEST(ProviderSentence, IsTheFirstOneThatStandsOutsideOfTheOthers) {
    EXPECT_EQ(sentence(R"({"a":{"mensagem":"dentro"},"mensagem":"fora"})"), "fora");
    EXPECT_EQ(sentence(R"({"mensagem":"","a":{"b":{"c":{"d":{"e":{"mensagem":"dentro"}}}}}})"), "dentro");
    EXPECT_EQ(sentence(R"({"a":{"mensagem":"um"},"b":{"mensagem":"dois"}})"), "um");
    EXPECT_EQ(sentence(R"([{"mensagem":"um"},{"mensagem":"dois"}])"), "um");
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
    EXPECT_EQ(sentence("{\"mensagem\":\" Um\\n\\tdois\\u0000 \\u009b  tres\\u001b[31m \"}"), "Um dois� tres[31m");
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
    EXPECT_EQ(sentence("ligue (11) 98765-4321 ou escreva a z@a.example"), "ligue (… ou escreva …");
    EXPECT_EQ(sentence("Cartao 1000 0000 03 bloqueado"), "Cartao … bloqueado");
}

// The owner of the hidden value may be named before it or after it, in any words.
TEST(ProviderSentence, NamesNoOwnerOfWhatIsHidden) {
    for (const auto* value :
         {"529.982.247-25", "52998224725", "529 982 247 25", "529.***.***-25", "xxx.982.247-xx", "(11) 98765-4321",
          "4111 1111 1111 1111", "411111******1111", "maria@x.example", "maria%40x.example",
          "５２９.９８２.２４７-２５", "ABCD-12EF-34GH", "https://a.example/k"})
        for (const auto* name : {"Maria da Silva", "MARIA DA SILVA", "maria  silva", "M. Silva", "María Dias",
                                 "Silva, Maria", "Ｍａｒｉａ Silva", "Ma\u200bria Silva", "Mari\u0301a Silva"})
            for (const auto* body :
                 {"CPF VALUE de NAME nao autorizado", "NAME, CPF VALUE: não autorizado", "Nao autorizado: NAME (VALUE)",
                  R"({"erro":{"message":"NAME is not the holder of VALUE"}})"}) {
                std::string text(body);
                text.replace(text.find("VALUE"), 5, value);
                text.replace(text.find("NAME"), 4, name);
                const auto said = sentence(text);
                for (const auto* part : {"aria", "ARIA", "aría", "ilva", "ILVA", "ias"})
                    EXPECT_EQ(said.find(part), std::string::npos) << text << " is shown as " << said;
            }
    EXPECT_EQ(sentence("CPF 529.982.247-25 de Maria da Silva nao autorizado"), "CPF … de … da … nao autorizado");
    EXPECT_EQ(sentence("Maria da Silva, CPF 529.982.247-25: não autorizado (51)"), "… da …, CPF … não autorizado (51)");
}

// Each of these would be shown, or hidden, if one limit or one sign of a rule were another.
TEST(ProviderSentence, HidesExactlyWhatMayBeSomebodys) {
    struct Case {
        std::string said;
        std::string shown;
        std::vector<std::string> personal = {};
    };
    const std::vector<Case> cases{
        // Addresses
        {"Aguarde a://b hoje", "Aguarde … hoje"},
        {"Aguarde WWW.GIFT hoje", "Aguarde … hoje"},
        {"Aguarde a@b hoje", "Aguarde … hoje"},
        {"Aguarde Lpa:1 hoje", "Aguarde … hoje"},
        {"Aguarde gift.zz hoje", "Aguarde … hoje"},
        {"Aguarde 4.zz hoje", "Aguarde … hoje"},
        {"Aguarde Gift.Xy/a hoje", "Aguarde … hoje"},
        {"Aguarde Gift.Xy hoje", "Aguarde Gift.Xy hoje"},
        {"Aguarde gift.z hoje", "Aguarde gift.z hoje"},
        {"Aguarde gift.zZ hoje", "Aguarde gift.zZ hoje"},
        {"Aguarde gift .zz hoje", "Aguarde gift .zz hoje"},
        {"Aguarde gift/a.B hoje", "Aguarde gift/a.B hoje"},
        {"Aguarde 5.0/a hoje", "Aguarde 5.0/a hoje"},
        // Other encodings
        {"Aguarde %0a hoje", "Aguarde … hoje"},
        {"Aguarde %A0 hoje", "Aguarde … hoje"},
        {"Aguarde %zz %a hoje", "Aguarde %zz %a hoje"},
        {"Aguarde &a; hoje", "Aguarde … hoje"},
        {"Aguarde &ab ;ab& ab; hoje", "Aguarde &ab ;ab& ab; hoje"},
        // Codes
        {"Aguarde abcdefg1 hoje", "Aguarde … hoje"},
        {"Aguarde abcdef1 hoje", "Aguarde abcdef1 hoje"},
        {"Aguarde ABC-DEF-GH hoje", "Aguarde … hoje"},
        {"Aguarde ABCD-EFGHI hoje", "Aguarde ABCD-EFGHI hoje"},
        {"Aguarde auto-atendimento-loja hoje", "Aguarde auto-atendimento-loja hoje"},
        // Words
        {"Erro joaozinho", "Erro …", {"Joao"}},
        {"Erro semana", "Erro semana", {"Ana"}},
        {"Erro a 5", "Erro a 5", {"A. Lima"}},
        {"Erro J o a hoje", "Erro … hoje"},
        {"Erro a e hoje", "Erro a e hoje"},
        {"Erro 1 2 3 hoje", "Erro 1 2 3 hoje"},
        {"Erro \u024F hoje", "Erro \u024F hoje"},
        {"Erro \u0250 hoje", "Erro … hoje"},
        {"Erro J\u043Eao hoje", "Erro … hoje"},
        {"Erro Jo\u20DDao hoje", "Erro … hoje"},
        {"Erro \u09F4 hoje", "Erro … hoje"},
        {"Erro \u0378 hoje", "Erro … hoje"},
        {"xx Maria negado", "xx … negado"},
        {"** Maria negado", "** … negado"},
        // Numbers
        {"Erro 1985", "Erro …", {"19-85"}},
        {"Erro 1985", "Erro 1985", {"1-98"}},
        {"Erro 54321", "Erro …", {"43-21"}},
        {"Erro 345", "Erro 345", {"123456789"}},
        {"RG 123a456", "RG …"},
        {"Cartao 123 - 456", "Cartao …"},
        {"Cartao 12 - 456", "Cartao 12 - 456"},
        {"Cartao 123 -- 456", "Cartao 123 -- 456"},
        {"Cartao 123 e 456", "Cartao 123 e 456"},
        {"Cartao 123 \u20DD 456", "Cartao 123 … 456"},
        {"Cartao 123,456", "Cartao 123,456"},
        {"Cartao 123,456", "Cartao …", {"123456"}},
        {"valor 9,90 22/11", "valor 9,90 22/11"},
        {",90 22/11", ",90 22/11"},
        {"valor 9,345 22/11", "valor 9,…"},
        {"valor 10, 20 22/11", "valor 10, …"},
        {"valor 5a90 22/11", "valor …"},
    };
    for (const auto& [said, shown, personal] : cases)
        EXPECT_EQ(sentence(said, personal), shown);
}

// The other side's errors may name the customer in any way.
TEST(ProviderSentence, QuotesNobodyHoweverTheyAreWritten) {
    const std::vector<std::string> own{"529.982.247-25",
                                       "João Conceição de Sá",
                                       "joao.sa@correio.example",
                                       "21041985",
                                       "11987654321",
                                       "Ladeira do Esconderijo",
                                       "20040-321",
                                       "SP"};
    for (const auto* hidden : {"joao",
                               "JOÃO",
                               "Joa\u0303o",
                               "Jo\u00E3o",
                               "Jo\u200Bao",
                               "JOAO_CONCEICAO",
                               "joaoconceicao",
                               "Jo\x07\u009Bao",
                               "J o a o",
                               "J.o.a.o",
                               "Sá",
                               "SA",
                               "conceição",
                               "CONCEICAO",
                               "ｊｏａｏ",
                               "Esconderijo",
                               "LADEIRA",
                               "sp",
                               "52998224725",
                               "529 982 247 25",
                               "529-982-247.25",
                               "529,982,247,25",
                               "5 2 9 9 8 2 2 4 7 2 5",
                               "529\u00A0982\u00A0247",
                               "529\u2011982\u2011247\u201125",
                               "５２９９８２２４７２５",
                               "***.982.247-**",
                               "982247",
                               "5299",
                               "CPF:529.982.247-25",
                               "cpf_52998224725x",
                               "4725",
                               "21/04/1985",
                               "2104",
                               "1985",
                               "(11) 98765-4321",
                               "+55 11 98765 4321",
                               "87654",
                               "20040321",
                               "20.040-321",
                               "joao.sa@correio.example",
                               "maria@x.example",
                               "maria @ x",
                               "mailto:z@a.b",
                               "maria%40x.example",
                               "Jo&atilde;o",
                               "Jo%C3%A3o",
                               "Жоао",
                               "https://gift.example/k",
                               "HTTPS://GIFT.EXAMPLE/K",
                               "gift.example/abc",
                               "gift.example",
                               "www.gift.example",
                               "GIFT.EXAMPLE/ABC",
                               "LPA:1$smdp.example$K",
                               "lpa:1$a$b",
                               "4111 1111 1111 1111",
                               "411111******1111",
                               "ABCDE-12345",
                               "ABCD-EFGH-IJKL",
                               "eyJhbGciOiJIUzI1NiJ9.e30.x"})
        EXPECT_EQ(sentence("Recusado " + std::string(hidden), own).find_first_not_of("Recusado …@+(:.-*\"_%&;/,x"),
                  std::string::npos)
            << hidden << " is shown: " << sentence("Recusado " + std::string(hidden), own);
}

TEST(ProviderSentence, LeavesWhatIsNobodysAsItIs) {
    const std::vector<std::string> own{"529.982.247-25", "João Conceição de Sá", "Rua do Sol, 12"};
    for (const auto* shown :
         {"Produto indisponível no momento", "PRODUTO INDISPONIVEL", "Saldo de crédito insuficiente (erro 422)",
          "Limite diário de R$ 5.000,00 atingido; tente em 24 horas.", "Loja não habilitada p/ TV",
          "E-gift sem estoque: fale com o fornecedor da loja", "Operação não permitida - cód. 51"})
        EXPECT_EQ(sentence(shown, own), shown);
}

TEST(ProviderSentence, HandsOutNoGoods) {
    EXPECT_EQ(sentence("Ative em https://a.example/k agora"), "Ative em … agora");
    EXPECT_EQ(sentence("Instale LPA:1$a.example$B agora"), "Instale … agora");
    EXPECT_EQ(sentence("Seu codigo: ABCD-12EF-34GH"), "Seu codigo: …");
    EXPECT_EQ(sentence(R"({"transacao":{"instrucao":{"mensagem":"PIN 1"},"complemento":{"mensagem":"2"}}})"), "");
    for (const auto* document : {R"({\"pin\":\"4821\"})", "[4821]", "PIN <b>4821"})
        EXPECT_EQ(sentence(R"({"mensagem":")" + std::string(document) + "\"}"), "") << document;
}

TEST(ProviderSentence, KeepsAmountsAndErrorCodes) {
    EXPECT_EQ(sentence("Erro 4021: valor entre R$ 10,00 e R$ 5.000,00 (em 30 dias)"),
              "Erro 4021: valor entre R$ 10,00 e R$ 5.000,00 (em 30 dias)");
    EXPECT_EQ(sentence("Limite R$ 1.049,90 (22/11/2026 17:05)"), "Limite R$ 1.049,90 …)");
}

TEST(RefusalSentence, IsOfARefusedSaleAndWithoutItsCustomer) {
    Sale sale{.id = SaleId(Ulid::first_at({}))};
    sale.request =
        Secret(R"({"valor":"2990","consumidor":{"nome":"Zuleica","telefone":12345},"endereco":{"uf":"SP"}})");
    EXPECT_EQ(refusal_sentence(sale), "");
    sale.reason = Reason{.code = ReasonCode::refused};
    sale.reason->provider_body = Secret(R"({"mensagem":"Zuleica, 12345: valor 2990 recusado em SP"})");
    EXPECT_EQ(refusal_sentence(sale), "…, …: valor 2990 recusado em …");
    sale.reason->code = ReasonCode::provider_error;
    EXPECT_EQ(refusal_sentence(sale), "");
    sale.reason->code = ReasonCode::refused;
    sale.request = Secret();
    EXPECT_NE(refusal_sentence(sale), "") << "of a sale whose customer was erased";
}

TEST(RefusalSentence, TakesEveryFieldForTheCustomersThatIsNotKnownToBeTheProducts) {
    Sale sale{.id = SaleId(Ulid::first_at({}))};
    sale.request = Secret(R"({"placa":"BRA2E19","tipoProduto":"ONLINE","valor":"2500"})");
    sale.reason =
        Reason{.code = ReasonCode::refused, .provider_body = Secret(R"({"mensagem":"veiculo BRA2E19 invalido"})")};
    EXPECT_EQ(refusal_sentence(sale), "… … invalido");
    sale.reason->provider_body = Secret(R"({"mensagem":"ONLINE 2500 indisponivel"})");
    EXPECT_EQ(refusal_sentence(sale), "ONLINE 2500 indisponivel");
    sale.request = Secret(R"({"cartao":12345678901234567890,"nascimento":null})");
    sale.reason->provider_body = Secret(R"({"mensagem":"Erro null 4567"})");
    EXPECT_EQ(refusal_sentence(sale), "Erro … …") << "what is beside a hidden number is hidden, too";
    sale.reason->provider_body = Secret(R"({"mensagem":"Erro null 1111"})");
    EXPECT_EQ(refusal_sentence(sale), "Erro null 1111");
}

// Tests the words for the log.
class ProviderSaid : public testing::Test {
  protected:
    ProviderSaid() {
        sale.attempts.push_back({.id_externo = IdExterno(Ulid::first_at({}))});
        sale.request = Secret(R"({"consumidor":{"nome":"Zuleica","numeros":["77123"]}})");
    }
    std::string said(Step step, unsigned status, std::string body) const {
        Reply reply;
        reply.kind = Reply::Kind::answered;
        reply.status = status;
        reply.body = std::move(body);
        return provider_said(sale, interpret(step, sale, sale.current(), reply), reply);
    }

    Sale sale{.id = SaleId(Ulid::first_at({}))};
};

TEST_F(ProviderSaid, IsWhatARefusalAndAnErrorSay) {
    const auto* body = R"({"mensagem":"Zuleica, 77123: indisponivel"})";
    for (const unsigned status : {422U, 500U, 503U, 429U})
        EXPECT_EQ(said(Step::solicitar, status, body), "…, …: indisponivel") << status;
    for (const unsigned status : {400U, 409U, 500U})
        EXPECT_EQ(said(Step::confirmar, status, body), "…, …: indisponivel") << status;
    for (const auto* word : {R"("status":"CANCELADA")", R"("situacao":"EFETIVADA")"})
        EXPECT_EQ(said(Step::confirmar, 500, "{" + std::string(word) + R"(,"erro":"Um erro"})"), "Um erro") << word;
    EXPECT_EQ(said(Step::cancelar, 404, body), "…, …: indisponivel");
    EXPECT_EQ(said(Step::solicitar, 200, R"({"transacao":{"status":"NEGADA","mensagem":"Zuleica deve"}})"), "… deve");
}

TEST_F(ProviderSaid, IsNothingOfWhatMayHoldGoodsOrIsBetweenTheGatewayAndTheProvider) {
    const auto* body = R"({"transacao":{"status":"EFETIVADA","instrucao":"PIN 4821"},"mensagem":"PIN 4821"})";
    EXPECT_EQ(said(Step::confirmar, 200, body), "");
    EXPECT_EQ(said(Step::confirmar, 400, body), "") << "sold";
    const auto* of_another = R"({"venda":{"transacao":{"status":"Efetivada","valor":1}},"mensagem":"PIN 4821"})";
    for (const auto step : {Step::confirmar, Step::cancelar, Step::consultar})
        for (const unsigned status : {400U, 409U, 500U})
            EXPECT_EQ(said(step, status, of_another), "") << to_string(step) << ": sold to somebody else";
    for (const auto* sold :
         {R"([{"status":"CANCELADA"},{"status":"EFETIVADA"}])",
          R"({"a":{"a":{"a":{"a":{"a":{"status":"EFETIVADA"}}}}}})", R"({"zero":"\u0000","status":["EFETIVADA"]})"})
        EXPECT_EQ(said(Step::cancelar, 500, R"({"mensagem":"PIN 4821","venda":)" + std::string(sold) + "}"), "")
            << sold;
    EXPECT_EQ(said(Step::solicitar, 200, R"({"mensagem":"PIN 4821"})"), "") << "a success that makes no sense";
    EXPECT_EQ(said(Step::solicitar, 401, R"({"mensagem":"the token abc is no good"})"), "") << "its reason has it";
    EXPECT_EQ(said(Step::solicitar, 500, R"({"transacao":{"instrucao":{"mensagem":"4821"}}})"), "");
    EXPECT_EQ(said(Step::solicitar, 502, "<html><h1>Bad Gateway</h1></html>"), "");
    const auto lost = Reply::lost(errc::timed_out);
    EXPECT_EQ(provider_said(sale, interpret(Step::solicitar, sale, sale.current(), lost), lost), "");
}

}  // namespace
}  // namespace gateway::test
