#include "api/menu.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

namespace json = boost::json;

std::vector<Product> one_of_each() {
    return {
        {.family = Family::tv, .produto = "TV Livre", .price_list = true},
        {.family = Family::tv, .produto = "TV Mensal", .fornecedor = "Norte", .price_list = false, .label = "Norte 30"},
        {.family = Family::tv, .produto = "TV Familia"},
        {.family = Family::egift, .produto = "Moedas", .nome_menu = "Jogos & Cia"},
        {.family = Family::egift, .nome_menu = "Musica"},
        {.family = Family::transit, .produto = "Bilhete"},
        {.family = Family::health, .produto = "Consulta", .health = "parceiro"},
        {.family = Family::esim, .produto = "Chip Virtual"}};
}

class MenuTest : public ApiTest {
  protected:
    MenuTest() { api.options->reload(one_of_each()); }
    json::array families(std::string principal = "caixa-01") {
        auto request = ApiRig::request(http::verb::get, "/v1/options");
        request.principal = std::move(principal);
        return api.ask(std::move(request)).json().at("families").as_array();
    }
    json::array products(std::size_t family) { return families().at(family).at("products").as_array(); }
};

TEST_F(MenuTest, SaysOfEveryFamilyWhatItsOptionsCallTakes) {
    const auto menu = families();
    ASSERT_EQ(menu.size(), all_families.size());
    const auto transit = menu.at(2);
    EXPECT_EQ(transit.at("family"), "transit");
    EXPECT_EQ(transit.at("options"), "/v1/options?family=transit");
    std::vector<std::pair<std::string, bool>> takes;
    for (const auto& parameter : transit.at("takes").as_array())
        takes.emplace_back(parameter.at("name").as_string(), parameter.at("required").as_bool());
    EXPECT_EQ(takes, (std::vector<std::pair<std::string, bool>>{
                         {"produto", true}, {"transit", false}, {"numeroCartao", true}}));
    EXPECT_TRUE(api.flow.network->seen.empty()) << "it costs nothing at the provider";
}

TEST_F(MenuTest, HasTheAddressOfEachProductsOptions) {
    EXPECT_EQ(products(0).at(0), json::parse(R"({"label":"TV Livre","produto":"TV Livre","needs":[],
                                                 "options":"/v1/options?family=tv&produto=TV%20Livre"})"));
    EXPECT_EQ(products(1).at(0), json::parse(R"({"label":"Moedas","produto":"Moedas","needs":[],
                                                 "options":"/v1/options?family=egift&nomeMenu=Jogos%20%26%20Cia"})"));
    EXPECT_EQ(products(1).at(1), json::parse(R"({"label":"Musica","needs":[],
                                                 "options":"/v1/options?family=egift&nomeMenu=Musica"})"));
    EXPECT_EQ(products(3).at(0).at("options"), "/v1/options?family=health&produto=Consulta&health=parceiro");
}

TEST_F(MenuTest, LeavesTheCardToTheTerminalAtTheEndOfTheAddress) {
    EXPECT_EQ(products(2).at(0), json::parse(R"({"label":"Bilhete","produto":"Bilhete","needs":["numeroCartao"],
                              "options":"/v1/options?family=transit&produto=Bilhete&numeroCartao="})"));
}

TEST_F(MenuTest, HasTheSellOfAProductWithoutOptions) {
    EXPECT_EQ(products(0).at(1), json::parse(R"({"label":"Norte 30","produto":"TV Mensal","needs":["valor","cpf"],
                                  "sell":{"family":"tv","produto":"TV Mensal","fornecedor":"Norte"}})"));
    auto sell = products(0).at(1).at("sell").as_object();
    sell["valor"] = 2500;
    sell["cpf"] = "52998224725";
    EXPECT_EQ(api.sold("k-1", json::serialize(sell)).status(), 200u);
}

TEST_F(MenuTest, HasOptionsAndSellWhereTheListDoesNotSayWhichItNeeds) {
    const auto product = products(0).at(2).as_object();
    EXPECT_TRUE(product.contains("options") && product.contains("sell"));
    EXPECT_EQ(product.at("needs"), (json::array{"valor", "cpf"}));
}

TEST_F(MenuTest, EveryAddressIsOneThatTheOptionsCallTakes) {
    for (const auto& family : families())
        for (const auto& product : family.at("products").as_array()) {
            if (!product.as_object().contains("options")) continue;
            auto address = std::string(product.at("options").as_string());
            if (address.ends_with('=')) address += "1000000001";
            EXPECT_NE(api.get(address).status(), 422u) << address;
        }
}

TEST_F(MenuTest, HasOnlyWhatTheTerminalMaySell) {
    const auto menu = families("so-tv");
    ASSERT_EQ(menu.size(), 1u);
    EXPECT_EQ(menu.at(0).at("family"), "tv");
}

TEST_F(MenuTest, WithoutAListStillSaysWhatTheCallsTake) {
    api.options->reload({});
    for (const auto& family : families()) {
        EXPECT_FALSE(family.at("takes").as_array().empty());
        EXPECT_EQ(family.at("products"), json::array());
    }
}

}  // namespace
}  // namespace gateway::test
