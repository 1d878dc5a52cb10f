#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

const json::value sell =
    json::parse(R"({"numeroCartao":"0012345","tipoCredito":"1","tipoProduto":"604","descricao":"Comum",
                                         "valor":880,"quantidade":2})");

const OptionsQuestion question{.family = Family::transit,
                               .estabelecimento = "42",
                               .produto = "TOP",
                               .segment = "top",
                               .customers = Secret("0012345")};

// These are the two documented shapes, and a unit value without quantities.
constexpr std::string_view card = R"({"valores":[
    {"numeroCartao":"0012345","tipoCredito":"1","tipoProduto":"604","descricao":"Comum","quantidadeMinima":"1",
     "quantidadeMaxima":"50","valorUnitario":"440"},
    {"numeroCartao":"0012345","tipoCredito":"2","tipoProduto":"605","descricao":"Livre","valorMinimo":"1000",
     "valorMaximo":"20000"},
    {"numeroCartao":"0012345","tipoCredito":"3","tipoProduto":"606","descricao":"Diário","valorUnitario":"500"}],
    "aviso":"x"})";

Result<Options> options_of(std::string_view body) {
    return rules_of(Family::transit).read_options(question, body);
}

// Returns the options of an answer with one entry, some of whose fields are changed.
Result<Options> options_with(const json::object& changes) {
    auto entry = json::parse(card).at_pointer("/valores/0").as_object();
    for (const auto& change : changes)
        entry[change.key()] = change.value();
    return options_of(json::serialize(json::object{{"valores", json::array{entry}}}));
}

FieldErrors check(const json::value& body, const Options& options) {
    return rules_of(Family::transit).check_bounds(read_sell(Family::transit, body, "top").order, options);
}

TEST(TransitSell, CopiesTheCardsEntryAndKeepsTheQuantityToItself) {
    const auto [order, errors, rest] = read_sell(Family::transit, sell, "TOP");
    EXPECT_EQ(errors, FieldErrors{});
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(order.valor, Cents{880});
    EXPECT_EQ(order.segment, "top");
    EXPECT_EQ(order.fields, json::parse(R"({"numeroCartao":"0012345","tipoCredito":"1","tipoProduto":"604",
                                            "descricao":"Comum","valor":"880","quantidade":2})"));
}

TEST(TransitSell, AQuantityThatIsNotNamedIsOne) {
    EXPECT_EQ(read_sell(Family::transit, without(sell, "/quantidade")).order.fields.at("quantidade"), 1);
}

TEST(TransitSell, QuantityIsAPositiveIntegerOrItsDigits) {
    EXPECT_EQ(read_sell(Family::transit, with(sell, "/quantidade", "3")).order.fields.at("quantidade"), 3);
    EXPECT_EQ(read_sell(Family::transit, with(sell, "/quantidade", 9999)).order.fields.at("quantidade"), 9999);
    for (const json::value& value :
         {json::value(0), json::value("0"), json::value(10000), json::value(2.0), json::value("2,0")})
        EXPECT_EQ(pointers(read_sell(Family::transit, with(sell, "/quantidade", value)).errors),
                  Pointers{"/quantidade"});
}

TEST(TransitSell, TheSegmentIsTheLowerCaseProductUnlessNamed) {
    EXPECT_EQ(read_sell(Family::transit, sell, "RioCard-2").order.segment, "riocard-2");
    EXPECT_EQ(read_sell(Family::transit, with(sell, "/transit", "top"), "Bilhete Único").order.segment, "top");
}

TEST(TransitSell, AProductThatIsNoSegmentNeedsOneNamed) {
    for (const auto* produto : {"Bilhete Único", "TV", "Transporte", "..", "a/b", "Top%2F"})
        EXPECT_EQ(pointers(read_sell(Family::transit, sell, produto).errors), Pointers{"/transit"}) << produto;
}

TEST(TransitSell, ASegmentThatLeadsElsewhereIsRefused) {
    for (const auto* segment : {"tv", "egift", "esim", "voucher", "transporte", ".", "..", "Top", "a/b", ""})
        EXPECT_EQ(pointers(read_sell(Family::transit, with(sell, "/transit", segment)).errors), Pointers{"/transit"});
}

TEST(TransitSell, AProductWithAnErrorOfItsOwnGetsNoSecondOne) {
    EXPECT_EQ(read_sell(Family::transit, sell, "").errors, FieldErrors{});
}

TEST(TransitPaths, HoldTheSegmentEncoded) {
    const auto& rules = rules_of(Family::transit);
    EXPECT_EQ(rules.path(Step::solicitar, "top"), "/venda/transporte/top/solicitar");
    EXPECT_EQ(rules.path(Step::confirmar, "top"), "/venda/transporte/top/confirmar");
    EXPECT_EQ(rules.path(Step::cancelar, "a/b"), "/venda/transporte/a%2Fb/cancelar");
}

TEST(TransitOptions, TheQuestionIsAboutACard) {
    FieldErrors errors;
    const auto& rules = rules_of(Family::transit);
    auto asked = rules.question(query_of({{"produto", "TOP"}, {"numeroCartao", "0012345"}}), errors);
    EXPECT_EQ(errors, FieldErrors{});
    asked.estabelecimento = "42";
    EXPECT_EQ(asked, question);
    EXPECT_EQ(rules.query_path(asked), "/venda/transporte/top/consulta-valores/42/top/0012345");
    asked = rules.question(query_of({{"produto", "TOP"}, {"numeroCartao", "1 2"}, {"transit", "metro"}}), errors);
    EXPECT_EQ(rules.query_path(asked), "/venda/transporte/metro/consulta-valores//metro/1%202");
    EXPECT_EQ(errors, FieldErrors{});
}

TEST(TransitOptions, AQuestionMissesWhatItMisses) {
    const auto asked = [](std::map<std::string, std::string, std::less<>> query) {
        FieldErrors errors;
        rules_of(Family::transit).question(query_of(std::move(query)), errors);
        return pointers(errors);
    };
    EXPECT_EQ(asked({}), (Pointers{"/produto", "/numeroCartao"}));
    EXPECT_EQ(asked({{"produto", "Bilhete Único"}, {"numeroCartao", "1"}}), Pointers{"/transit"});
    EXPECT_EQ(asked({{"produto", "top"}, {"numeroCartao", ".."}, {"transit", "tv"}}),
              (Pointers{"/transit", "/numeroCartao"}));
}

TEST(TransitOptions, EveryDocumentedShapeIsRead) {
    const auto options = options_of(card);
    ASSERT_TRUE(options);
    ASSERT_EQ(options->options.size(), 3U);
    const auto& unit = std::get<Option::Unit>(options->options[0].valor);
    EXPECT_EQ(options->options[0].label, "Comum");
    EXPECT_EQ(unit.unit, Cents{440});
    EXPECT_EQ(unit.min_quantity, 1);
    EXPECT_EQ(unit.max_quantity, 50);
    EXPECT_EQ(options->options[0].sell, json::parse(R"({"produto":"TOP","numeroCartao":"0012345","tipoCredito":"1",
                                                        "tipoProduto":"604","descricao":"Comum"})"));
    const auto& range = std::get<Option::Range>(options->options[1].valor);
    EXPECT_EQ(range.min, Cents{1000});
    EXPECT_EQ(range.max, Cents{20000});
    EXPECT_EQ(std::get<Option::Fixed>(options->options[2].valor).valor, Cents{500});
    EXPECT_EQ(options->options[2].sell, json::parse(R"({"produto":"TOP","numeroCartao":"0012345","tipoCredito":"3",
                                                        "tipoProduto":"606","descricao":"Diário","valor":500})"));
    EXPECT_EQ(options->details, (json::object{{"aviso", "x"}}));
    EXPECT_TRUE(options->left_out.empty());
}

TEST(TransitOptions, ANamedSegmentIsCopiedIntoTheSell) {
    auto asked = question;
    asked.segment = "metro";
    const auto options = rules_of(Family::transit).read_options(asked, card);
    EXPECT_EQ(options->options.at(0).sell.at("transit"), "metro");
    EXPECT_FALSE(options_of(card)->options.at(0).sell.contains("transit"));
}

TEST(TransitOptions, AUnitValueOfZeroMeansARange) {
    for (const json::value& zero : {json::value("0"), json::value(0), json::value("000"), json::value(nullptr)}) {
        const auto options = options_with({{"valorUnitario", zero}, {"valorMinimo", 100}, {"valorMaximo", "200"}});
        ASSERT_EQ(options->options.size(), 1U) << zero;
        EXPECT_EQ(std::get<Option::Range>(options->options[0].valor).max, Cents{200});
    }
    EXPECT_TRUE(options_with({{"valorUnitario", "0"}})->options.empty());
}

TEST(TransitOptions, AQuantityFromNothingStartsAtOne) {
    EXPECT_EQ(std::get<Option::Unit>(options_with({{"quantidadeMinima", "0"}})->options.at(0).valor).min_quantity, 1);
}

TEST(TransitOptions, NumbersMayComeAsIntegers) {
    const auto options =
        options_with({{"valorUnitario", 440}, {"quantidadeMaxima", 5}, {"tipoProduto", 604}, {"tipoCredito", 1}});
    ASSERT_EQ(options->options.size(), 1U);
    EXPECT_EQ(std::get<Option::Unit>(options->options[0].valor).max_quantity, 5);
    EXPECT_EQ(options->options[0].sell.at("tipoProduto"), "604");
}

TEST(TransitOptions, TheAskedCardStandsInForAMissingNumber) {
    EXPECT_EQ(options_with({{"numeroCartao", nullptr}})->options.at(0).sell.at("numeroCartao"), "0012345");
}

TEST(TransitOptions, AnAmountOrAQuantityThatMakesNoSenseIsLeftOut) {
    const json::value rubbish_values[] = {
        "4,40", "4.40",     -1, "-1", 4.4, true, json::array{}, json::object{}, "", "abc", "99999999999999999999",
        1e300,  100'000'000};
    for (const auto& value : rubbish_values)
        EXPECT_TRUE(options_with({{"valorUnitario", value}})->options.empty()) << value;
    for (const json::value& value :
         {json::value("0"), json::value(-1), json::value(1.5), json::value("x"), json::value("")})
        EXPECT_TRUE(options_with({{"quantidadeMaxima", value}})->options.empty()) << value;
    EXPECT_TRUE(options_with({{"quantidadeMinima", "51"}})->options.empty());
    EXPECT_TRUE(options_with({{"descricao", ""}})->options.empty());
    EXPECT_TRUE(options_with({{"tipoCredito", nullptr}})->options.empty());
    EXPECT_EQ(options_with({{"valorUnitario", "4,40"}})->left_out,
              std::vector<std::string>{"valores[0]: has neither a unit value with a quantity nor a range of values"});
}

TEST(TransitOptions, AQuantityNobodyCouldPayForIsNotOffered) {
    const auto options = options_with({{"valorUnitario", "40000000"}, {"quantidadeMaxima", "999999999999"}});
    EXPECT_EQ(std::get<Option::Unit>(options->options.at(0).valor).max_quantity, 2);
    EXPECT_EQ(std::get<Option::Fixed>(options_with({{"valorUnitario", "60000000"}})->options.at(0).valor).valor,
              Cents{60'000'000});
}

TEST(TransitOptions, WhatIsLeftOutIsDescribedWithoutTheCard) {
    const auto options = options_with({{"valorUnitario", "0012345,0"}});
    ASSERT_EQ(options->left_out.size(), 1U);
    EXPECT_EQ(options->left_out[0].find("0012345"), std::string::npos);
}

TEST(TransitBounds, AreAskedForTheCardAsATerminalWouldAsk) {
    auto order = read_sell(Family::transit, sell, "TOP").order;
    order.estabelecimento = "42";
    EXPECT_EQ(rules_of(Family::transit).question_for(order), question);
}

TEST(TransitBounds, ValorIsUnitValueTimesQuantity) {
    const auto options = options_of(card).value();
    EXPECT_EQ(check(sell, options), FieldErrors{});
    EXPECT_EQ(check(with(sell, "/valor", 881), options), (FieldErrors{{"/valor", "must be 440 times quantidade"}}));
    EXPECT_EQ(check(without(with(sell, "/valor", 440), "/quantidade"), options), FieldErrors{});
    EXPECT_EQ(pointers(check(without(sell, "/quantidade"), options)), Pointers{"/valor"});
    EXPECT_EQ(check(with(with(sell, "/quantidade", 51), "/valor", 51 * 440), options),
              (FieldErrors{{"/quantidade", "must be from 1 to 50"}}));
    EXPECT_EQ(check(with(with(sell, "/quantidade", 50), "/valor", 50 * 440), options), FieldErrors{});
}

TEST(TransitBounds, AQuantityHasALeastToo) {
    const auto options = options_with({{"quantidadeMinima", "2"}}).value();
    EXPECT_EQ(std::get<Option::Unit>(options.options.at(0).valor).min_quantity, 2);
    EXPECT_EQ(check(sell, options), FieldErrors{});
    EXPECT_EQ(check(with(with(sell, "/quantidade", 1), "/valor", 440), options),
              (FieldErrors{{"/quantidade", "must be from 2 to 50"}}));
}

TEST(TransitBounds, AnyOfSeveralEntriesThatFitMayAllowTheSale) {
    const auto range = json::parse(card).at_pointer("/valores/1");
    const auto higher = with(with(range, "/valorMinimo", "30000"), "/valorMaximo", "40000");
    const auto free = json::parse(R"({"numeroCartao":"0012345","tipoCredito":"2","tipoProduto":"605",
                                      "descricao":"Livre","valor":1000})");
    const auto options = options_of(json::serialize(json::object{{"valores", json::array{higher, range}}})).value();
    EXPECT_EQ(check(free, options), FieldErrors{});
    EXPECT_EQ(check(with(free, "/valor", 30000), options), FieldErrors{});
    EXPECT_EQ(check(with(free, "/valor", 25000), options), (FieldErrors{{"/valor", "must be from 30000 to 40000"}}));
}

TEST(TransitBounds, ValorLiesWithinARange) {
    const auto options = options_of(card).value();
    const auto free =
        json::parse(R"({"numeroCartao":"0012345","tipoCredito":"2","tipoProduto":"605","descricao":"Livre",
                                      "valor":1000})");
    EXPECT_EQ(check(free, options), FieldErrors{});
    EXPECT_EQ(check(with(free, "/valor", 20000), options), FieldErrors{});
    EXPECT_EQ(pointers(check(with(free, "/valor", 999), options)), Pointers{"/valor"});
    EXPECT_EQ(pointers(check(with(free, "/valor", 20001), options)), Pointers{"/valor"});
    EXPECT_EQ(pointers(check(with(free, "/quantidade", 2), options)), Pointers{"/quantidade"});
    EXPECT_EQ(check(with(free, "/quantidade", 1), options), FieldErrors{});
}

TEST(TransitBounds, ADescriptionOfItsOwnDoesNotTakeAnOrderOutOfItsBounds) {
    const auto options = options_of(card).value();
    EXPECT_EQ(pointers(check(with(with(sell, "/descricao", "Outra"), "/valor", 881), options)), Pointers{"/valor"});
}

TEST(TransitBounds, WhereEntriesDifferByDescriptionOnlyThatDecides) {
    const auto entry = json::parse(card).at_pointer("/valores/0");
    const auto other = with(with(entry, "/descricao", "Estudante"), "/valorUnitario", "220");
    const auto options = options_of(json::serialize(json::object{{"valores", json::array{entry, other}}})).value();
    EXPECT_EQ(check(with(with(sell, "/descricao", "Estudante"), "/valor", 440), options), FieldErrors{});
    EXPECT_EQ(pointers(check(with(sell, "/valor", 440), options)), Pointers{"/valor"});
}

TEST(TransitBounds, AnEntryThatIsNotListedIsNotChecked) {
    EXPECT_EQ(check(with(with(sell, "/tipoProduto", "999"), "/valor", 1), options_of(card).value()), FieldErrors{});
    EXPECT_EQ(check(sell, Options{}), FieldErrors{});
}

}  // namespace
}  // namespace gateway::test
