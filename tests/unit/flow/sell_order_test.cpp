#include "flow/sell_order.hpp"

#include "unit/support/seeded_random.hpp"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace gateway::test {
namespace {

using namespace testing;

SellOrder asked() {
    SellOrder asked;
    asked.digest = "of one spelling";
    auto& order = asked.order;
    order.family = Family::transit;
    order.produto = "Bilhete";
    order.fornecedor = "Metro";
    order.valor = {880};
    order.segment = "bilhete";
    order.estabelecimento = "1";
    order.fields = {{"numeroCartao", "4711"}, {"valor", "880"}, {"descricao", "Comum"}, {"quantidade", 2}};
    return asked;
}

Sale sold() {
    const auto order = asked().order;
    test::SeededRandom random(1);
    Sale sale{.id = SaleId::make(WallTime{}, random)};
    sale.digest = "of another spelling";
    sale.family = order.family;
    sale.produto = order.produto;
    sale.fornecedor = order.fornecedor;
    sale.valor = order.valor;
    sale.segment = order.segment;
    sale.estabelecimento = order.estabelecimento;
    sale.request = Secret(R"({"descricao":"Comum","numeroCartao":"4711","quantidade":2,"valor":"880"})");
    return sale;
}

TEST(SellOrder, WhatIsUnderstoodAlikeIsARepeat) {
    EXPECT_TRUE(is_repeat(sold(), asked()));
    EXPECT_THAT(differing_fields(sold(), asked()), IsEmpty());
}

TEST(SellOrder, WhatIsNotSentOnAndWhoSellsItDoNotCount) {
    auto again = asked();
    again.order.extra = {{"nomeMenu", "Jogos"}};
    again.cashier = "Rita";
    again.repeat = true;
    EXPECT_TRUE(is_repeat(sold(), again));
}

TEST(SellOrder, OfASaleOfAnEarlierVersionNobodyKnowsTheQuantity) {
    auto sale = sold();
    sale.request = Secret(R"({"descricao":"Comum","numeroCartao":"4711","valor":"880"})");
    EXPECT_TRUE(is_repeat(sale, asked()));
    auto other = asked();
    other.order.fields["numeroCartao"] = "4712";
    EXPECT_THAT(differing_fields(sale, other), ElementsAre("numeroCartao"));
}

TEST(SellOrder, ACpfAndACepAreAlikeInBothSpellings) {
    auto sale = sold();
    sale.family = Family::esim;
    sale.request = Secret(
        R"({"consumidor":{"cpf":"529.982.247-25","endereco":{"cep":"01310-100"}},"endereco":{"cep":"01310-100"}})");
    auto again = asked();
    again.order.family = Family::esim;
    sale.segment = again.order.segment = "";
    again.order.fields = {{"consumidor", {{"cpf", "52998224725"}, {"endereco", {{"cep", "01310100"}}}}},
                          {"endereco", {{"cep", "01310100"}}}};
    EXPECT_THAT(differing_fields(sale, again), IsEmpty());
    again.order.fields.at("consumidor").as_object().at("endereco").as_object().at("cep") = "01310101";
    EXPECT_THAT(differing_fields(sale, again), ElementsAre("consumidor"));
}

TEST(SellOrder, AnEqualBodyIsARepeatWhateverIsReadOfItByNow) {
    auto same = asked();
    same.digest = "of another spelling";
    same.order = {};
    EXPECT_TRUE(is_repeat(sold(), same));
}

TEST(SellOrder, EveryFieldCountsAndIsNamed) {
    const std::vector<std::pair<const char*, std::function<void(SellOrder&)>>> changes{
        {"family", [](auto& other) { other.order.family = Family::health; }},
        {"confirm", [](auto& other) { other.order.mode = ConfirmMode::manual; }},
        {"produto", [](auto& other) { other.order.produto = "Cartao"; }},
        {"fornecedor", [](auto& other) { other.order.fornecedor = ""; }},
        {"transit", [](auto& other) { other.order.segment = "cartao"; }},
        {"valor", [](auto& other) { other.order.valor = {890}; }},
        {"numeroCartao", [](auto& other) { other.order.fields["numeroCartao"] = "4712"; }},
        {"descricao", [](auto& other) { other.order.fields.erase("descricao"); }},
        {"quantidade", [](auto& other) { other.order.fields["quantidade"] = 1; }},
        {"tipoCredito", [](auto& other) { other.order.fields["tipoCredito"] = "1"; }},
    };
    for (const auto& [name, change] : changes) {
        auto other = asked();
        change(other);
        EXPECT_FALSE(is_repeat(sold(), other)) << name;
        EXPECT_THAT(differing_fields(sold(), other), ElementsAre(name));
    }
}

TEST(SellOrder, AnEstablishmentCountsOnlyWhereItWasSent) {
    auto other = asked();
    other.order.estabelecimento = "2";
    EXPECT_TRUE(is_repeat(sold(), other)) << "the configuration names another one by now";
    other.names_estabelecimento = true;
    EXPECT_THAT(differing_fields(sold(), other), ElementsAre("estabelecimento"));
}

TEST(SellOrder, OfErasedFieldsNothingIsSaidAndOnlyTheBodyTells) {
    auto sale = sold();
    sale.request = {};
    auto other = asked();
    other.order.fields["numeroCartao"] = "4712";
    EXPECT_THAT(differing_fields(sale, other), IsEmpty());
    EXPECT_FALSE(is_repeat(sale, asked()));
    other.digest = sale.digest;
    EXPECT_TRUE(is_repeat(sale, other));
}

TEST(SellOrder, ARequestThatIsNoObjectHasNoFields) {
    auto sale = sold();
    for (const auto* request : {"", "{", "[]", "5"}) {
        sale.request = Secret(request);
        EXPECT_FALSE(request_fields(sale)) << request;
    }
}

TEST(SellOrder, AnEstabelecimentoThatIsNamedAndTheSameDoesNotDiffer) {
    auto order = asked();
    order.names_estabelecimento = true;
    EXPECT_THAT(differing_fields(sold(), order), IsEmpty());
}

TEST(SellOrder, OfAnotherFamilyTheFieldsAreNotCompared) {
    auto order = asked();
    order.order.family = Family::tv;
    order.order.fields = {{"cpf", "1"}};
    EXPECT_THAT(differing_fields(sold(), order), ElementsAre("family"));
}

}  // namespace
}  // namespace gateway::test
