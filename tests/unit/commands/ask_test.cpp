#include "unit/commands/rig.hpp"

namespace gateway::test {
namespace {

using AskCommand = CommandRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(AskCommand, PrintsWhatTheGatewayMadeForItsLanguageAndItsScreen) {
    answer_text("Não está vendendo.\n", 200, "; exit=3");
    EXPECT_EQ(show_status(shell(false, Language::portuguese)), exit_not_selling);
    EXPECT_EQ(out.str(), "Não está vendendo.\n");
    EXPECT_EQ(err.str(), "");
    EXPECT_EQ(client.seen.front().request.accept, "text/plain;width=100");
    EXPECT_EQ(client.seen.front().request.accept_language, "pt-BR");
    answer_text("Takes sales.\n");
    auto coloured = shell();
    coloured.screen.colours = true;
    EXPECT_EQ(show_status(coloured), exit_ok);
    EXPECT_EQ(client.seen.back().request.accept, "text/plain;width=100;colours=yes");
    EXPECT_EQ(client.seen.back().request.accept_language, "en");
}

TEST_F(AskCommand, ARefusalGoesToStandardErrorAsTheGatewaySaidIt) {
    answer_text("error: there is no such sale\n", 404, "; exit=1");
    EXPECT_EQ(show_sale(shell(), "../x\x1b y"), exit_failure);
    EXPECT_THAT(targets(), ElementsAre("/v1/sales/..%2Fx%1B%20y/events"));
    EXPECT_EQ(err.str(), "error: there is no such sale\n");
    EXPECT_EQ(out.str(), "");
}

TEST_F(AskCommand, WhereNobodyAnswersIsNotWhereNothingIsSold) {
    client.refuses = true;
    EXPECT_EQ(show_status(shell()), exit_failure);
    EXPECT_EQ(out.str(), "");
    EXPECT_THAT(err.str(), HasSubstr("error: no gateway answers at 127.0.0.1:9090"));
}

TEST_F(AskCommand, ADayThatIsNoneIsAWrongCommandLine) {
    EXPECT_EQ(show_totals(shell(), {.from = "1st"}), exit_usage);
    EXPECT_EQ(err.str(), "error: --from is a day, such as today, yesterday or 2026-11-20\n");
    err.str("");
    EXPECT_EQ(list_findings(shell(false, Language::portuguese), {.day = "1st"}), exit_usage);
    EXPECT_EQ(err.str(), "erro: --day é um dia, como today (hoje), yesterday (ontem) ou 2026-11-20\n");
    EXPECT_TRUE(client.seen.empty());
    answer("{}");
    EXPECT_EQ(list_findings(shell(), {.day = "today"}), exit_failure);
    EXPECT_THAT(err.str(), HasSubstr("does not say which day it is"));
}

}  // namespace
}  // namespace gateway::test
