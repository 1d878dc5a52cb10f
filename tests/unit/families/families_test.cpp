#include "families/field_reader.hpp"
#include "families/product.hpp"
#include "families/request_body.hpp"
#include "unit/families/testing.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace gateway::test {
namespace {

// Says what one more or another field makes of a sell. Another product makes another order, too.
enum class Makes { the_same, another_order, another_product };

struct Change {
    Family family;
    const char* pointer;
    json::value value;
    Makes makes;
};

// Lists every member of every body that a terminal may send, except those that the contract says do not count.
const std::vector<Change>& changes() {
    using enum Makes;
    static const std::vector<Change> all{
        {Family::tv, "/valor", "1099", the_same},
        {Family::tv, "/valor", 1100, another_order},
        {Family::tv, "/cpf", "529.982.247-25", the_same},
        {Family::tv, "/cpf", "111.444.777-35", another_product},
        {Family::tv, "/fornecedor", "G", another_order},
        {Family::egift, "/nomeMenu", "Jogos", the_same},
        {Family::egift, "/fornecedor", "G", another_order},
        {Family::egift, "/valor", 5001, another_order},
        {Family::egift, "/tipoNegocio", 2, another_order},
        {Family::egift, "/chaveProduto", "B", another_product},
        {Family::egift, "/configuracaoId", "d", another_product},
        {Family::transit, "/quantidade", 2, the_same},
        {Family::transit, "/quantidade", "02", the_same},
        {Family::transit, "/quantidade", 1, another_order},
        {Family::transit, "/descricao", "Recarga", another_order},
        {Family::transit, "/valor", 881, another_order},
        {Family::transit, "/transit", "metro", another_order},
        {Family::transit, "/numeroCartao", "2", another_product},
        {Family::transit, "/tipoCredito", "2", another_product},
        {Family::transit, "/tipoProduto", "501", another_product},
        {Family::health, "/valor", 4991, another_order},
        {Family::health, "/health", "clinica", another_order},
        {Family::health, "/produtoIdParceiro", "7002", another_product},
        {Family::esim, "/consumidor/cpf", "529.982.247-25", the_same},
        {Family::esim, "/endereco/cep", "01310-100", the_same},
        {Family::esim, "/endereco/complemento", "", the_same},
        {Family::esim, "/endereco/complemento", "casa", another_order},
        {Family::esim, "/endereco/cep", "01310101", another_order},
        {Family::esim, "/endereco/cidade", "T", another_order},
        {Family::esim, "/consumidor/nome", "Y", another_order},
        {Family::esim, "/consumidor/email", "y@c.example", another_order},
        {Family::esim, "/consumidor/nascimento", "22041985", another_order},
        {Family::esim, "/consumidor/telefone", 11987654322, another_order},
        {Family::esim, "/valorRecarga", 2, another_order},
        {Family::esim, "/valor", 4991, another_order},
        {Family::esim, "/consumidor/cpf", "111.444.777-35", another_product},
        {Family::esim, "/servicoId", "302", another_product},
    };
    return all;
}

Order order_of(Family family, json::value body) {
    auto reading = read_sell(family, std::move(body));
    EXPECT_TRUE(reading.errors.empty()) << pointers(reading.errors).front();
    return std::move(reading.order);
}

Secret likeness_of(const Order& order) {
    return rules_of(order.family).likeness_of(order.fields);
}

TEST(Families, EachHasItsTableAndItsNameInBothLanguages) {
    std::set<std::string_view> names;
    for (const auto family : all_families) {
        EXPECT_EQ(rules_of(family).family, family);
        EXPECT_FALSE(name_of(family, Language::english).empty());
        EXPECT_TRUE(names.insert(name_of(family, Language::portuguese)).second);
    }
    EXPECT_EQ(name_of(Family::health, Language::english), "Health voucher");
    EXPECT_EQ(name_of(Family::health, Language::portuguese), "Vale-saúde");
}

// The law knows of a family what its table says.
TEST(Families, OnesThatEndByCallbackHaveNoSecondStep) {
    for (const auto family : all_families) {
        const auto& paths = rules_of(family).paths;
        EXPECT_EQ(paths.confirmar.empty(), is_by_callback(family)) << to_string(family);
        EXPECT_EQ(paths.cancelar.empty(), is_by_callback(family) || rules_of(family).cancel_is_configured);
        EXPECT_FALSE(paths.options.empty() || paths.solicitar.empty());
    }
}

TEST(Families, EveryDocumentedSellIsSentAsDocumented) {
    for (const auto& document : documents()) {
        const auto [order, errors, rest] = read_sell(document.family, document.sell, "top");
        EXPECT_EQ(errors, FieldErrors{}) << to_string(document.family);
        EXPECT_TRUE(rest.empty()) << to_string(document.family);
        const auto sale = sale_of(order);
        auto sent = json::parse(request_body(Step::solicitar, sale, sale.current(), "", "campo")).as_object();
        EXPECT_EQ(sent.at("estabelecimento"), "0042");
        EXPECT_EQ(sent.at("idExterno").as_string(), sale.current().id_externo.text());
        EXPECT_EQ(sent.at("produto"), "top");
        EXPECT_TRUE(sent.at("dataHoraCliente").as_string().starts_with("2024-05-02T"));
        for (const auto* name : {"estabelecimento", "idExterno", "produto", "dataHoraCliente", "campo", "urlRecarga"})
            sent.erase(name);
        EXPECT_EQ(sent, document.sent) << to_string(document.family);
    }
}

TEST(Families, WhatEachRequiresIsMissed) {
    for (const auto& document : documents()) {
        EXPECT_EQ(pointers(read_sell(document.family, json::object{}, "top").errors), document.required);
        Pointers described;
        for (const auto name : missing_fields(document.family, json::object{}))
            described.push_back(pointer_to("", name));
        EXPECT_EQ(described, document.required) << to_string(document.family);
    }
}

TEST(Families, EveryFieldRefusesRubbish) {
    for (const auto& document : documents())
        for (const auto& pointer : document.texts_and_amounts)
            for (const auto& value : rubbish())
                EXPECT_EQ(pointers(read_sell(document.family, with(document.sell, pointer, value), "top").errors),
                          Pointers{pointer})
                    << to_string(document.family) << value;
}

TEST(SameOrder, IsToldByEveryMemberOfABody) {
    const auto what_counts = [](const Order& order) {
        return std::tuple(rules_of(order.family).understood(order.fields), order.valor, order.fornecedor,
                          order.segment);
    };
    for (const auto& document : documents())
        for (const auto& [family, pointer, value, makes] : changes()) {
            if (family != document.family) continue;
            const auto order = order_of(family, document.sell);
            const auto changed = order_of(family, with(document.sell, pointer, value));
            EXPECT_EQ(what_counts(order) == what_counts(changed), makes == Makes::the_same)
                << to_string(family) << pointer << value;
        }
}

TEST(Likeness, IsThatOfTheProductAndOfTheCardOrTheCpf) {
    for (const auto& document : documents())
        for (const auto& [family, pointer, value, makes] : changes()) {
            if (family != document.family) continue;
            const auto order = order_of(family, document.sell);
            const auto changed = order_of(family, with(document.sell, pointer, value));
            EXPECT_EQ(likeness_of(order) == likeness_of(changed), makes != Makes::another_product)
                << to_string(family) << pointer << value;
        }
    const auto dynamic = [](const char* id_valor) {
        return order_of(Family::tv, json::object{{"id_valor", id_valor}});
    };
    EXPECT_TRUE(likeness_of(dynamic("101;2500")) == likeness_of(dynamic("101;2500")));
    EXPECT_FALSE(likeness_of(dynamic("101;2500")) == likeness_of(dynamic("102;2500")));
}

// The journal has it as a keyed hash, so another spelling would find no earlier sale.
TEST(Likeness, IsSpelledAsItIsKept) {
    EXPECT_EQ(likeness_of(order_of(Family::tv, json::object{{"id_valor", "101;2500"}})).reveal(),
              R"(["101;2500",null])");
    EXPECT_EQ(likeness_of(order_of(Family::transit, documents().at(2).sell)).reveal(), R"(["1","1","6"])");
    EXPECT_EQ(likeness_of(order_of(Family::esim, documents().at(4).sell)).reveal(), R"(["S","52998224725"])");
}

TEST(Families, OnlyTransitSalesAreOfACard) {
    for (const auto& document : documents()) {
        const auto order = order_of(document.family, document.sell);
        EXPECT_EQ(rules_of(document.family).card_of(order.fields).reveal(),
                  document.family == Family::transit ? "1" : "");
    }
}

}  // namespace
}  // namespace gateway::test
