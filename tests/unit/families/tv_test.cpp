#include "families/request_body.hpp"
#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

const json::value priced = json::parse(R"({"valor":1099,"cpf":"52998224725","fornecedor":"Fornecedor"})");
const json::value dynamic = json::parse(R"({"id_valor":"77;1990"})");

TEST(TvSell, APricedProductIsSentWithValorAndFormattedCpf) {
    const auto [order, errors, rest] = read_sell(Family::tv, priced);
    EXPECT_EQ(errors, FieldErrors{});
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(order.valor, Cents{1099});
    EXPECT_EQ(order.fornecedor, "Fornecedor");
    EXPECT_EQ(order.fields, json::parse(R"({"tipoProduto":"ONLINE","valor":"1099","cpf":"529.982.247-25"})"));
    EXPECT_TRUE(order.extra.empty());
}

TEST(TvSell, TheDynamicPriceProductIsSentWithIdValorAndNoValor) {
    const auto [order, errors, rest] = read_sell(Family::tv, dynamic);
    EXPECT_EQ(errors, FieldErrors{});
    EXPECT_EQ(order.valor, Cents{1990});
    EXPECT_EQ(order.fields, json::parse(R"({"tipoProduto":"ONLINE","id_valor":"77;1990"})"));
}

TEST(TvSell, SolicitarOfTheDynamicPriceProductHasNoValorNoCpfAndNoFornecedor) {
    const auto sale = sale_of(read_sell(Family::tv, dynamic).order);
    EXPECT_EQ(json::parse(request_body(Step::solicitar, sale, sale.current(), "", "")),
              (json::object{{"estabelecimento", "0042"},
                            {"idExterno", sale.current().id_externo.str()},
                            {"produto", "Produto"},
                            {"tipoProduto", "ONLINE"},
                            {"dataHoraCliente", "2024-05-02T13:11:11.480Z"},
                            {"id_valor", "77;1990"}}));
}

TEST(TvSell, BothIdValorAndValorIsAnErrorOnEach) {
    EXPECT_EQ(pointers(read_sell(Family::tv, with(dynamic, "/valor", 1990)).errors), (Pointers{"/id_valor", "/valor"}));
}

TEST(TvSell, ACpfDoesNotGoWithIdValor) {
    EXPECT_EQ(pointers(read_sell(Family::tv, with(dynamic, "/cpf", "52998224725")).errors), Pointers{"/cpf"});
}

TEST(TvSell, TheCpfMayBeFormattedAndWrongCheckDigitsAreNamedThoughItIsRead) {
    EXPECT_EQ(read_sell(Family::tv, with(priced, "/cpf", "529.982.247-25")).order.fields.at("cpf"), "529.982.247-25");
    const auto wrong_check_digits = read_sell(Family::tv, with(priced, "/cpf", "12345678900"));
    EXPECT_EQ(pointers(wrong_check_digits.errors), Pointers{"/cpf"});
    EXPECT_EQ(wrong_check_digits.order.fields.at("cpf"), "123.456.789-00")
        << "a sale of before they were checked is found by it";
}

TEST(TvSell, IdValorRefusesRubbish) {
    for (const auto& value : rubbish())
        EXPECT_EQ(pointers(read_sell(Family::tv, with(dynamic, "/id_valor", value)).errors), Pointers{"/id_valor"})
            << value;
}

TEST(TvSell, IdValorIsAnIdASemicolonAndCents) {
    for (const auto* text :
         {"77", "77;", ";1990", "77;1990;1", "77;19,90", "77;-1", "77;0", "77;100000000", "77; 1990", ";"})
        EXPECT_EQ(pointers(read_sell(Family::tv, json::object{{"id_valor", text}}).errors), Pointers{"/id_valor"})
            << text;
    EXPECT_EQ(read_sell(Family::tv, json::object{{"id_valor", "a-b/ç 1;99999999"}}).order.valor, Cents{99'999'999});
}

TEST(TvSell, AFieldOfAnotherFamilyIsLeftForTheCallerToRefuse) {
    const auto reading = read_sell(Family::tv, with(priced, "/numeroCartao", "1"));
    EXPECT_EQ(reading.errors, FieldErrors{});
    EXPECT_EQ(reading.rest, (json::object{{"numeroCartao", "1"}}));
}

TEST(TvSell, NoErrorQuotesWhatWasSent) {
    for (const auto& error : read_sell(Family::tv, json::object{{"valor", "4711x"}, {"cpf", "4711y"}}).errors)
        EXPECT_EQ(error.detail.find("4711"), std::string::npos);
}

TEST(TvPaths, AreTheDocumentedOnes) {
    const auto& rules = rules_of(Family::tv);
    EXPECT_EQ(rules.family, Family::tv);
    EXPECT_EQ(rules.path(Step::solicitar, ""), "/venda/tv/solicitar");
    EXPECT_EQ(rules.path(Step::confirmar, ""), "/venda/tv/confirmar");
    EXPECT_EQ(rules.path(Step::cancelar, ""), "/venda/tv/cancelar");
    EXPECT_EQ(rules.client_time(requested_at), "2024-05-02T13:11:11.480Z");
}

TEST(TvOptions, TheQuestionIsAboutAProduct) {
    FieldErrors errors;
    auto question = rules_of(Family::tv).question(query_of({{"produto", "TV Pré/1"}}), errors);
    EXPECT_EQ(errors, FieldErrors{});
    EXPECT_EQ(question, (OptionsQuestion{.family = Family::tv, .produto = "TV Pré/1"}));
    question.estabelecimento = "00 42";
    EXPECT_EQ(rules_of(Family::tv).query_path(question), "/venda/tv/consulta-dinamica/00%2042/TV%20Pr%C3%A9%2F1");
}

TEST(TvOptions, AProductThatIsMissingOrUnusableIsAnError) {
    for (const std::map<std::string, std::string, std::less<>>& query :
         {std::map<std::string, std::string, std::less<>>{},
          {{"produto", ""}},
          {{"produto", ".."}},
          {{"produto", "a\nb"}},
          {{"produto", "\xFF"}},
          {{"produto", std::string(251, 'x')}}}) {
        FieldErrors errors;
        rules_of(Family::tv).question(query_of(query), errors);
        EXPECT_EQ(pointers(errors), Pointers{"/produto"});
    }
}

TEST(TvOptions, EachIsSoldByItsIdValor) {
    const OptionsQuestion question{.family = Family::tv, .produto = "TV"};
    const auto options =
        rules_of(Family::tv)
            .read_options(
                question,
                R"({"tipoValor":"DINAMICO","aviso":["x"],"valores":[{"chave":"Plano R$ 19,90","valor":"77;1990"},
                     {"valor":"78;2990","novo":1}]})");
    ASSERT_TRUE(options);
    ASSERT_EQ(options->options.size(), 2U);
    EXPECT_EQ(options->options[0].label, "Plano R$ 19,90");
    EXPECT_EQ(std::get<Option::Fixed>(options->options[0].valor).valor, Cents{1990});
    EXPECT_EQ(options->options[0].sell, (json::object{{"produto", "TV"}, {"id_valor", "77;1990"}}));
    EXPECT_EQ(options->options[1].label, "R$ 29,90");
    EXPECT_EQ(options->details, (json::object{{"tipoValor", "DINAMICO"}, {"aviso", json::array{"x"}}}));
    EXPECT_TRUE(options->left_out.empty());
}

TEST(TvOptions, WhatCannotBeSoldIsLeftOutAndSaidSo) {
    const auto options =
        rules_of(Family::tv)
            .read_options(
                {.family = Family::tv, .produto = "TV"},
                R"({"valores":[1,null,[],{},{"chave":"x"},{"chave":"x","valor":1990},{"chave":"x","valor":"1;19,90"},
            {"chave":"x","valor":"1;0"},{"chave":"x","valor":";10"},{"chave":"x","valor":"1\n;10"},{"chave":5,"valor":"1;10"}]})");
    ASSERT_TRUE(options);
    ASSERT_EQ(options->options.size(), 1U);
    EXPECT_EQ(options->options[0].label, "5");
    ASSERT_EQ(options->left_out.size(), 10U);
    EXPECT_EQ(options->left_out[0], "valores[0]: is not an object");
    EXPECT_EQ(options->left_out[9], "valores[9]: valor is not <id>;<cents> with an amount that can be sold");
}

TEST(TvOptions, AListOfRubbishIsToldInAFewSentences) {
    json::array rubbish_list(1000, json::value(1));
    const auto body = json::serialize(json::object{{"valores", rubbish_list}});
    const auto options = rules_of(Family::tv).read_options({.family = Family::tv, .produto = "TV"}, body);
    ASSERT_TRUE(options);
    ASSERT_EQ(options->left_out.size(), 21U);
    EXPECT_EQ(options->left_out.back(), "valores: 980 more entries");
}

TEST(TvOptions, WhatIsNotTheDocumentedJsonIsMalformed) {
    for (const auto* body :
         {"", "x", "[]", "null", "{}", R"({"valores":null})", R"({"valores":{}})", R"({"valores":[]} x)"}) {
        const auto options = rules_of(Family::tv).read_options({.family = Family::tv, .produto = "TV"}, body);
        ASSERT_FALSE(options) << body;
        EXPECT_EQ(options.error(), errc::malformed) << body;
    }
}

TEST(TvBounds, NoneAreAskedForBecauseIdValorIsThePrice) {
    EXPECT_EQ(rules_of(Family::tv).question_for(read_sell(Family::tv, priced).order), std::nullopt);
    EXPECT_EQ(rules_of(Family::tv).question_for(read_sell(Family::tv, dynamic).order), std::nullopt);
    EXPECT_EQ(rules_of(Family::tv).check_bounds(read_sell(Family::tv, dynamic).order, {}), FieldErrors{});
}

}  // namespace
}  // namespace gateway::test
