#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

struct Sold {
    Family family;
    const char* body;
    std::vector<std::pair<const char*, json::value>> others;  // fields that make it another sale
    std::vector<std::pair<const char*, json::value>> same;    // and those that do not
};

const std::vector<Sold>& all_sold() {
    static const std::vector<Sold> all{
        {Family::tv,
         R"({"valor":2500,"cpf":"529.982.247-25"})",
         {{"/cpf", "111.444.777-35"}},
         {{"/cpf", "52998224725"}}},
        {Family::tv, R"({"id_valor":"101;2500"})", {{"/id_valor", "102;2500"}}, {}},
        {Family::egift,
         R"({"fornecedor":"E","valor":5000,"tipoNegocio":1,"chaveProduto":"A","configuracaoId":"c"})",
         {{"/chaveProduto", "B"}, {"/configuracaoId", "d"}},
         {{"/nomeMenu", "Jogos"}, {"/tipoNegocio", 2}}},
        {Family::transit,
         R"({"numeroCartao":"1","tipoCredito":"2","tipoProduto":"502","descricao":"Livre","valor":2000})",
         {{"/numeroCartao", "2"}, {"/tipoCredito", "1"}, {"/tipoProduto", "501"}},
         {{"/descricao", "Recarga"}, {"/quantidade", 1}}},
        {Family::health, R"({"produtoIdParceiro":"7001","valor":5990})", {{"/produtoIdParceiro", "7002"}}, {}},
        {Family::esim,
         R"({"consumidor":{"cpf":"529.982.247-25","nome":"Z","email":"z@c.example","nascimento":"21041985",
                           "telefone":11987654321},
             "endereco":{"tipoEnderecoId":1,"cep":"01310100","uf":"SP","cidade":"S","bairro":"B","tipoLogradouroId":2,
                         "logradouro":"L","numeroLogradouro":1},
             "servicoId":"301","valorRecarga":1500,"valor":2990})",
         {{"/consumidor/cpf", "111.444.777-35"}, {"/servicoId", "302"}},
         {{"/consumidor/cpf", "52998224725"}, {"/consumidor/nome", "Y"}, {"/endereco/cidade", "T"}}},
    };
    return all;
}

Secret likeness_of(Family family, json::value body) {
    const auto reading = read_sell(family, std::move(body));
    EXPECT_TRUE(reading.errors.empty()) << pointers(reading.errors).front();
    return rules_of(family).likeness_of(reading.order.fields);
}

TEST(Likeness, IsThatOfTheProductAndOfTheCardOrTheCpf) {
    for (const auto& sold : all_sold()) {
        const auto body = json::parse(sold.body);
        const auto known = likeness_of(sold.family, body);
        for (const auto& [pointer, value] : sold.others)
            EXPECT_FALSE(likeness_of(sold.family, with(body, pointer, value)) == known)
                << to_string(sold.family) << pointer;
        for (const auto& [pointer, value] : sold.same)
            EXPECT_TRUE(likeness_of(sold.family, with(body, pointer, value)) == known)
                << to_string(sold.family) << pointer;
    }
}

TEST(Likeness, OnlyTransitSalesAreOfACard) {
    for (const auto& sold : all_sold()) {
        const auto order = read_sell(sold.family, json::parse(sold.body)).order;
        EXPECT_EQ(rules_of(sold.family).card_of(order.fields).reveal(), sold.family == Family::transit ? "1" : "");
    }
}

}  // namespace
}  // namespace gateway::test
