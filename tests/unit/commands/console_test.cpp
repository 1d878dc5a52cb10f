#include "unit/commands/rig.hpp"

namespace gateway::test {
namespace {

using ConsoleCommand = CommandRig;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto link = R"({"url":"http://127.0.0.1:9091/","secret":"c0ffee","expiresAt":"2026-11-22T20:15:00.000Z"})";

TEST_F(ConsoleCommand, PrintsALinkWhoseSecretNoRequestHolds) {
    answer(link, 201);
    EXPECT_EQ(show_console_link(desk()), exit_ok);
    EXPECT_EQ(out.str(), "http://127.0.0.1:9091/#link=c0ffee\n") << "alone, for a program that opens it";
    EXPECT_THAT(err.str(), HasSubstr("works once, for five minutes"));
    EXPECT_EQ(targets(), std::vector<std::string>{"/v1/console/links"});
}

TEST_F(ConsoleCommand, JsonIsWhatTheGatewaySaid) {
    answer(link, 201);
    EXPECT_EQ(show_console_link(desk(80, true)), exit_ok);
    EXPECT_EQ(out.str(), std::string(link) + "\n");
    EXPECT_EQ(err.str(), "");
}

TEST_F(ConsoleCommand, WithoutAConsoleSaysHowToHaveOne) {
    answer(R"({"detail":"listen.console is not configured: there is no console"})", 404);
    EXPECT_EQ(show_console_link(desk()), exit_failure);
    EXPECT_EQ(out.str(), "");
    EXPECT_THAT(err.str(), HasSubstr("listen.console is not configured"));
    EXPECT_THAT(err.str(), HasSubstr("Write listen.console = \"127.0.0.1:9091\" into the configuration"));
}

TEST_F(ConsoleCommand, AnotherRefusalIsToldAsItIs) {
    answer(R"({"detail":"No web page may send this.\u001b[2J"})", 403);
    EXPECT_EQ(show_console_link(desk()), exit_failure);
    EXPECT_EQ(out.str(), "");
    EXPECT_THAT(err.str(), HasSubstr("error: No web page may send this.?[2J"));
    EXPECT_THAT(err.str(), Not(HasSubstr("listen.console")));
}

TEST_F(ConsoleCommand, WhereNobodyAnswersThereIsNoLink) {
    client.refuses = true;
    EXPECT_EQ(show_console_link(desk()), exit_failure);
    EXPECT_EQ(out.str(), "");
    EXPECT_THAT(err.str(), HasSubstr("no gateway answers at 127.0.0.1:9090"));
}

}  // namespace
}  // namespace gateway::test
