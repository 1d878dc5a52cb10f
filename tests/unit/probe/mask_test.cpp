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
    // A value that was in such a field once is known from then on.
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
    mask.learn("12345");  // it is too short to be distinguished from others
    EXPECT_EQ(mask.text("12345678"), "12345678");
}

TEST(Mask, HidesAFieldThatItWasTold) {
    Mask mask;
    mask.hide_field("urlNotificacao");
    EXPECT_EQ(mask.body("application/json", R"({"urlNotificacao":"http://loja.example/callbacks/esim/abcdef/sale"})"),
              R"({"urlNotificacao":"***"})");
}

TEST(Mask, HidesAllOfTheGoodsWhateverItsPartsAreCalled) {
    Mask mask;
    for (const auto* goods : {R"("Use o codigo AB12")", R"("{\"mensagens\":[\"codigo AB12\"],\"numero\":7712}")",
                              R"({"text":"AB12","message":"7712"})"}) {
        const auto shown =
            mask.body("application/json", std::string(R"({"transacao":{"status":"EFETIVADA","instrucao":)") + goods +
                                              R"(,"complemento":"AB12"}})");
        EXPECT_THAT(shown, AllOf(HasSubstr("EFETIVADA"), Not(HasSubstr("AB12")), Not(HasSubstr("7712")))) << shown;
    }
    // A word of a receipt is not hidden elsewhere.
    mask.body("application/json", R"({"instrucao":"{\"status\":\"AUTORIZADA\"}"})");
    EXPECT_EQ(mask.text("AUTORIZADA"), "AUTORIZADA");
}

TEST(Mask, KnowsACpfWithoutItsPunctuation) {
    Mask mask;
    mask.learn("529.982.247-25");
    EXPECT_EQ(mask.body("application/json", R"({"documento":"52998224725"})"), R"({"documento":"***"})");
}

TEST(Mask, ThePicturesOfACatalogueLeaveRoomForWhatMatters) {
    Mask mask;
    for (int i = 0; i < 30'000; ++i)
        mask.body("application/json", R"({"url":"https://fotos.example/)" + std::to_string(i) + R"(.png"})");
    mask.learn("o-segredo-de-todos");
    EXPECT_EQ(mask.text("o-segredo-de-todos"), "***");
    EXPECT_EQ(mask.text("https://fotos.example/7.png"), "https://fotos.example/7.png");
    mask.body("application/json", R"({"instrucao":{"url":"https://ativar.example/AB12"}})");
    EXPECT_EQ(mask.text("https://ativar.example/AB12"), "***");
}

}  // namespace
}  // namespace gateway::test
