#include "probe/goods.hpp"

#include "unit/probe/rig.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

TEST(Goods, AreTheCheapestThatIsOffered) {
    const Product product{.family = Family::egift, .fornecedor = "F", .tipo_negocio = 1, .nome_menu = "Jogos"};
    const auto question = probe::question_of(product, "123", {});
    ASSERT_TRUE(question.has_value());
    const auto options = rules_of(Family::egift).read_options(*question, R"({"produtos":[
        {"nome":"Caro","nomeMenu":"Jogos","chaveProduto":"A","configuracaoId":"1","valorMinimo":5000,"valorMaximo":9000},
        {"nome":"Barato","nomeMenu":"Jogos","chaveProduto":"B","configuracaoId":"2","valorMinimo":1000,"valorMaximo":3000}]})");
    ASSERT_TRUE(options.has_value());
    const auto goods = probe::cheapest(*options, product, {&product, 1}, {}, "123");
    ASSERT_TRUE(goods.has_value()) << goods.error();
    EXPECT_EQ(goods->order.valor, Cents{1000});
    EXPECT_EQ(goods->most, Cents{3000});
    EXPECT_EQ(goods->order.fields.at("chaveProduto"), "B");
    EXPECT_EQ(goods->order.estabelecimento, "123");
}

TEST(Goods, SayWhichOptionOfTheCommandLineIsMissing) {
    const Product tv{.family = Family::tv, .produto = "TV Mensal", .fornecedor = "F", .price_list = false};
    const auto goods = probe::without_options(tv, {}, "123");
    ASSERT_TRUE(goods.has_error());
    EXPECT_THAT(goods.error(), HasSubstr("--cpf"));
    EXPECT_TRUE(probe::without_options(tv, test_customer(), "123").has_value());
    const Product transit{.family = Family::transit, .produto = "Bilhete"};
    EXPECT_FALSE(probe::question_of(transit, "123", {}).has_value()) << "a card is missing";
    EXPECT_TRUE(probe::question_of(transit, "123", test_customer()).has_value());
}

}  // namespace
}  // namespace gateway::test
