#include "families/nsu.hpp"

#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

Sale with_goods(std::string instrucao, std::string complemento = "") {
    Order order;
    order.family = Family::tv;
    auto sale = sale_of(order);
    sale.status = Status::EFETIVADA;
    sale.details.instrucao = Secret(std::move(instrucao));
    sale.details.complemento = Secret(std::move(complemento));
    return sale;
}

TEST(Nsu, IsFoundUnderEveryNameThatSaysSo) {
    for (const auto* goods :
         {R"({"nsu":"000123"})", R"({"nsuFornecedor":"000123"})", R"({"NSU_Host":"000123"})",
          R"({"recargaTV":{"nsuFornecedor":"000123","mensagens":["x"]}})", R"([{"a":[{"numeroNsu":"000123"}]}])"})
        EXPECT_TRUE(has_nsu(with_goods(goods), "000123")) << goods;
}

TEST(Nsu, MayStandInTheComplementToo) {
    EXPECT_TRUE(has_nsu(with_goods("", R"({"nsu":"000123"})"), "000123"));
    EXPECT_TRUE(has_nsu(with_goods("a plain text", R"({"nsu":"000123"})"), "000123"));
}

TEST(Nsu, MayBeANumber) {
    EXPECT_TRUE(has_nsu(with_goods(R"({"nsu":123})"), "123"));
    EXPECT_FALSE(has_nsu(with_goods(R"({"nsu":123})"), "000123"));
    EXPECT_FALSE(has_nsu(with_goods(R"({"nsu":true})"), "true"));
    EXPECT_FALSE(has_nsu(with_goods(R"({"nsu":null})"), "null"));
    EXPECT_FALSE(has_nsu(with_goods(R"({"nsu":["123"]})"), "[\"123\"]"));
}

TEST(Nsu, IsTheWholeNumberAndNoOtherOne) {
    const auto sale = with_goods(R"({"nsu":"000123","pin":"777","valor":2500})");
    for (const auto* other : {"123", "00012", "0001234", "777", "2500", "nsu", ""})
        EXPECT_FALSE(has_nsu(sale, other)) << other;
}

TEST(Nsu, ThatOfAnEsimIsOfItsRecharge) {
    auto sale = with_goods("");
    EXPECT_FALSE(has_nsu(sale, "55"));
    sale.esim = EsimDetails{.nsu_recarga = "55"};
    EXPECT_TRUE(has_nsu(sale, "55"));
    EXPECT_FALSE(has_nsu(sale, ""));
}

TEST(Nsu, GoodsThatAreNoJsonHaveNone) {
    for (const auto* goods : {"", "nsu 000123", "000123", "{\"nsu\":\"000123\"", "\"000123\""})
        EXPECT_FALSE(has_nsu(with_goods(goods), "000123")) << goods;
}

}  // namespace
}  // namespace gateway::test
