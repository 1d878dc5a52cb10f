#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

using DaysText = TextRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto day = R"({"from":"2026-11-20","to":"2026-11-20",
    "total":{"sold":{"count":3,"valor":5100},"cancelled":{"count":0,"valor":0},"refused":{"count":1,"valor":4900},
             "open":{"count":1,"valor":1099},"held":{"count":0,"valor":0}},
    "groups":[{"cashier":"","terminal":"c1","sold":{"count":1,"valor":100},"refused":{"count":0,"valor":0}},
              {"cashier":"=Rita","terminal":"c1","sold":{"count":2,"valor":5000},"refused":{"count":1,"valor":4900}}],
    "openSales":[{"id":"A","idExterno":"01M8","family":"tv","valor":1099,"terminal":"c1","status":"PENDENTE"}],
    "late":{"count":2,"valor":4490},"openLeftOut":4,"unreadable":1,"closes":[{"estabelecimento":"12345678","name":"325","day":"2026-11-20"}]})";

constexpr auto made = R"({"closes":[{"estabelecimento":"12345678","number":325,"series":1,"day":"2026-11-20",
    "first":"2026-11-20T10:58:03Z","last":"2026-11-21T01:41:00Z","lateSales":[{"idExterno":"01L","valor":1,
    "family":"tv","status":"EFETIVADA"}],
    "totals":{"total":{"sold":{"count":129,"valor":320840},"cancelled":{"count":5,"valor":1},
                       "refused":{"count":1,"valor":1}},
              "families":{"tv":{"sold":{"count":41,"valor":204590},"cancelled":{"count":3,"valor":1},
                                "refused":{"count":1,"valor":1}},
                          "transit":{"sold":{"count":88,"valor":116250},"cancelled":{"count":2,"valor":1},
                                     "refused":{"count":0,"valor":0}}}},
    "open":[{"id":"A","idExterno":"01M8","family":"transit","valor":880,"status":"AUTORIZADA"}]}]})";

constexpr auto open_history =
    R"({"id":"A","now":{"step":"cancelar","underWay":false,"try":4,"nextAt":"2026-11-21T10:12:00Z"}})";

TEST_F(DaysText, AreATableWithALineForAll) {
    language = "pt-BR";
    answer(day);
    answer(open_history);
    EXPECT_EQ(asked("/v1/totals?day=2026-11-20&by=cashier,terminal"), 0);
    EXPECT_THAT(targets, ElementsAre("/v1/totals?day=2026-11-20&by=cashier,terminal", "/v1/sales/A/events"));
    EXPECT_EQ(out,
              "Totais   20/11/2026\n"
              "operador  terminal  vendidas  valor  recusadas  em aberto\n"
              "(nenhum)  c1               1   1,00          0\n"
              "=Rita     c1               2  50,00          1\n"
              "total                      3  51,00          1          1\n"
              "\nAinda sem resultado:\n"
              "idExterno  família     valor  terminal  status\n"
              "01M8       tv       R$ 10,99  c1        PENDENTE  cancela de novo às 07:12\n"
              "e outras, contadas acima: 4\n"
              "Não contadas, por serem ilegíveis (sales-gateway attention lista quais são): 1\n"
              "Já fechado: 325   Loja 12345678   20/11/2026\n"
              "Vendido depois dele: entra no fechamento de um dia posterior, quando for feito: 2, 44,90\n");
}

TEST_F(DaysText, ClosesStandBelowTheNameAndTheCnpjOfTheStore) {
    const std::string closes(made, std::string_view(made).size() - 1);
    for (const auto& [head, line] :
         {std::pair(R"({"name":"Mercadinho","cnpj":"12.345.678/0001-95"})", "Mercadinho   CNPJ 12.345.678/0001-95\n"),
          std::pair(R"({"name":"Mercadinho"})", "Mercadinho\n"),
          std::pair(R"({"cnpj":"12.345.678/0001-95"})", "CNPJ 12.345.678/0001-95\n")}) {
        answer(closes + R"(,"letterhead":)" + head + "}");
        answer(open_history);
        EXPECT_EQ(asked("/v1/closes"), 0);
        EXPECT_THAT(out, StartsWith(line + std::string("Close no. 325   Store 12345678")));
    }
    answer(made);
    answer(open_history);
    EXPECT_EQ(asked("/v1/closes"), 0);
    EXPECT_THAT(out, StartsWith("Close no. 325   Store 12345678"));
}

TEST_F(DaysText, AreForASpreadsheetToo) {
    accept = "text/csv";
    answer(day);
    EXPECT_EQ(asked("/v1/totals?by=cashier"), 0);
    EXPECT_THAT(response.content_type, StartsWith("text/csv"));
    EXPECT_EQ(out, R"("cashier","sold","sold amount","cancelled","cancelled amount","refused","refused amount",)"
                   R"("open","open amount","held","held amount")"
                   "\r\n"
                   R"csv("(none)",1,1.00,,,0,0.00,,,,)csv"
                   "\r\n"
                   R"("'=Rita",2,50.00,,,1,49.00,,,,)"
                   "\r\n");
}

TEST_F(DaysText, TheTitleSaysWhichDaysAndOfWhichStore) {
    answer(R"({"from":"2026-11-19","to":"2026-11-20","total":{"sold":{"count":0,"valor":0}}})");
    EXPECT_EQ(asked("/v1/totals?by=family&estabelecimento=1%202"), 0);
    EXPECT_THAT(out, StartsWith("Totals   2026-11-19 to 2026-11-20   Store 1 2\n"));
}

TEST_F(DaysText, ACloseIsShownInTheLanguageOfTheReader) {
    language = "pt-BR";
    answer(made, 201);
    answer(open_history);
    EXPECT_EQ(posted("/v1/closes"), 0);
    EXPECT_THAT(targets, ElementsAre("/v1/closes", "/v1/sales/A/events"));
    EXPECT_EQ(out,
              "Fechamento nº 325   Loja 12345678   20/11/2026   07:58 a 22:41\n"
              "família  vendidas     valor  canceladas  recusadas  em aberto\n"
              "transit        88  1.162,50           2          0          1\n"
              "tv             41  2.045,90           3          1          0\n"
              "total         129  3.208,40           5          1          1\n"
              "\natrasadas, de dia anterior:\n"
              "idExterno  família    valor  status\n"
              "01L        tv       R$ 0,01  EFETIVADA\n"
              "\nem aberto no fechamento, de qualquer dia:\n"
              "idExterno  família    valor  status\n"
              "01M8       transit  R$ 8,80  AUTORIZADA  cancela de novo às 07:12\n");
}

TEST_F(DaysText, ASecondCloseSaysThatItIsTheFirst) {
    answer(made, 200);
    answer(R"({"detail":"no such sale"})", 404);
    EXPECT_EQ(posted("/v1/closes"), 0);
    EXPECT_THAT(out, StartsWith("Close no. 325   Store 12345678   2026-11-20   07:58 to 22:41\n"));
    EXPECT_THAT(out, HasSubstr("\nThe day was closed already; this is that close.\n"));
}

TEST_F(DaysText, WhichDaysWereForgottenIsSaid) {
    answer(R"({"closes":[],"forgotten":[{"estabelecimento":"12345678","day":"2026-11-17"}]})", 201);
    EXPECT_EQ(posted("/v1/closes"), 0);
    EXPECT_EQ(out,
              "These days have sales, their own or late ones of earlier days, and no close; sales-gateway close --day "
              "makes it:\n  2026-11-17  Store 12345678\n");
}

TEST_F(DaysText, NoMoreThanTwentyOpenSalesAreAskedWhatComesNext) {
    std::string open;
    for (int i = 0; i < 30; ++i)
        open += (i == 0 ? "" : ",") + std::string(R"({"id":"S)") + std::to_string(i) + R"("})";
    answer(R"({"openSales":[)" + open + "]}");
    for (int i = 0; i < 30; ++i)
        answer(open_history);
    EXPECT_EQ(asked("/v1/totals"), 0);
    EXPECT_EQ(targets.size(), 21U);
}

}  // namespace
}  // namespace gateway::test
