#include "unit/commands/rig.hpp"

namespace gateway::test {
namespace {

using QuestionCommand = CommandRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto store = R"({"timezone":"nowhere","today":"2026-11-22"})";

TEST_F(QuestionCommand, AProgramGetsWhatTheGatewaySays) {
    answer(R"({"sells":false,"detail":"No."})");
    EXPECT_EQ(show_status(shell(true)), exit_not_selling);
    EXPECT_EQ(out.str(), "{\"sells\":false,\"detail\":\"No.\"}\n");
    EXPECT_EQ(client.seen.back().request.accept, "application/json");
    EXPECT_EQ(client.seen.back().request.accept_language, "");
    answer(R"({"detail":"limit must be a whole number"})", 422);
    EXPECT_EQ(show_status(shell(true)), exit_failure);
    EXPECT_EQ(err.str(), "error: limit must be a whole number\n");
}

TEST_F(QuestionCommand, OfASaleAProgramGetsTheSaleAndItsHistory) {
    answer(R"({"id":"01S"})");
    answer(R"({"events":[]})");
    EXPECT_EQ(show_sale(shell(true), "01E"), exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/sales/01E", "/v1/sales/01E/events"));
    EXPECT_EQ(out.str(), "{\"sale\":{\"id\":\"01S\"},\"story\":{\"events\":[]}}\n");
}

TEST_F(QuestionCommand, SalesAreAskedForAsWished) {
    answer(store);
    answer_text("");
    EXPECT_EQ(list_sales(shell(), {.status = "EFETIVADA",
                                   .attention = true,
                                   .key = "a b&c",
                                   .id_externo = "01X",
                                   .from = "2026-11-22 17:05",
                                   .to = "2026-11-22T20:05:00Z"}),
              exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/store",
                                       "/v1/sales?status=EFETIVADA&attention=true&key=a%20b%26c&idExterno=01X"
                                       "&from=2026-11-22T20%3A05%3A00.000Z&to=2026-11-22T20%3A05%3A00.000Z&limit=20"));
}

TEST_F(QuestionCommand, ADayIsAllOfIt) {
    const auto asked = [&](std::string from, std::string to) {
        answer(store);
        answer_text("");
        EXPECT_EQ(list_sales(shell(), {.from = std::move(from), .to = std::move(to)}), exit_ok);
        return targets().back();
    };
    constexpr auto one_day = "/v1/sales?from=2026-11-21T03%3A00%3A00.000Z&to=2026-11-22T03%3A00%3A00.000Z&limit=20";
    EXPECT_EQ(asked("yesterday", "yesterday"), one_day);
    EXPECT_EQ(asked("2026-11-21", "2026-11-21"), one_day);
    EXPECT_EQ(asked("today", ""), "/v1/sales?from=2026-11-22T03%3A00%3A00.000Z&limit=20");
}

TEST_F(QuestionCommand, ADayThatIsLongerOrShorterIsAllOfItToo) {
    const Zone elsewhere("UTC");  // restores the zone when the test is over
    answer(R"({"timezone":"Europe/Madrid","today":"2026-11-22"})");
    answer_text("");
    EXPECT_EQ(list_sales(shell(), {.from = "2026-10-25", .to = "2026-10-25"}), exit_ok);
    EXPECT_EQ(targets().back(), "/v1/sales?from=2026-10-24T22%3A00%3A00.000Z&to=2026-10-25T23%3A00%3A00.000Z&limit=20")
        << "in the store's zone";
}

TEST_F(QuestionCommand, ATimeThatIsNoneIsAWrongCommandLine) {
    for (const auto* text : {"tomorrow", "17:05", "22/11/2026", "2026-13-01"}) {
        EXPECT_EQ(list_sales(shell(), {.to = text}), exit_usage) << text;
        EXPECT_THAT(err.str(), HasSubstr("--to is a day or a time"));
    }
    EXPECT_TRUE(client.seen.empty());
}

TEST_F(QuestionCommand, SalesAreOneALineForProgramsPageByPage) {
    answer(R"({"sales":[{"id":"01A","valor":1},{"id":"01B"}],"unreadable":["01X"],"next":"01B"})");
    answer(R"({"sales":[],"next":"01C"})");
    answer(R"({"sales":[{"id":"01D"}],"next":"01D"})");
    EXPECT_EQ(list_sales(shell(true), {.limit = 3}), exit_ok);
    EXPECT_THAT(targets(),
                ElementsAre("/v1/sales?limit=3", "/v1/sales?limit=1&cursor=01B", "/v1/sales?limit=1&cursor=01C"));
    EXPECT_EQ(out.str(), "{\"id\":\"01A\",\"valor\":1}\n{\"id\":\"01B\"}\n{\"id\":\"01D\"}\n");
    EXPECT_EQ(err.str(), "warning: \"01X\" cannot be read\n");
}

TEST_F(QuestionCommand, TotalsAreByFamilyUnlessToldOtherwiseAndKnowTheStoresDay) {
    answer_text("");
    EXPECT_EQ(show_totals(shell(), {}), exit_ok);
    answer(store);
    answer(store);
    answer_text("");
    EXPECT_EQ(show_totals(shell(), {.from = "yesterday", .to = "today", .estabelecimento = "1 2"}), exit_ok);
    answer("{}");
    EXPECT_EQ(show_totals(shell(true), {}), exit_ok);
    EXPECT_THAT(targets(),
                ElementsAre("/v1/totals?by=family", "/v1/store", "/v1/store",
                            "/v1/totals?from=2026-11-21&to=2026-11-22&by=family&estabelecimento=1%202", "/v1/totals"))
        << "a program is given groups only where it asks for them";
    client.then(answered(200, "\"family\"\r\n", "text/csv; charset=utf-8"));
    EXPECT_EQ(show_totals(shell(), {.by = "family", .as_csv = true}), exit_ok);
    EXPECT_EQ(client.seen.back().request.accept, "text/csv");
}

TEST_F(QuestionCommand, FindingsAreThoseThatAreOpenUnlessAllAreWanted) {
    answer_text("");
    EXPECT_EQ(list_findings(shell(), {.kind = "sold_there"}), exit_ok);
    answer(R"({"findings":[{"id":7},{"id":5}]})");
    EXPECT_EQ(list_findings(shell(true), {.all = true, .day = "2026-11-20", .limit = 2}), exit_ok);
    EXPECT_THAT(targets(),
                ElementsAre("/v1/findings?open=true&kind=sold_there&limit=100", "/v1/findings?day=2026-11-20&limit=2"));
    EXPECT_EQ(out.str(), "{\"id\":7}\n{\"id\":5}\n");
}

}  // namespace
}  // namespace gateway::test
