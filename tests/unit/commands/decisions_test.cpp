#include "unit/commands/rig.hpp"

#include <cstdio>
#include <fstream>

namespace gateway::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct DecisionCommand : CommandRig {
    std::string sent() const { return std::string(client.seen.back().request.body.reveal()); }
    Confirmation saying(bool yes) {
        return [this, yes](const std::string& question) {
            asked = question;
            return yes;
        };
    }

    std::string asked;
};

constexpr auto its_day = R"({"timezone":"nowhere","today":"2026-11-20"})";
constexpr auto right_clock = R"({"clock":{"trouble":null,"aheadOfProviderSeconds":0,"behindJournalSeconds":0}})";

TEST_F(DecisionCommand, ResolvingSaysWhatWasDecidedAndByWhom) {
    answer_text("01S is sold.\n");
    EXPECT_EQ(resolve_sale(shell(), {.id = "01E", .sold = true, .note = "visto no portal", .by = "maria"}, {}),
              exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/sales/01E/resolve"));
    EXPECT_EQ(sent(), R"({"status":"EFETIVADA","note":"visto no portal","by":"maria"})");
    EXPECT_EQ(out.str(), "01S is sold.\n");
    answer_text("");
    EXPECT_EQ(resolve_sale(shell(), {.id = "01S", .not_sold = true, .note = "n"}, {}), exit_ok);
    EXPECT_EQ(sent(), R"({"status":"CANCELADA","note":"n"})");
    answer("{}");
    EXPECT_EQ(
        resolve_sale(shell(true), {.id = "01S", .noted = true, .note = "n", .msisdn = "5511", .url = "LPA:1$x"}, {}),
        exit_ok);
    EXPECT_EQ(sent(), R"({"note":"n","esim":{"msisdn":"5511","url":"LPA:1$x"}})");
}

TEST_F(DecisionCommand, APersonSeesTheSaleAndIsAskedFirst) {
    answer_text("01S  pending\n");
    EXPECT_EQ(resolve_sale(shell(), {.id = "01S", .sold = true, .note = "n"}, saying(false)), exit_failure);
    EXPECT_EQ(err.str(), "01S  pending\n\nNothing was done.\n");
    EXPECT_EQ(asked,
              "The note is shown to the terminal, and so to the cashier.\n"
              "Resolve it as sold? [y/N] ");
    EXPECT_THAT(targets(), ElementsAre("/v1/sales/01S")) << "nothing was sent";
    answer_text("01S  em andamento\n");
    answer_text("");
    const auto portuguese = shell(false, Language::portuguese);
    EXPECT_EQ(resolve_sale(portuguese, {.id = "01S", .noted = true, .note = "n"}, saying(true)), exit_ok);
    EXPECT_THAT(asked, HasSubstr("Gravar a nota e tirar o alerta? [s/N] "));
    answer_text("error: no such sale\n", 404);
    EXPECT_EQ(resolve_sale(shell(), {.id = "01S", .sold = true, .note = "n"}, saying(true)), exit_failure);
    EXPECT_EQ(targets().back(), "/v1/sales/01S") << "nothing was asked";
}

TEST_F(DecisionCommand, WhatTheJournalHasNotTakenYetIsNoSuccess) {
    answer_text("error: the journal has not taken it yet\n", 202);
    EXPECT_EQ(resolve_sale(shell(), {.id = "01S", .sold = true, .note = "n"}, {}), exit_failure);
    EXPECT_EQ(out.str(), "");
    client.then(lost());
    EXPECT_EQ(resolve_sale(shell(), {.id = "01S", .sold = true, .note = "n"}, {}), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("whether it was done is not known: sales-gateway show tells"));
}

TEST_F(DecisionCommand, ACloseIsOfTheStoresDay) {
    answer(right_clock);
    answer(its_day);
    answer_text("Close no. 325\n", 201);
    EXPECT_EQ(close_day(shell(), {.day = "yesterday", .by = "maria"}, {}), exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/status", "/v1/store", "/v1/closes"));
    EXPECT_EQ(sent(), R"({"day":"2026-11-19","by":"maria"})");
    EXPECT_EQ(out.str(), "Close no. 325\n");
    answer_text("", 200);
    EXPECT_EQ(close_day(shell(), {.day = "2026-11-18", .estabelecimento = "12345678"}, {}), exit_ok);
    EXPECT_EQ(sent(), R"({"day":"2026-11-18","estabelecimento":"12345678"})");
}

TEST_F(DecisionCommand, WhileTheClockIsNotBelievedADayIsClosedByItsDateOnly) {
    for (const auto* status :
         {R"({"clock":{"trouble":"this clock is 2 days behind","aheadOfProviderSeconds":-172800}})",
          R"({"clock":{"trouble":"this clock is 2 days behind","behindJournalSeconds":172800}})",
          R"({"closing":"this clock is 2 days behind","clock":{"trouble":null}})"})
        for (const auto* day : {"", "yesterday"}) {
            answer(status);
            EXPECT_EQ(close_day(shell(), {.day = day}, {}), exit_failure);
            EXPECT_EQ(err.str(),
                      "error: this clock is 2 days behind. Until that is put right, say the day with its date, such as "
                      "--day 2026-11-20: a close is never undone\n");
            err.str("");
        }
    EXPECT_EQ(client.seen.size(), 6U) << "nothing was closed";
    answer_text("", 201);
    EXPECT_EQ(close_day(shell(), {.day = "2026-11-20"}, {}), exit_ok);
    answer(R"({"clock":{"trouble":"this clock is 2 min ahead","aheadOfProviderSeconds":120}})");
    answer(its_day);
    answer_text("", 201);
    EXPECT_EQ(close_day(shell(), {}, {}), exit_ok) << "by so much no day is wrong for long";
}

TEST_F(DecisionCommand, APersonSeesTheTotalsAndIsAskedBeforeADayIsClosed) {
    const auto portuguese = shell(false, Language::portuguese);
    answer_text("Totais\n");
    EXPECT_EQ(close_day(portuguese, {.day = "2026-11-20"}, saying(false)), exit_failure);
    EXPECT_THAT(targets(), ElementsAre("/v1/totals?day=2026-11-20&by=estabelecimento%2Cfamily")) << "nothing was sent";
    EXPECT_EQ(err.str(), "Totais\n\nNada foi feito.\n");
    EXPECT_THAT(asked, HasSubstr("não se desfaz. [s/N] "));
    answer(right_clock);
    answer(its_day);
    answer_text("Totais\n");
    answer_text("", 201);
    EXPECT_EQ(close_day(portuguese, {}, saying(true)), exit_ok);
    EXPECT_THAT(err.str(), HasSubstr("O dia não acabou"));
}

TEST_F(DecisionCommand, ACloseThatIsRefusedOrLostIsSaid) {
    answer_text("error: The gateway cannot write its journal now\n", 503);
    EXPECT_EQ(close_day(shell(), {.day = "2026-11-20"}, {}), exit_failure);
    EXPECT_EQ(err.str(), "error: The gateway cannot write its journal now\n");
    client.then(lost());
    EXPECT_EQ(close_day(shell(), {.day = "2026-11-20"}, {}), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("the same command once more tells; a day is closed only once"));
    EXPECT_EQ(close_day(shell(), {.day = "20/11/2026"}, {}), exit_usage);
}

TEST_F(DecisionCommand, AFileIsSentAsItIs) {
    const auto file = ::testing::TempDir() + "statement.txt";
    std::ofstream(file) << "a;b\n";
    answer_text("Statement\n", 201);
    EXPECT_EQ(reconcile_statement(shell(), {.file = file, .day = "2026-11-20", .by = "a b", .again = true}), exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/statements?day=2026-11-20&by=a%20b&again=true"));
    EXPECT_EQ(sent(), "a;b\n");
    EXPECT_EQ(client.seen.back().request.content_type, "application/octet-stream");
    std::remove(file.c_str());
    EXPECT_EQ(reconcile_statement(shell(), {.file = file}), exit_failure);
    EXPECT_EQ(err.str(), "error: " + file + " cannot be read\n");
    EXPECT_EQ(reconcile_statement(shell(), {.file = ::testing::TempDir()}), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr(" is a folder\n"));
    EXPECT_EQ(client.seen.size(), 1U);
}

TEST_F(DecisionCommand, TheProviderIsAskedForItsListOrForSingleSales) {
    answer_text("");
    EXPECT_EQ(reconcile_statement(shell(), {.day = "2026-11-20"}), exit_ok);
    answer_text("");
    EXPECT_EQ(reconcile_statement(shell(), {.from_status = true}), exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/statements/from-provider?day=2026-11-20", "/v1/statements/from-status"));
}

TEST_F(DecisionCommand, AFindingIsClosedWithANote) {
    answer_text("error: closed before\n", 200, "; exit=1");
    EXPECT_EQ(resolve_finding(shell(), {.number = 7, .note = "claimed", .by = "rita"}), exit_failure);
    EXPECT_THAT(targets(), ElementsAre("/v1/findings/7/resolve"));
    EXPECT_EQ(sent(), R"({"note":"claimed","by":"rita"})");
}

TEST_F(DecisionCommand, ALinkIsPrintedAloneAndExplainedBeside) {
    answer_text("http://127.0.0.1:9091/#link=c0ffee\n", 201);
    EXPECT_EQ(show_console_link(shell()), exit_ok);
    EXPECT_EQ(out.str(), "http://127.0.0.1:9091/#link=c0ffee\n");
    EXPECT_THAT(err.str(), HasSubstr("works once, for five minutes"));
    EXPECT_THAT(targets(), ElementsAre("/v1/console/links"));
    err.str("");
    answer_text("error: there is no console\n", 404);
    EXPECT_EQ(show_console_link(shell()), exit_failure);
    EXPECT_EQ(err.str(), "error: there is no console\n");
    err.str("");
    answer("{}", 201);
    EXPECT_EQ(show_console_link(shell(true)), exit_ok);
    EXPECT_THAT(err.str(), Not(HasSubstr("five minutes")));
}

}  // namespace
}  // namespace gateway::test
