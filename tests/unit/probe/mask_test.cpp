#include "probe/mask.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;
using probe::Mask;

TEST(Mask, HidesFieldsByTheirNamesHoweverDeep) {
    Mask mask;
    const auto shown =
        mask.body("application/json", R"({"venda":{"transacao":{"status":"AUTORIZADA","pin":"998877665544",
        "instrucao":"{\"urlAtivacao\":\"https://x.example/CODIGO99\",\"nsu\":\"12\"}"}},
        "consumidor":{"nome":"Fulana de Tal","telefone":11987654321}})");
    EXPECT_THAT(shown, HasSubstr("AUTORIZADA"));
    EXPECT_THAT(shown, HasSubstr("nsu"));
    for (const auto* secret : {"998877665544", "CODIGO99", "Fulana", "11987654321"})
        EXPECT_THAT(shown, Not(HasSubstr(secret)));
}

TEST(Mask, HidesAKnownValueWhereverItStands) {
    Mask mask;
    mask.learn("1000000002");
    EXPECT_EQ(mask.text("/consulta-valores/e/x/1000000002"), "/consulta-valores/e/x/***");
    // What stood in a field once is known from then on.
    mask.body("application/json", R"({"pin":"554433221100"})");
    EXPECT_EQ(mask.body("application/json", R"({"text":"Seu PIN: 554433221100"})"), R"({"text":"Seu PIN: ***"})");
}

TEST(Mask, KnowsAnEscapedValueToo) {
    Mask mask;
    mask.learn("joao da silva");
    EXPECT_EQ(mask.text("/x/joao%20da%20silva"), "/x/***");
}

TEST(Mask, HidesTheTokensOfAForm) {
    Mask mask;
    EXPECT_EQ(mask.body("application/x-www-form-urlencoded", "grant_type=refresh_token&refresh_token=abcdef123456"),
              "grant_type=refresh_token&refresh_token=***");
    EXPECT_EQ(mask.text("the token abcdef123456 was used"), "the token *** was used");
}

TEST(Mask, HidesWhatLooksLikeACustomerInOtherTexts) {
    Mask mask;
    EXPECT_EQ(mask.text("cpf 529.982.247-25, fulana@reconhecivel.example"), "cpf ***, ***");
    EXPECT_EQ(mask.body("text/html", "<p>52998224725</p>"), "<p>***</p>");
}

TEST(Mask, LeavesWhatTellsNothing) {
    Mask mask;
    const auto body = R"({"transacao":{"status":"CANCELADA","idTransacao":"01HZX","valor":1000}})";
    EXPECT_EQ(mask.body("application/json", body), body);
    mask.learn("12345");  // too short to be told from others
    EXPECT_EQ(mask.text("12345678"), "12345678");
}

TEST(Mask, HidesAFieldThatItWasTold) {
    Mask mask;
    mask.hide_field("urlNotificacao");
    EXPECT_EQ(mask.body("application/json", R"({"urlNotificacao":"http://loja.example/callbacks/esim/abcdef/sale"})"),
              R"({"urlNotificacao":"***"})");
}

}  // namespace
}  // namespace gateway::test
