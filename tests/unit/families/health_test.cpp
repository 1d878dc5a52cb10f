#include "families/request_body.hpp"
#include "unit/families/testing.hpp"
#include "unit/support/zone.hpp"

namespace gateway::test {
namespace {

const json::value sell = json::parse(R"({"produtoIdParceiro":"P-5","valor":4990})");
const OptionsQuestion question{
    .family = Family::health, .estabelecimento = "42", .produto = "Clinica", .segment = "clinica"};
constexpr std::string_view partner =
    R"({"nomeProdutoParceiro":"Consulta","valorProdutoParceiro":"49,90","produtoIdParceiro":"P-5","aviso":{"a":1}})";

// The store's zone is an offset without rules, so that the test needs no zone data.
class HealthTimes : public ::testing::Test {
    Zone store_{"BRT3"};
};

Result<Options> options_of(std::string_view body) {
    return rules_of(Family::health).read_options(question, body);
}

TEST(HealthSell, IsThePartnersProductAndItsPrice) {
    const auto [order, errors, rest] = read_sell(Family::health, sell, "Clinica");
    EXPECT_EQ(errors, FieldErrors{});
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(order.valor, Cents{4990});
    EXPECT_EQ(order.segment, "clinica");
    EXPECT_EQ(order.fields, (json::object{{"produtoIdParceiro", "P-5"}, {"valor", "4990"}}));
}

TEST(HealthSell, TheSegmentIsTheLowerCaseProductUnlessNamed) {
    EXPECT_EQ(read_sell(Family::health, with(sell, "/health", "dr.x"), "Dr X").order.segment, "dr.x");
    EXPECT_EQ(pointers(read_sell(Family::health, sell, "Dr X").errors), Pointers{"/health"});
    EXPECT_EQ(pointers(read_sell(Family::health, with(sell, "/health", "esim")).errors), Pointers{"/health"});
}

TEST_F(HealthTimes, AreWithoutAZoneInEveryRequest) {
    const auto sale = sale_of(read_sell(Family::health, sell, "Clinica").order);
    const auto& attempt = sale.current();
    EXPECT_EQ(json::parse(request_body(Step::solicitar, sale, attempt, "", "")),
              (json::object{{"estabelecimento", "0042"},
                            {"idExterno", attempt.id_externo.str()},
                            {"produto", "Clinica"},
                            {"dataHoraCliente", "2024-05-02T10:11:11.480"},
                            {"valor", "4990"},
                            {"produtoIdParceiro", "P-5"}}));
    EXPECT_EQ(json::parse(request_body(Step::confirmar, sale, attempt, "", "")).at("dataHoraCliente"),
              "2024-05-02T10:11:12.500");
    EXPECT_EQ(json::parse(request_body(Step::cancelar, sale, attempt, "", "")).at("dataHoraCliente"),
              "2024-05-02T10:13:11.480");
}

TEST(HealthPaths, ThereIsNoDocumentedCancel) {
    const auto& rules = rules_of(Family::health);
    EXPECT_EQ(rules.path(Step::solicitar, "clinica"), "/venda/clinica/solicitar");
    EXPECT_EQ(rules.path(Step::confirmar, "clinica"), "/venda/clinica/confirmar");
    EXPECT_EQ(rules.path(Step::cancelar, "clinica"), "");
}

TEST(HealthOptions, TheQuestionIsAboutAPartnersProduct) {
    const auto& rules = rules_of(Family::health);
    FieldErrors errors;
    auto asked = rules.question(query_of({{"produto", "Clinica"}}), errors);
    asked.estabelecimento = "42";
    EXPECT_EQ(asked, question);
    EXPECT_EQ(rules.query_path(asked), "/venda/clinica/42/Clinica/valores");
    asked = rules.question(query_of({{"produto", "Dr X"}, {"health", "drx"}}), errors);
    EXPECT_EQ(rules.query_path(asked), "/venda/drx//Dr%20X/valores");
    EXPECT_EQ(errors, FieldErrors{});
    rules.question(query_of({{"produto", "Dr X"}}), errors);
    EXPECT_EQ(pointers(errors), Pointers{"/health"});
}

TEST(HealthOptions, TheAnswerIsTheOneThingThatIsSold) {
    const auto options = options_of(partner);
    ASSERT_TRUE(options);
    ASSERT_EQ(options->options.size(), 1U);
    EXPECT_EQ(options->options[0].label, "Consulta");
    EXPECT_EQ(std::get<Option::Fixed>(options->options[0].valor).valor, Cents{4990});
    EXPECT_EQ(options->options[0].sell,
              (json::object{{"produto", "Clinica"}, {"produtoIdParceiro", "P-5"}, {"valor", 4990}}));
    EXPECT_EQ(options->details, (json::object{{"aviso", json::object{{"a", 1}}}}));
}

TEST(HealthOptions, ANamedSegmentIsCopiedIntoTheSell) {
    auto asked = question;
    asked.segment = "drx";
    EXPECT_EQ(rules_of(Family::health).read_options(asked, partner)->options.at(0).sell.at("health"), "drx");
}

TEST(HealthOptions, APriceIsADecimalWithAComma) {
    const auto price = [](json::value text) {
        return options_of(json::serialize(with(json::parse(partner), "/valorProdutoParceiro", std::move(text))))
            ->options;
    };
    EXPECT_EQ(std::get<Option::Fixed>(price("49,90").at(0).valor).valor, Cents{4990});
    EXPECT_EQ(std::get<Option::Fixed>(price("1.049,90").at(0).valor).valor, Cents{104990});
    for (const json::value& text :
         {json::value("8990"), json::value("49"), json::value("49,9"), json::value("89,900"), json::value(",90"),
          json::value("49.90"), json::value(4990), json::value(49.9), json::value("0,00"), json::value("-1,00"),
          json::value(""), json::value(nullptr), json::value("9999999,00")})
        EXPECT_TRUE(price(text).empty()) << text;
}

TEST(HealthOptions, AnAnswerThatCannotBeSoldIsSaidSo) {
    EXPECT_EQ(options_of("{}")->left_out, std::vector<std::string>{"produtoIdParceiro is not a text that can be sent"});
    EXPECT_EQ(options_of("[]").error(), errc::malformed);
    EXPECT_EQ(options_of("").error(), errc::malformed);
}

TEST(HealthBounds, ValorIsThePartnersPriceExactly) {
    const auto options = options_of(partner).value();
    const auto check = [&](json::value body) {
        return rules_of(Family::health).check_bounds(read_sell(Family::health, std::move(body)).order, options);
    };
    EXPECT_EQ(check(sell), FieldErrors{});
    EXPECT_EQ(check(with(sell, "/valor", 4991)), (FieldErrors{{"/valor", "must be 4990"}}));
    EXPECT_EQ(check(with(with(sell, "/valor", 1), "/produtoIdParceiro", "P-6")), FieldErrors{});
}

TEST(HealthBounds, AreAskedForThePartnerAsATerminalWouldAsk) {
    auto order = read_sell(Family::health, sell, "Clinica").order;
    order.estabelecimento = "42";
    EXPECT_EQ(rules_of(Family::health).question_for(order), question);
}

}  // namespace
}  // namespace gateway::test
