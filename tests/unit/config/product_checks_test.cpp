#include "config/checks.hpp"
#include "unit/config/config_text.hpp"

#include <gtest/gtest.h>

namespace gateway {

namespace {

using test::ConfigText;
using test::good;
using test::lines;
using test::only_error;

}  // namespace

TEST(ProductCheck, ProductsAreReadAsTheyStand) {
    const auto products = good(ConfigText()
                                   .product(R"(family = "egift"
produto = "Moedas"
fornecedor = "Estudio"
tipoNegocio = -3
nomeMenu = "Jogos"
label = "Moedas do jogo")")
                                   .product(R"(family = "transit"
produto = "Cartão"
transit = "bilhete")")
                                   .product(R"(family = "health"
produto = "C"
health = "parceiro")")
                                   .product(R"(family = "tv"
produto = "TV Livre"
price_list = true)"))
                              .products;
    EXPECT_EQ(products, (std::vector<Product>{{.family = Family::egift,
                                               .produto = "Moedas",
                                               .fornecedor = "Estudio",
                                               .tipo_negocio = -3,
                                               .nome_menu = "Jogos",
                                               .label = "Moedas do jogo"},
                                              {.family = Family::transit, .produto = "Cartão", .transit = "bilhete"},
                                              {.family = Family::health, .produto = "C", .health = "parceiro"},
                                              {.family = Family::tv, .produto = "TV Livre", .price_list = true}}));
    EXPECT_TRUE(good(ConfigText()).products.empty());
}

TEST(ProductCheck, FamilyIsOneThatThereIs) {
    EXPECT_EQ(only_error(ConfigText().product("family = \"egfit\"\nproduto = \"P\"")),
              "products[1].family: \"egfit\" is not a family; there are tv, egift, transit, health and esim; did you "
              "mean \"egift\"?");
    EXPECT_EQ(only_error(ConfigText().product("produto = \"P\"")),
              "products[1].family: is missing: The product's family.");
    EXPECT_TRUE(only_error(ConfigText().product("family = [\"tv\"]\nproduto = \"P\""))
                    .starts_with("products[1].family: must be a text"));
}

TEST(ProductCheck, FieldThatTheFamilyDoesNotHaveIsRefused) {
    EXPECT_EQ(only_error(ConfigText().product("family = \"tv\"\nproduto = \"P\"\nnomeMenu = \"M\"")),
              "products[1].nomeMenu: is not a field of tv, which has produto, fornecedor, price_list and label");
    EXPECT_TRUE(only_error(ConfigText().product("family = \"tv\"\nproduto = \"P\"\nnome = \"M\""))
                    .starts_with("products[1].nome: is no key of this program"));
}

TEST(ProductCheck, FieldThatTheFamilyNeedsIsAskedFor) {
    EXPECT_TRUE(only_error(ConfigText().product("family = \"egift\"\nproduto = \"P\""))
                    .starts_with("products[1].nomeMenu: is required"));
    EXPECT_TRUE(only_error(ConfigText().product("family = \"esim\"")).starts_with("products[1].produto: is required"));
    good(ConfigText().product("family = \"egift\"\nnomeMenu = \"M\""));
}

TEST(ProductCheck, TwoEqualProductsAreRefused) {
    const auto* const consulta = "family = \"health\"\nproduto = \"Consulta\"";
    EXPECT_EQ(only_error(ConfigText()
                             .product("family = \"esim\"\nproduto = \"Consulta\"")
                             .product(consulta)
                             .product(std::string(consulta) + "\nhealth = \"consulta\"\nlabel = \"Outra\"")),
              "products[3]: is the same product as products[2]");
}

TEST(ProductCheck, ProductsAreAList) {
    EXPECT_EQ(only_error(ConfigText().set("products.family", "\"tv\"")),
              "products: is a list; write [[products]] above each product's keys");
}

TEST(ProductCheck, EverythingThatIsWrongIsToldAtOnce) {
    const auto reading = ConfigText()
                             .product("family = \"tv\"\nprice_list = \"yes\"")
                             .product("family = \"egift\"\nnomeMenu = \"M\"\ntipoNegocio = 2147483648")
                             .read();
    EXPECT_EQ(reading.errors.size(), 3U) << lines(reading.errors);
}

}  // namespace gateway
