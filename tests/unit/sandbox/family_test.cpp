#include "sandbox/family.hpp"

#include "sandbox/outcomes.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

constexpr WallTime epoch{};

std::optional<json::object> tv_values(std::string produto) {
    return model_of(Family::tv).offer({.produto = std::move(produto)}, epoch);
}

std::optional<json::object> egift_menu(std::string nomeMenu) {
    return model_of(Family::egift).offer({.produto = std::move(nomeMenu)}, epoch);
}

std::optional<json::object> card_values(std::string numeroCartao) {
    return model_of(Family::transit).offer({.segment = "bilhete", .numeroCartao = std::move(numeroCartao)}, epoch);
}

std::optional<json::object> health_values(std::string segment, std::string produto) {
    return model_of(Family::health).offer({.segment = std::move(segment), .produto = std::move(produto)}, epoch);
}

// Returns what a request with these fields, besides the common ones, is sold for; nothing where it departs from the
// catalogue.
std::optional<Cents> sold_for(Family family, std::string_view produto, const json::object& fields,
                              std::string segment = {}) {
    Fields reader(fields);
    Order order{.produto = std::string(produto)};
    model_of(family).read(reader, {.segment = std::move(segment)}, {}, order);
    return reader.finish().empty() ? std::optional(order.valor) : std::nullopt;
}

std::optional<Cents> tv_amount(std::string_view id_valor) {
    return sold_for(Family::tv, "TV Livre", {{"tipoProduto", "ONLINE"}, {"id_valor", id_valor}});
}

TEST(Catalogue, EveryListedTvValueCanBeSold) {
    const auto document = tv_values("TV Livre");
    ASSERT_TRUE(document);
    EXPECT_TRUE(document->at("tipoValor").is_string());
    ASSERT_FALSE(document->at("valores").as_array().empty());
    for (const auto& entry : document->at("valores").as_array()) {
        const std::string valor(entry.at("valor").as_string());
        EXPECT_EQ(std::to_string(tv_amount(valor).value_or(0)), valor.substr(valor.find(';') + 1));
        EXPECT_TRUE(entry.at("chave").is_string());
    }
}

TEST(Catalogue, OnlyTheDynamicTvProductHasValues) {
    EXPECT_FALSE(tv_values("TV Mensal"));
    EXPECT_FALSE(tv_values("TV Nenhuma"));
}

TEST(Catalogue, EveryOutcomeCanBeAskedForByTvValueAndByHealthProduct) {
    for (const auto& row : outcomes()) {
        const auto two = (row.cents < 10 ? "0" : "") + std::to_string(row.cents);
        const auto id_valor = std::to_string(900 + row.cents) + ";30" + two;
        EXPECT_EQ(tv_amount(id_valor), 3000 + row.cents) << id_valor;
        const auto partner = health_values("consulta-" + two, "Consulta-" + two);
        ASSERT_TRUE(partner) << two;
        EXPECT_EQ(partner->at("valorProdutoParceiro").as_string(), "60," + two);
    }
}

TEST(Catalogue, AnUnlistedTvValueIsNotSold) {
    for (const auto* text : {"", "101", "101;2501", "999;3099", "902;3003", "1;2500", ";2500", "2500"})
        EXPECT_FALSE(tv_amount(text)) << text;
}

TEST(Catalogue, AnEGiftEntryHasTheDocumentsFields) {
    const auto document = egift_menu("Jogos");
    ASSERT_TRUE(document);
    EXPECT_EQ(document->at("dataHora").as_string(), "31/12/1969 21:00:00");
    for (const auto* name : {"catalogo", "token"})
        EXPECT_TRUE(document->at(name).is_string()) << name;
    ASSERT_EQ(document->at("produtos").as_array().size(), 2U);
    const auto& entry = document->at("produtos").as_array().at(0).as_object();
    for (const auto* name : {"id", "valorMinimo", "valorMaximo"})
        EXPECT_TRUE(entry.at(name).is_int64()) << name;
    for (const auto* name : {"nome", "nomeMenu", "chaveProduto", "configuracaoId"})
        EXPECT_TRUE(entry.at(name).is_string()) << name;
    EXPECT_TRUE(entry.at("valorInformado").is_bool());
    EXPECT_EQ(entry.at("imagens").at(0).at("tamanho").as_string(), "EXTRA_LARGE");
    EXPECT_EQ(entry.at("termos").as_array().size(), 3U);
    const std::string instruction(entry.at("instrucoes").at(0).at("texto").as_string());
    EXPECT_NE(instruction.find("%%ACCOUNTNUMBER%%"), std::string::npos);
    EXPECT_FALSE(egift_menu("Nada"));
}

TEST(Catalogue, EGiftEntriesAreSpreadOverTwoMenus) {
    EXPECT_EQ(egift_menu("Musica")->at("produtos").as_array().size(), 1U);
    const auto sold = [](std::string_view configuracaoId) {
        return sold_for(Family::egift, "Cartao de Musica",
                        {{"tipoProduto", "ONLINE"},
                         {"fornecedor", "Radio Digital"},
                         {"tipoNegocio", 1},
                         {"chaveProduto", "EG-MUSICA"},
                         {"configuracaoId", configuracaoId},
                         {"valor", "1500"}});
    };
    EXPECT_EQ(sold("cfg-musica-01"), 1500);
    EXPECT_FALSE(sold("cfg-moedas-01"));
}

TEST(Catalogue, ACardHasOneOfTheTwoShapesOrBoth) {
    const auto unit = card_values("1000000001")->at("valores").at(0).as_object();
    EXPECT_EQ(unit.at("valorUnitario").as_string(), "440");
    EXPECT_TRUE(unit.contains("quantidadeMinima") && unit.contains("quantidadeMaxima"));
    EXPECT_FALSE(unit.contains("valorMinimo"));
    const auto range = card_values("1000000002")->at("valores").at(0).as_object();
    EXPECT_EQ(range.at("valorMinimo").as_string(), "500");
    EXPECT_FALSE(range.contains("valorUnitario") || range.contains("quantidadeMinima"));
    EXPECT_EQ(card_values("1000000003")->at("valores").as_array().size(), 2U);
    EXPECT_FALSE(card_values("1"));
}

TEST(Catalogue, ACardEntryAllowsItsRangeOrMultiplesOfItsUnit) {
    const auto allows = [](std::size_t card, std::string_view numero, Cents valor) {
        auto fields = card_values(std::string(numero))->at("valores").at(card).as_object();
        for (const auto* name : {"quantidadeMinima", "quantidadeMaxima", "valorUnitario", "valorMinimo", "valorMaximo"})
            fields.erase(name);
        fields["valor"] = std::to_string(valor);
        return sold_for(Family::transit, "Bilhete", fields, "bilhete").has_value();
    };
    EXPECT_TRUE(allows(0, "1000000001", 440) && allows(0, "1000000001", 440 * 50));
    EXPECT_FALSE(allows(0, "1000000001", 441) || allows(0, "1000000001", 440 * 51));
    EXPECT_TRUE(allows(0, "1000000002", 500) && allows(0, "1000000002", 40000));
    EXPECT_FALSE(allows(0, "1000000002", 499) || allows(0, "1000000002", 40001));
}

TEST(Catalogue, AHealthValueHasAComma) {
    EXPECT_EQ(*health_values("consulta", "Consulta"), (json::object{{"nomeProdutoParceiro", "Consulta"},
                                                                    {"valorProdutoParceiro", "59,90"},
                                                                    {"produtoIdParceiro", "7001"}}));
    EXPECT_EQ(health_values("consulta-02", "Consulta-02")->at("valorProdutoParceiro").as_string(), "60,02");
    EXPECT_FALSE(health_values("exame", "Consulta"));
    EXPECT_FALSE(health_values("consulta-99", "Consulta-99"));
    EXPECT_FALSE(health_values("consulta-2", "Consulta-2"));
}

TEST(Catalogue, APlanIsServicePriceAndRecharge) {
    const auto& esim = model_of(Family::esim);
    const auto document = esim.offer({.produto = "Chip Virtual"}, epoch);
    ASSERT_TRUE(document);
    EXPECT_TRUE(document->at("tipoValor").is_number());
    EXPECT_EQ(document->at("valores").at(1).at("valor").as_string(), "302;4990;3000");
    EXPECT_EQ(document->at("valores").at(1).at("chave").as_string(), "Essencial - 8 GB - R$ 49,90");
    EXPECT_FALSE(esim.offer({.produto = "Chip"}, epoch));
}

TEST(Families, EachHasItsTable) {
    for (const auto family : families)
        EXPECT_EQ(model_of(family).family, family);
}

TEST(Catalogue, TheOverviewHasAllFamilies) {
    const auto document = catalogue_overview(epoch);
    for (const auto family : families)
        EXPECT_TRUE(document.contains(to_string(family))) << to_string(family);
    EXPECT_GT(document.at("health").as_array().size(), 30U);
}

}  // namespace
}  // namespace gateway::sandbox
