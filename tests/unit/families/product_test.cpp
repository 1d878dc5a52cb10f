#include "families/product.hpp"

#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

using Names = std::vector<std::string_view>;

Product tv(std::optional<bool> price_list = std::nullopt) {
    return {.family = Family::tv, .produto = "TV & Cia", .fornecedor = "Norte", .price_list = price_list};
}
Product jogos(std::string produto = "") {
    return {.family = Family::egift, .produto = std::move(produto), .nome_menu = "Jogos"};
}

TEST(ProductCheck, EveryFamilyHasFieldsOfItsOwn) {
    EXPECT_EQ(check_product(tv(true)), FieldErrors{});
    auto egift = jogos("Moedas");
    egift.fornecedor = "Um";
    egift.tipo_negocio = -1;
    egift.label = "Moedas do jogo";
    EXPECT_EQ(check_product(egift), FieldErrors{});
    EXPECT_EQ(check_product({.family = Family::transit, .produto = "Outro Nome", .transit = "bilhete"}), FieldErrors{});
    EXPECT_EQ(check_product({.family = Family::health, .produto = "Outro", .health = "consulta"}), FieldErrors{});
    EXPECT_EQ(check_product({.family = Family::esim, .produto = "Chip"}), FieldErrors{});
}

TEST(ProductCheck, AnothersFieldIsNamedWithWhatTheFamilyHas) {
    Product product{.family = Family::esim,
                    .produto = "P",
                    .fornecedor = "F",
                    .tipo_negocio = 1,
                    .nome_menu = "M",
                    .transit = "t",
                    .health = "h",
                    .price_list = false};
    const auto errors = check_product(product);
    EXPECT_EQ(pointers(errors),
              (Pointers{"/fornecedor", "/nomeMenu", "/transit", "/health", "/tipoNegocio", "/price_list"}));
    EXPECT_EQ(errors.at(0).detail, "is not a field of esim, which has produto and label");
    product.family = Family::transit;
    EXPECT_EQ(check_product(product).at(0).detail, "is not a field of transit, which has produto, transit and label");
}

TEST(ProductCheck, WhatIsNeededToAskIsRequired) {
    for (const auto family : {Family::tv, Family::health, Family::transit, Family::esim})
        EXPECT_EQ(pointers(check_product({.family = family})), Pointers{"/produto"}) << to_string(family);
    EXPECT_EQ(pointers(check_product({.family = Family::egift, .produto = "P"})), Pointers{"/nomeMenu"});
    EXPECT_EQ(pointers(check_product({.family = Family::transit, .produto = "Cartão"})), Pointers{"/transit"})
        << "which its name does not give";
}

TEST(ProductCheck, TextsCanBeSent) {
    const std::string too_long(300, 'x');
    EXPECT_EQ(pointers(check_product({.family = Family::tv, .produto = ".."})), Pointers{"/produto"});
    EXPECT_EQ(pointers(check_product({.family = Family::egift,
                                      .produto = too_long,
                                      .fornecedor = too_long,
                                      .nome_menu = too_long,
                                      .label = too_long})),
              (Pointers{"/nomeMenu", "/produto", "/fornecedor", "/label"}));
    EXPECT_EQ(pointers(check_product({.family = Family::health, .produto = "P", .health = "a/b"})),
              Pointers{"/health"});
}

TEST(Products, AreTheSameWhereTheyLeadToTheSame) {
    EXPECT_TRUE(are_same_product(tv(true), tv()));
    EXPECT_FALSE(are_same_product(jogos("A"), jogos("B")));
    EXPECT_FALSE(are_same_product(jogos("A"), jogos()));
    const Product named{.family = Family::health, .produto = "Consulta", .health = "consulta"};
    EXPECT_TRUE(are_same_product(named, {.family = Family::health, .produto = "Consulta"}));
    EXPECT_FALSE(are_same_product(named, {.family = Family::esim, .produto = "Consulta"}));
}

TEST(Products, AreCalledByTheirLabelOrTheirName) {
    auto product = jogos();
    EXPECT_EQ(label_of(product), "Jogos");
    product.produto = "Moedas";
    EXPECT_EQ(label_of(product), "Moedas");
    product.label = "Moedas do jogo";
    EXPECT_EQ(label_of(product), "Moedas do jogo");
}

TEST(ProductsOptions, AreAskedForByAQueryThatIsReadBackAsItWasMeant) {
    EXPECT_EQ(options_query(tv()), "family=tv&produto=TV%20%26%20Cia");
    EXPECT_EQ(options_query(jogos("Moedas")), "family=egift&nomeMenu=Jogos") << "a menu has all of its products";
    EXPECT_EQ(options_query({.family = Family::health, .produto = "Ação", .health = "acao"}),
              "family=health&produto=A%C3%A7%C3%A3o&health=acao");
}

TEST(ProductsOptions, OfACardEndWhereItsNumberIsAppended) {
    EXPECT_EQ(options_query({.family = Family::transit, .produto = "Bilhete", .transit = "top"}),
              "family=transit&produto=Bilhete&transit=top&numeroCartao=");
    EXPECT_EQ(customers_parameters(Family::transit), Names{"numeroCartao"});
    EXPECT_EQ(customers_parameters(Family::health), Names{});
}

TEST(ProductsSell, IsKnownOnlyOfWhatHasNoOptionsOrMayHaveNone) {
    EXPECT_EQ(listed_sell(tv(true)), std::nullopt);
    for (const auto& product : {tv(false), tv()})
        EXPECT_EQ(listed_sell(product),
                  (json::object{{"family", "tv"}, {"produto", "TV & Cia"}, {"fornecedor", "Norte"}}));
    EXPECT_EQ(listed_sell(jogos("Moedas")), std::nullopt);
    EXPECT_FALSE(rules_of(Family::tv).has_options(tv(false)));
    EXPECT_TRUE(rules_of(Family::tv).has_options(tv()));
}

TEST(CompletedSell, HasWhatIsListedForItsProductOrElseForItsMenu) {
    auto menu = jogos();
    menu.fornecedor = "Dois";
    menu.tipo_negocio = 7;
    auto moedas = jogos("Moedas");
    moedas.fornecedor = "Um";
    const std::vector products{menu, moedas, tv()};
    json::object sell{{"produto", "Moedas"}, {"nomeMenu", "Jogos"}};
    complete_sell(sell, Family::egift, products);
    EXPECT_EQ(sell,
              (json::object{{"produto", "Moedas"}, {"nomeMenu", "Jogos"}, {"fornecedor", "Um"}, {"tipoNegocio", 7}}));
    sell = {{"produto", "Passe"}, {"nomeMenu", "Jogos"}};
    complete_sell(sell, Family::egift, products);
    EXPECT_EQ(sell.at("fornecedor"), "Dois");
}

TEST(CompletedSell, KeepsWhatTheProviderSaidAndTakesNothingOfOthers) {
    auto menu = jogos();
    menu.fornecedor = "Dois";
    json::object said{{"produto", "Moedas"}, {"nomeMenu", "Jogos"}, {"fornecedor", "Do catálogo"}};
    complete_sell(said, Family::egift, {{menu}});
    EXPECT_EQ(said.at("fornecedor"), "Do catálogo");
    json::object elsewhere{{"produto", "Moedas"}, {"nomeMenu", "Musica"}};
    complete_sell(elsewhere, Family::egift, {{menu}});
    EXPECT_FALSE(elsewhere.contains("fornecedor"));
    json::object other{{"produto", "TV & Cia"}};
    complete_sell(other, Family::esim, {{tv()}});
    EXPECT_EQ(other.size(), 1U);
}

// Compares the one list of what a sell needs with the one reader of sells.
TEST(MissingFields, AreThoseThatAnEmptySellIsRefusedFor) {
    for (const auto family : all_families) {
        Pointers missing;
        for (const auto name : missing_fields(family, {}))
            missing.push_back("/" + std::string(name));
        EXPECT_EQ(missing, pointers(read_sell(family, json::object{}).errors)) << to_string(family);
    }
}

TEST(MissingFields, AreNoneThatAreThere) {
    EXPECT_EQ(missing_fields(Family::tv, {{"id_valor", "1;100"}}), Names{});
    EXPECT_EQ(missing_fields(Family::tv, {{"valor", 100}}), Names{"cpf"});
    EXPECT_EQ(missing_fields(Family::egift, {{"valor", 1}, {"chaveProduto", "C"}, {"configuracaoId", "G"}}),
              (Names{"fornecedor", "tipoNegocio"}));
}

// Compares what each family says that its options call takes with what it asks for.
TEST(OptionsParameters, AreThoseThatAQuestionIsRefusedWithout) {
    for (const auto family : all_families) {
        const auto& rules = rules_of(family);
        std::map<std::string, std::string, std::less<>> given;
        Pointers required;
        for (const auto& parameter : rules.parameters) {
            given.emplace(parameter.name, "x");
            if (parameter.is_required()) required.push_back("/" + std::string(parameter.name));
            EXPECT_TRUE(parameter.meaning.ends_with('.')) << parameter.name;
        }
        FieldErrors errors;
        rules.question(query_of({}), errors);
        EXPECT_EQ(pointers(errors), required) << to_string(family);
        errors.clear();
        rules.question(query_of(given), errors);
        EXPECT_EQ(errors, FieldErrors{}) << to_string(family);
    }
}

}  // namespace
}  // namespace gateway::test
