#include "unit/commands/rig.hpp"

namespace gateway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto totals = R"({"from":"2026-11-20","to":"2026-11-20","total":{"sold":{"count":2,"valor":5000},
    "open":{"count":1,"valor":1}},"groups":[{"estabelecimento":"12345678","family":"tv",
    "sold":{"count":2,"valor":5000},"open":{"count":1,"valor":1}}]})";
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

struct CloseCommand : CommandRig {
    int close(const CloseWishes& wishes) { return close_day(desk(), wishes, {}); }
};

TEST_F(CloseCommand, ShowsTheCloseInTheLanguageOfTheStore) {
    answer(totals);
    answer(made, 201);
    answer(R"({"now":{"step":"cancelar","underWay":false,"try":4,"nextAt":"2026-11-21T10:12:00Z"}})");
    EXPECT_EQ(
        close({.day = "2026-11-20", .estabelecimento = "12345678", .by = "maria", .language = Language::portuguese}),
        exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/totals?day=2026-11-20&by=estabelecimento%2Cfamily&estabelecimento=12345678",
                                       "/v1/closes", "/v1/sales/A/events"));
    EXPECT_EQ(client.seen[1].request.body.reveal(),
              R"({"day":"2026-11-20","estabelecimento":"12345678","by":"maria"})");
    EXPECT_EQ(out.str(),
              "Fechamento nº 325   Loja 12345678   20/11/2026   07:58 a 22:41\n"
              "família  vendidas     valor  canceladas  recusadas  em aberto\n"
              "transit        88  1.162,50           2          0          1\n"
              "tv             41  2.045,90           3          1          0\n"
              "total         129  3.208,40           5          1          1\n"
              "\natrasadas, de dia anterior:\n"
              "idExterno  family    valor  status\n"
              "01L        tv      R$ 0,01  EFETIVADA\n"
              "\nem aberto no fechamento, de qualquer dia:\n"
              "idExterno  family     valor  status\n"
              "01M8       transit  R$ 8,80  AUTORIZADA  cancela de novo às 07:12\n");
    EXPECT_EQ(err.str(), "");
}

TEST_F(CloseCommand, ASecondCloseSaysThatItIsTheFirst) {
    answer(R"({"clock":{"trouble":null,"aheadOfProviderSeconds":0,"behindJournalSeconds":0}})");
    answer(totals);
    answer(totals);
    answer(made, 200);
    answer(R"({"detail":"no such sale"})", 404);
    EXPECT_EQ(close({}), exit_ok);
    EXPECT_THAT(targets(),
                ElementsAre("/v1/status", "/v1/totals", "/v1/totals?day=2026-11-20&by=estabelecimento%2Cfamily",
                            "/v1/closes", "/v1/sales/A/events"));
    EXPECT_EQ(client.seen[3].request.body.reveal(), R"({"day":"2026-11-20"})");
    EXPECT_THAT(out.str(), HasSubstr("Close no. 325   Store 12345678   2026-11-20   07:58 to 22:41\n"));
    EXPECT_EQ(err.str(), "The day was closed already; this is that close.\n");
}

TEST_F(CloseCommand, WhileTheClockIsNotBelievedADayIsClosedByItsDateOnly) {
    for (const auto* status :
         {R"({"clock":{"trouble":"this clock is 2 days behind","aheadOfProviderSeconds":-172800}})",
          R"({"clock":{"trouble":"this clock is 2 days behind","behindJournalSeconds":172800}})",
          R"({"closing":"this clock is 2 days behind","clock":{"trouble":null}})"})
        for (const auto* day : {"", "yesterday"}) {
            answer(status);
            EXPECT_EQ(close({.day = day}), exit_failure);
            EXPECT_EQ(err.str(),
                      "error: this clock is 2 days behind. Until that is put right, say the day with its date, such as "
                      "--day 2026-11-20: a close is never undone\n");
            err.str("");
        }
    EXPECT_EQ(client.seen.size(), 6U) << "nothing was closed";
    answer(totals);
    answer(made, 201);
    answer("{}");
    EXPECT_EQ(close({.day = "2026-11-20"}), exit_ok);
    answer(R"({"clock":{"trouble":"this clock is 2 min ahead","aheadOfProviderSeconds":120}})");
    answer(totals);
    answer(totals);
    answer(made, 201);
    answer("{}");
    EXPECT_EQ(close({}), exit_ok) << "by so much no day is wrong for long";
}

TEST_F(CloseCommand, SaysWhichDaysWereForgotten) {
    answer(totals);
    answer(R"({"closes":[],"forgotten":[{"estabelecimento":"12345678","day":"2026-11-17"}]})", 201);
    EXPECT_EQ(close({.day = "2026-11-20"}), exit_ok);
    EXPECT_EQ(err.str(),
              "These days have sales, their own or late ones of earlier days, and no close; sales-gateway close --day "
              "makes it:\n  2026-11-17  Store 12345678\n");
}

TEST_F(CloseCommand, APersonSeesTheTotalsAndIsAskedFirst) {
    std::string asked;
    const auto ask = [&](bool yes) {
        return close_day(desk(), {.day = "2026-11-20", .language = Language::portuguese},
                         [&, yes](const std::string& question) {
                             asked = question;
                             return yes;
                         });
    };
    answer(totals);
    EXPECT_EQ(ask(false), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("12345678  tv              2  50,00          1\n"));
    EXPECT_THAT(err.str(), HasSubstr("Nada foi feito."));
    EXPECT_THAT(asked, HasSubstr("não se desfaz"));
    EXPECT_THAT(err.str(), Not(HasSubstr("O dia não acabou")));
    EXPECT_EQ(client.seen.size(), 1U) << "nothing was sent";
    answer(totals);
    answer(made, 201);
    answer("{}");
    EXPECT_EQ(ask(true), exit_ok);
}

TEST_F(CloseCommand, WhatIsRefusedOrLostIsSaid) {
    answer(totals);
    answer(R"({"detail":"The gateway cannot write its journal now, so it did nothing."})", 503);
    EXPECT_EQ(close({.day = "2026-11-20"}), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("error: The gateway cannot write its journal now"));
    answer(totals);
    client.then(lost());
    EXPECT_EQ(close({.day = "2026-11-20"}), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("the same command once more tells; a day is closed only once"));
    answer(R"({"detail":"estabelecimento is none"})", 422);
    EXPECT_EQ(close({.day = "2026-11-20", .estabelecimento = "x"}), exit_failure);
    EXPECT_EQ(close({.day = "20/11/2026"}), exit_usage);
}

TEST_F(CloseCommand, AProgramGetsWhatTheGatewaySays) {
    answer(totals);
    answer(R"({"closes":[]})", 201);
    EXPECT_EQ(close_day(desk(80, true), {.day = "2026-11-20"}, {}), exit_ok);
    EXPECT_EQ(out.str(), "{\"closes\":[]}\n");
}

}  // namespace
}  // namespace gateway::test
