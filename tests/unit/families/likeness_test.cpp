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

// Every member of every body that a terminal may send, but those that the contract says do not count.
TEST(SameOrder, EveryMemberOfABodyMakesAnotherOrder) {
    const auto order_of = [](Family family, json::value body) {
        auto reading = read_sell(family, std::move(body));
        EXPECT_TRUE(reading.errors.empty()) << pointers(reading.errors).front();
        auto& order = reading.order;
        order.fields = rules_of(family).understood(order.fields);
        return std::tuple(order.fields, order.valor, order.fornecedor, order.segment);
    };
    const std::vector<std::pair<Family, std::pair<const char*, json::value>>> others{
        {Family::tv, {"/valor", 2501}},
        {Family::tv, {"/cpf", "111.444.777-35"}},
        {Family::tv, {"/fornecedor", "F"}},
        {Family::egift, {"/fornecedor", "F"}},
        {Family::egift, {"/valor", 5001}},
        {Family::egift, {"/tipoNegocio", 2}},
        {Family::egift, {"/chaveProduto", "B"}},
        {Family::egift, {"/configuracaoId", "d"}},
        {Family::transit, {"/numeroCartao", "2"}},
        {Family::transit, {"/tipoCredito", "1"}},
        {Family::transit, {"/tipoProduto", "501"}},
        {Family::transit, {"/descricao", "Recarga"}},
        {Family::transit, {"/valor", 2001}},
        {Family::transit, {"/quantidade", 2}},
        {Family::transit, {"/transit", "top"}},
        {Family::health, {"/produtoIdParceiro", "7002"}},
        {Family::health, {"/valor", 5991}},
        {Family::health, {"/health", "clinica"}},
        {Family::esim, {"/consumidor/cpf", "111.444.777-35"}},
        {Family::esim, {"/consumidor/nome", "Y"}},
        {Family::esim, {"/consumidor/email", "y@c.example"}},
        {Family::esim, {"/consumidor/nascimento", "22041985"}},
        {Family::esim, {"/consumidor/telefone", 11987654322}},
        {Family::esim, {"/endereco/cep", "01310101"}},
        {Family::esim, {"/endereco/complemento", "casa"}},
        {Family::esim, {"/servicoId", "302"}},
        {Family::esim, {"/valorRecarga", 1501}},
        {Family::esim, {"/valor", 2991}},
    };
    const std::vector<std::pair<Family, std::pair<const char*, json::value>>> same{
        {Family::tv, {"/valor", "2500"}},
        {Family::tv, {"/cpf", "52998224725"}},
        {Family::egift, {"/nomeMenu", "Jogos"}},
        {Family::transit, {"/quantidade", 1}},
        {Family::transit, {"/quantidade", "01"}},
        {Family::esim, {"/consumidor/cpf", "52998224725"}},
        {Family::esim, {"/endereco/cep", "01310-100"}},
        {Family::esim, {"/endereco/complemento", ""}},
    };
    for (const auto& sold : all_sold()) {
        const auto body = json::parse(sold.body);
        if (sold.family == Family::tv && body.as_object().contains("id_valor")) continue;
        for (const auto& [family, change] : others)
            if (family == sold.family)
                EXPECT_FALSE(order_of(family, body) == order_of(family, with(body, change.first, change.second)))
                    << to_string(family) << change.first;
        for (const auto& [family, change] : same)
            if (family == sold.family)
                EXPECT_TRUE(order_of(family, body) == order_of(family, with(body, change.first, change.second)))
                    << to_string(family) << change.first;
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
