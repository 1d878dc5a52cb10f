#include "unit/api/text/rig.hpp"

namespace gateway::test {
namespace {

using ProblemText = TextRig;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto wrong_limit = R"({"status":422,"code":"invalid_request","detail":"limit must be a whole number",
    "errors":[{"pointer":"/limit","detail":"must be a whole number\u001b[2J"}]})";

TEST_F(ProblemText, SaysWhatTheGatewaySaysOfIt) {
    answer(wrong_limit, 422);
    EXPECT_EQ(asked("/v1/sales"), 1);
    EXPECT_EQ(out, "error: limit must be a whole number\n");
    EXPECT_EQ(response.status, http::status::unprocessable_entity);
    EXPECT_THAT(response.content_type, StartsWith("text/plain; charset=utf-8"));
}

TEST_F(ProblemText, SaysInPortugueseWhatHappenedAndWhatToDo) {
    language = "pt-BR";
    answer(wrong_limit, 422);
    EXPECT_EQ(asked("/v1/sales"), 1);
    EXPECT_THAT(out, StartsWith("erro: Falta alguma coisa, ou algo está escrito de um jeito que o gateway não entende. "
                                "Corrija o que está indicado e tente de novo.\n  limit: "));
    answer(R"({"status":503,"code":"journal_unavailable","detail":"x"})", 503);
    EXPECT_EQ(asked("/v1/totals"), 1);
    EXPECT_THAT(out, StartsWith("erro: O gateway não consegue usar o diário dele agora"));
}

TEST_F(ProblemText, OfAStatementItNamesTheCode) {
    answer(R"({"status":409,"code":"wrong_day","detail":"It is of another day."})", 409);
    EXPECT_EQ(posted("/v1/statements"), 1);
    EXPECT_EQ(out, "error: It is of another day. (wrong_day)\n");
}

TEST_F(ProblemText, WithoutAConsoleItSaysHowToHaveOne) {
    answer(R"({"status":404,"code":"not_found","detail":"there is no console"})", 404);
    EXPECT_EQ(posted("/v1/console/links"), 1);
    EXPECT_EQ(out,
              "error: there is no console\n"
              "  Write listen.console = \"127.0.0.1:9091\" into the configuration, under [listen], and restart the "
              "gateway.\n");
    answer(R"({"status":403,"code":"forbidden","detail":"No web page may send this.\u001b[2J"})", 403);
    EXPECT_EQ(posted("/v1/console/links"), 1);
    EXPECT_EQ(out, "error: No web page may send this.?[2J\n");
}

TEST_F(ProblemText, ALinkHasItsSecretWhereNoRequestHoldsIt) {
    answer(R"({"url":"http://127.0.0.1:9091/","secret":"c0ffee"})", 201);
    EXPECT_EQ(posted("/v1/console/links"), 0);
    EXPECT_EQ(out, "http://127.0.0.1:9091/#link=c0ffee\n") << "alone, for a program that opens it";
}

TEST_F(ProblemText, APathThatIsNoneIsSaidTo) {
    EXPECT_EQ(asked("/v1/nothing"), 1);
    EXPECT_THAT(out, HasSubstr("error: there is nothing at this path\n"));
}

}  // namespace
}  // namespace gateway::test
