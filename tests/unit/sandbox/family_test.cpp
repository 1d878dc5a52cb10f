#include "sandbox/family.hpp"

#include "base/ascii.hpp"
#include "sandbox/outcomes.hpp"
#include "unit/sandbox/caller.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

std::optional<json::object> offer(Family family, Route route) {
    return model_of(family).offer(route, WallTime{});
}

// Returns what a request of the dynamic TV product with that value is sold for; nothing where it is not sold.
std::optional<Cents> tv_amount(std::string_view id_valor) {
    const json::object fields{{"tipoProduto", "ONLINE"}, {"id_valor", id_valor}};
    Fields reader(fields);
    Order order{.produto = "TV Livre"};
    model_of(Family::tv).read(reader, {}, {}, order);
    return reader.finish().empty() ? std::optional(order.valor) : std::nullopt;
}

TEST(Families, EachHasItsTable) {
    for (const auto family : families) {
        EXPECT_EQ(model_of(family).family, family);
        EXPECT_TRUE(catalogue_overview(WallTime{}).contains(to_string(family))) << to_string(family);
    }
}

TEST(Families, EveryListedTvValueCanBeSoldAndNoOther) {
    const auto values = offer(Family::tv, {.produto = "TV Livre"})->at("valores").as_array();
    ASSERT_EQ(values.size(), 4U);
    for (const auto& entry : values) {
        const std::string valor(entry.at("valor").as_string());
        EXPECT_EQ(std::to_string(tv_amount(valor).value_or(0)), valor.substr(valor.find(';') + 1));
    }
    for (const auto* text : {"", "101", "101;2501", "999;3099", "902;3003", "1;2500", ";2500", "2500"})
        EXPECT_FALSE(tv_amount(text)) << text;
}

TEST(Families, EveryOutcomeCanBeAskedForByTvValueAndByHealthProduct) {
    for (const auto& row : outcomes()) {
        const auto two = fmt::format("{:02}", row.cents);
        EXPECT_EQ(tv_amount(fmt::format("9{};30{}", two, two)), 3000 + row.cents);
        const auto partner = offer(Family::health, {.segment = "consulta-" + two, .produto = "Consulta-" + two});
        ASSERT_TRUE(partner) << two;
        EXPECT_EQ(partner->at("valorProdutoParceiro").as_string(), "60," + two);
    }
    for (const auto* name : {"Consulta-99", "Consulta-2", "Exame"})
        EXPECT_FALSE(offer(Family::health, {.segment = to_lower(name) + "x", .produto = name})) << name;
    EXPECT_FALSE(offer(Family::health, {.segment = "consulta-99", .produto = "Consulta-99"}));
}

TEST(Families, EveryEntryOfTheCatalogueIsAsTheDocumentHasIt) {
    const auto egift = *offer(Family::egift, {.produto = "Jogos"});
    EXPECT_EQ(egift.at("dataHora").as_string(), "31/12/1969 21:00:00");
    ASSERT_EQ(egift.at("produtos").as_array().size(), 2U);
    const auto& entry = egift.at("produtos").as_array().at(0).as_object();
    EXPECT_EQ(entry.at("valorMinimo").as_int64(), 1000);
    EXPECT_EQ(entry.at("imagens").at(0).at("tamanho").as_string(), "EXTRA_LARGE");
    EXPECT_NE(json::serialize(entry).find("%%ACCOUNTNUMBER%%"), std::string::npos);
    const auto plan = offer(Family::esim, {.produto = "Chip Virtual"})->at("valores").at(1).as_object();
    EXPECT_EQ(plan, (json::object{{"chave", "Essencial - 8 GB - R$ 49,90"}, {"valor", "302;4990;3000"}}));
    const auto card = [](const char* number, std::size_t place) {
        return json::serialize(
            offer(Family::transit, {.segment = "bilhete", .numeroCartao = number})->at("valores").at(place));
    };
    EXPECT_NE(card("1000000003", 0).find(R"("quantidadeMinima":"1","quantidadeMaxima":"50","valorUnitario":"440"})"),
              std::string::npos);
    EXPECT_NE(card("1000000003", 1).find(R"("Recarga livre","valorMinimo":"500","valorMaximo":"40000"})"),
              std::string::npos);
}

TEST(Families, ACardEntryAllowsItsRangeOrMultiplesOfItsUnit) {
    Caller caller;
    const auto allows = [&](const char* number, Cents valor) {
        const bool unit = std::string_view(number) == "1000000001";
        auto body = caller.order(Family::transit, fmt::format("{}-{}", number, valor));
        body["numeroCartao"] = number;
        body["tipoCredito"] = unit ? "1" : "2";
        body["tipoProduto"] = unit ? "501" : "502";
        body["descricao"] = unit ? "Bilhete unitario" : "Recarga livre";
        body["valor"] = std::to_string(valor);
        return caller.post("/venda/transporte/bilhete/solicitar", body).status == 200;
    };
    EXPECT_TRUE(allows("1000000001", 440) && allows("1000000001", 440 * 50));
    EXPECT_FALSE(allows("1000000001", 441) || allows("1000000001", 440 * 51));
    EXPECT_TRUE(allows("1000000002", 500) && allows("1000000002", 40000));
    EXPECT_FALSE(allows("1000000002", 499) || allows("1000000002", 40001));
}

}  // namespace
}  // namespace gateway::sandbox
