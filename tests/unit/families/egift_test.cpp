#include "unit/families/testing.hpp"

namespace gateway::test {
namespace {

const json::value sell = json::parse(R"({"fornecedor":"Loja","valor":"5000","tipoNegocio":3,"chaveProduto":"CH-1",
                                         "configuracaoId":"CFG-9","nomeMenu":"Jogos"})");

constexpr std::string_view catalogue =
    R"({"dataHora":"02/05/2024 10:11:12","catalogo":"C1","token":"tok-secret","produtos":[
    {"id":1,"nome":"Cartão Jogos","nomeMenu":"Jogos BR","chaveProduto":"CH-1","configuracaoId":"CFG-9",
     "imagens":[{"url":"https://img/1","tamanho":"EXTRA_LARGE"}],"valorMinimo":1000,"valorMaximo":20000,
     "valorInformado":true,"termos":[{"texto":"T","tipo":"WEB"}],"instrucoes":[{"texto":"%%ACCOUNTNUMBER%%",
     "tipo":"REDEMPTION_INFORMATION"}]},
    {"nome":"Fixo","chaveProduto":2,"configuracaoId":"CFG-2","valorMinimo":"3000","valorMaximo":3000}]})";

Result<Options> options_of(std::string_view body) {
    return rules_of(Family::egift).read_options({.family = Family::egift, .menu = "Jogos"}, body);
}

TEST(EgiftSell, IsSentWithTheCatalogueEntrysFields) {
    const auto [order, errors, rest] = read_sell(Family::egift, sell);
    EXPECT_EQ(errors, FieldErrors{});
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(order.valor, Cents{5000});
    EXPECT_EQ(order.fornecedor, "Loja");
    EXPECT_EQ(order.fields, json::parse(R"({"tipoProduto":"ONLINE","tipoNegocio":3,"chaveProduto":"CH-1",
                                            "configuracaoId":"CFG-9","valor":"5000"})"));
    EXPECT_EQ(order.extra, (json::object{{"nomeMenu", "Jogos"}}));
}

TEST(EgiftSell, NomeMenuIsNotRequired) {
    EXPECT_EQ(read_sell(Family::egift, without(sell, "/nomeMenu")).errors, FieldErrors{});
}

TEST(EgiftSell, TipoNegocioIsAnyIntegerButOnlyAnInteger) {
    for (const json::value& value : {json::value(0), json::value(-1), json::value(2'147'483'647)})
        EXPECT_EQ(read_sell(Family::egift, with(sell, "/tipoNegocio", value)).order.fields.at("tipoNegocio"), value);
    for (const json::value& value :
         {json::value("3"), json::value(3.0), json::value(2'147'483'648), json::value(nullptr)})
        EXPECT_EQ(pointers(read_sell(Family::egift, with(sell, "/tipoNegocio", value)).errors),
                  Pointers{"/tipoNegocio"});
}

TEST(EgiftPaths, TheCancelIsTheVouchers) {
    const auto& rules = rules_of(Family::egift);
    EXPECT_EQ(rules.path(Step::solicitar, ""), "/venda/egift/solicitar");
    EXPECT_EQ(rules.path(Step::confirmar, ""), "/venda/egift/confirmar");
    EXPECT_EQ(rules.path(Step::cancelar, ""), "/venda/voucher/cancelar");
}

TEST(EgiftOptions, TheQuestionIsAboutAMenu) {
    FieldErrors errors;
    auto question = rules_of(Family::egift).question(query_of({{"nomeMenu", "Jogos & Cia"}}), errors);
    EXPECT_EQ(errors, FieldErrors{});
    question.estabelecimento = "42";
    EXPECT_EQ(rules_of(Family::egift).query_path(question), "/venda/egift/consulta-dinamica/42/Jogos%20%26%20Cia");
    rules_of(Family::egift).question(query_of({{"produto", "x"}}), errors);
    EXPECT_EQ(pointers(errors), Pointers{"/nomeMenu"});
}

TEST(EgiftOptions, AreTheCatalogueWithItsBounds) {
    const auto options = options_of(catalogue);
    ASSERT_TRUE(options);
    ASSERT_EQ(options->options.size(), 2U);
    const auto& range = std::get<Option::Range>(options->options[0].valor);
    EXPECT_EQ(options->options[0].label, "Cartão Jogos");
    EXPECT_EQ(range.min, Cents{1000});
    EXPECT_EQ(range.max, Cents{20000});
    EXPECT_EQ(options->options[0].sell, (json::object{{"produto", "Cartão Jogos"},
                                                      {"nomeMenu", "Jogos"},
                                                      {"chaveProduto", "CH-1"},
                                                      {"configuracaoId", "CFG-9"}}));
    EXPECT_TRUE(options->left_out.empty());
}

TEST(EgiftOptions, ARangeOfOneAmountIsAFixedPrice) {
    const auto options = options_of(catalogue);
    EXPECT_EQ(std::get<Option::Fixed>(options->options.at(1).valor).valor, Cents{3000});
    EXPECT_EQ(options->options[1].sell, (json::object{{"produto", "Fixo"},
                                                      {"nomeMenu", "Jogos"},
                                                      {"chaveProduto", "2"},
                                                      {"configuracaoId", "CFG-2"},
                                                      {"valor", 3000}}));
}

TEST(EgiftOptions, TellTheSupplierAndTheKindOfBusinessWhereTheCatalogueDoes) {
    const auto sell_of = [](const char* more) {
        const auto body = std::string(R"({"produtos":[{"nome":"N","chaveProduto":"C","configuracaoId":"F",
                                          "valorMinimo":1,"valorMaximo":2)") +
                          more + "}]}";
        return options_of(body)->options.at(0).sell;
    };
    const auto told = sell_of(R"(,"fornecedor":"Estudio","tipoNegocio":3)");
    EXPECT_EQ(told.at("fornecedor"), "Estudio");
    EXPECT_EQ(told.at("tipoNegocio"), 3);
    for (const auto* more : {"", R"(,"fornecedor":"","tipoNegocio":"3")", R"(,"fornecedor":{},"tipoNegocio":3e9)",
                             R"(,"fornecedor":null,"tipoNegocio":2147483648)"}) {
        EXPECT_FALSE(sell_of(more).contains("fornecedor")) << more;
        EXPECT_FALSE(sell_of(more).contains("tipoNegocio")) << more;
    }
}

TEST(EgiftOptions, DetailsAreTheRestUnchangedWithoutTheToken) {
    auto expected = json::parse(catalogue).as_object();
    expected.erase("token");
    EXPECT_EQ(options_of(catalogue)->details, expected);
}

TEST(EgiftOptions, AnEntryWithoutItsTextsOrWithSenselessBoundsIsLeftOut) {
    const auto entry =
        json::parse(R"({"nome":"N","chaveProduto":"C","configuracaoId":"F","valorMinimo":1,"valorMaximo":2})");
    json::array entries{entry,
                        without(entry, "/nome"),
                        with(entry, "/nome", ""),
                        with(entry, "/chaveProduto", nullptr),
                        with(entry, "/configuracaoId", json::array{}),
                        with(entry, "/valorMinimo", 3),
                        with(entry, "/valorMinimo", -1),
                        with(entry, "/valorMinimo", "1,00"),
                        with(entry, "/valorMaximo", 2.5),
                        without(entry, "/valorMaximo"),
                        with(entry, "/valorMaximo", 0),
                        with(entry, "/valorMaximo", 1e300),
                        json::array{entry}};
    const auto options = options_of(json::serialize(json::object{{"produtos", entries}}));
    ASSERT_TRUE(options);
    EXPECT_EQ(options->options.size(), 1U);
    EXPECT_EQ(options->left_out.size(), entries.size() - 1);
}

TEST(EgiftOptions, BoundsAreCutToWhatASaleCanBe) {
    const auto options = options_of(
        R"({"produtos":[{"nome":"N","chaveProduto":"C","configuracaoId":"F","valorMinimo":0,"valorMaximo":99999999999}]})");
    const auto& range = std::get<Option::Range>(options->options.at(0).valor);
    EXPECT_EQ(range.min, Cents{1});
    EXPECT_EQ(range.max, Cents{99'999'999});
}

TEST(EgiftBounds, AreAskedForWhereTheTerminalNamesTheMenu) {
    auto order = read_sell(Family::egift, sell).order;
    order.estabelecimento = "42";
    EXPECT_EQ(rules_of(Family::egift).question_for(order),
              (OptionsQuestion{.family = Family::egift, .estabelecimento = "42", .menu = "Jogos"}));
    order.extra.clear();
    EXPECT_EQ(rules_of(Family::egift).question_for(order), std::nullopt);
}

TEST(EgiftBounds, ValorLiesWithinThoseOfItsOwnEntry) {
    const auto options = options_of(catalogue).value();
    const auto check = [&](json::value body) {
        return rules_of(Family::egift).check_bounds(read_sell(Family::egift, std::move(body)).order, options);
    };
    EXPECT_EQ(check(with(sell, "/valor", 1000)), FieldErrors{});
    EXPECT_EQ(check(with(sell, "/valor", 20000)), FieldErrors{});
    EXPECT_EQ(check(with(sell, "/valor", 999)), (FieldErrors{{"/valor", "must be from 1000 to 20000"}}));
    EXPECT_EQ(check(with(sell, "/valor", 20001)), (FieldErrors{{"/valor", "must be from 1000 to 20000"}}));
    const auto fixed = with(with(sell, "/chaveProduto", "2"), "/configuracaoId", "CFG-2");
    EXPECT_EQ(check(with(fixed, "/valor", 3000)), FieldErrors{});
    EXPECT_EQ(check(with(fixed, "/valor", 5000)), (FieldErrors{{"/valor", "must be 3000"}}));
}

TEST(EgiftBounds, AnEntryThatIsNotListedIsNotChecked) {
    const auto options = options_of(catalogue).value();
    const auto unlisted = read_sell(Family::egift, with(with(sell, "/configuracaoId", "CFG-1"), "/valor", 1)).order;
    EXPECT_EQ(rules_of(Family::egift).check_bounds(unlisted, options), FieldErrors{});
}

TEST(EgiftReceipt, TellsHowToRedeemInTheCataloguesWordsWithTheAccountNumberFilledIn) {
    const auto order = read_sell(Family::egift, sell).order;
    const auto body =
        with(json::parse(catalogue), "/produtos/0/instrucoes/0/texto", "Abra https://r/?c=%%ACCOUNTNUMBER%%");
    const auto offered = options_of(json::serialize(body));
    ASSERT_TRUE(offered.has_value());
    auto sale = sale_of(order);
    sale.redemption = rules_of(Family::egift).redemption_of(order, *offered);
    EXPECT_EQ(sale.redemption, "Abra https://r/?c=%%ACCOUNTNUMBER%%");
    const auto lines = rules_of(Family::egift).receipt_lines(sale, json::parse(R"({"token":"763"})"));
    EXPECT_NE(std::find(lines.begin(), lines.end(), "Abra https://r/?c=763"), lines.end());
}

TEST(EgiftReceipt, WithoutTheCodeSaysNothingOfWhatItIsToBePutInto) {
    auto sale = sale_of(read_sell(Family::egift, sell).order);
    sale.redemption = "Abra https://r/?c=%%ACCOUNTNUMBER%%";
    EXPECT_EQ(rules_of(Family::egift).receipt_lines(sale, nullptr), std::vector<std::string>());
    sale.redemption = "Na loja";
    EXPECT_EQ(rules_of(Family::egift).receipt_lines(sale, nullptr), std::vector<std::string>{"Na loja"});
}

TEST(EgiftReceipt, AnOfferThatSaysNothingAddsNothing) {
    const auto order = read_sell(Family::egift, with(sell, "/chaveProduto", "CH-2")).order;
    EXPECT_EQ(rules_of(Family::egift).redemption_of(order, *options_of(catalogue)), "");
}

}  // namespace
}  // namespace gateway::test
