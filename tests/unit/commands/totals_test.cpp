#include "unit/commands/rig.hpp"

namespace gateway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto day = R"({"from":"2026-11-20","to":"2026-11-20",
    "total":{"sold":{"count":3,"valor":5100},"cancelled":{"count":0,"valor":0},"refused":{"count":1,"valor":4900},
             "open":{"count":1,"valor":1099},"held":{"count":0,"valor":0}},
    "groups":[{"cashier":"","terminal":"c1","sold":{"count":1,"valor":100},"refused":{"count":0,"valor":0}},
              {"cashier":"=Rita","terminal":"c1","sold":{"count":2,"valor":5000},"refused":{"count":1,"valor":4900}}],
    "openSales":[{"idExterno":"01M8","family":"tv","valor":1099,"terminal":"c1","status":"PENDENTE"}],
    "late":{"count":2,"valor":4490},"openLeftOut":4,"unreadable":1,"closes":[{"estabelecimento":"12345678","name":"325","day":"2026-11-20"}]})";

struct TotalsCommand : CommandRig {
    int totals(const TotalsWishes& wishes) { return show_totals(desk(), wishes); }
};

TEST_F(TotalsCommand, AreATableWithALineForAll) {
    answer(day);
    EXPECT_EQ(totals({.day = "2026-11-20", .by = "cashier,terminal", .language = Language::portuguese}), exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/totals?day=2026-11-20&by=cashier%2Cterminal"));
    EXPECT_EQ(out.str(),
              "Totais   20/11/2026\n"
              "operador  terminal  vendidas  valor  recusadas  em aberto\n"
              "(nenhum)  c1               1   1,00          0\n"
              "=Rita     c1               2  50,00          1\n"
              "total                      3  51,00          1          1\n"
              "\nAinda sem resultado:\n"
              "idExterno  family     valor  terminal  status\n"
              "01M8       tv      R$ 10,99  c1        PENDENTE\n"
              "e outras, contadas acima: 4\n"
              "Não contadas, por serem ilegíveis (sales-gateway attention lista quais são): 1\n"
              "Já fechado: 325   Loja 12345678   2026-11-20\n"
              "Vendido depois dele: entra no fechamento de um dia posterior, quando for feito: 2, 44,90\n");
}

TEST_F(TotalsCommand, AreForASpreadsheetToo) {
    answer(day);
    EXPECT_EQ(totals({.by = "cashier", .as_csv = true}), exit_ok);
    EXPECT_EQ(out.str(), R"("cashier","sold","sold amount","cancelled","cancelled amount","refused","refused amount",)"
                         R"("open","open amount","held","held amount")"
                         "\r\n"
                         R"csv("(none)",1,1.00,,,0,0.00,,,,)csv"
                         "\r\n"
                         R"("'=Rita",2,50.00,,,1,49.00,,,,)"
                         "\r\n");
}

TEST_F(TotalsCommand, AskByFamilyUnlessToldOtherwiseAndKnowTheStoresDay) {
    answer(day);
    EXPECT_EQ(totals({}), exit_ok);
    answer(day);
    answer(day);
    EXPECT_EQ(totals({.from = "yesterday", .to = "today", .estabelecimento = "1 2"}), exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/totals?by=family", "/v1/totals",
                                       "/v1/totals?from=2026-11-19&to=2026-11-20&by=family&estabelecimento=1%202"));
    EXPECT_THAT(out.str(), HasSubstr("Totals   2026-11-20\n"));
}

TEST_F(TotalsCommand, WhatCannotBeAskedIsSaid) {
    EXPECT_EQ(totals({.from = "1st"}), exit_usage);
    EXPECT_EQ(err.str(), "error: --from is a day, such as today, yesterday or 2026-11-20\n");
    answer(R"({"detail":"to must be within 366 days"})", 422);
    EXPECT_EQ(totals({.from = "2020-01-01"}), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("error: to must be within 366 days\n"));
}

TEST_F(TotalsCommand, AnotherGatewaysAnswerIsNoFault) {
    answer("{}");
    EXPECT_EQ(totals({}), exit_ok);
    answer(R"({"total":7,"groups":[1,{"sold":"x"}],"openSales":[2],"closes":3,"to":4})");
    EXPECT_EQ(totals({.by = "family"}), exit_ok);
    answer(day);
    EXPECT_EQ(show_totals(desk(80, true), {}), exit_ok);
    EXPECT_THAT(targets().back(), "/v1/totals") << "a program is given groups only where it asks for them";
}

}  // namespace
}  // namespace gateway::test
