#include "unit/commands/rig.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace gateway::test {
namespace {

using SalesCommand = CommandRig;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string sale(std::string_view id, std::string_view more = "") {
    return fmt::format(R"({{"id":"{}","outcome":"not_sold","status":"CANCELADA","family":"tv","terminal":"caixa-01",
        "produto":"TV Mensal","valor":4990,"createdAt":"2026-11-22T20:05:03.120Z"{}}})",
                       id, more);
}

std::string page(const std::vector<std::string>& sales, std::string_view next = "null") {
    return fmt::format(R"({{"sales":[{}],"next":{}}})", fmt::join(sales, ","), next);
}

TEST_F(SalesCommand, AreATable) {
    answer(page({sale("01A", R"(,"attention":true,"mark":"no_callback")"), sale("01B")}));
    EXPECT_EQ(list_sales(desk(), {}), exit_ok);
    EXPECT_EQ(out.str(),
              "time (-03:00)        id   family  produto      amount  terminal  outcome   attention\n"
              "2026-11-22 17:05:03  01A  tv      TV Mensal  R$ 49,90  caixa-01  not sold  no_callback\n"
              "2026-11-22 17:05:03  01B  tv      TV Mensal  R$ 49,90  caixa-01  not sold\n");
    EXPECT_THAT(targets(), ElementsAre("/v1/sales?limit=20"));
}

TEST_F(SalesCommand, OfOtherTypesOrWithoutMembersAreStillARow) {
    answer(R"({"sales":[{"id":"01A","valor":"x","createdAt":7,"produto":"\u001b[2J\u202e"},5]})");
    EXPECT_EQ(list_sales(desk(), {}), exit_ok);
    EXPECT_EQ(out.str(),
              "time (-03:00)  id   produto  amount\n"
              "-              01A  ?[2J?         -\n");
}

TEST_F(SalesCommand, AreFetchedPageByPageUntilThereAreEnough) {
    answer(page({sale("01A"), sale("01B")}, "\"01B\""));
    answer(page({}, "\"01C\""));
    answer(page({sale("01D")}, "\"01D\""));
    EXPECT_EQ(list_sales(desk(), {.limit = 3}), exit_ok);
    EXPECT_THAT(targets(),
                ElementsAre("/v1/sales?limit=3", "/v1/sales?limit=1&cursor=01B", "/v1/sales?limit=1&cursor=01C"));
    EXPECT_THAT(out.str(), HasSubstr("Older ones are not shown"));
    answer(page({}));
    EXPECT_EQ(list_sales(desk(), {.limit = 1000}), exit_ok);
    EXPECT_EQ(targets().back(), "/v1/sales?limit=200");
}

TEST_F(SalesCommand, AreAskedForAsWished) {
    answer(page({}));
    EXPECT_EQ(list_sales(desk(), {.status = "EFETIVADA",
                                  .attention = true,
                                  .key = "a b&c",
                                  .id_externo = "01X",
                                  .from = "2026-11-22 17:05",
                                  .to = "2026-11-22T20:05:00Z"}),
              exit_ok);
    EXPECT_THAT(targets(), ElementsAre("/v1/sales?status=EFETIVADA&attention=true&key=a%20b%26c&idExterno=01X"
                                       "&from=2026-11-22T20%3A05%3A00.000Z&to=2026-11-22T20%3A05%3A00.000Z&limit=20"));
    EXPECT_EQ(out.str(), "No sale is like that.\n");
}

TEST_F(SalesCommand, ADayIsAllOfIt) {
    const auto asked = [&](std::string from, std::string to) {
        answer(page({}));
        EXPECT_EQ(list_sales(desk(), {.from = std::move(from), .to = std::move(to)}), exit_ok);
        return targets().back();
    };
    constexpr auto one_day = "/v1/sales?from=2026-11-21T03%3A00%3A00.000Z&to=2026-11-22T03%3A00%3A00.000Z&limit=20";
    EXPECT_EQ(asked("yesterday", "yesterday"), one_day);
    EXPECT_EQ(asked("2026-11-21", "2026-11-21"), one_day);
    EXPECT_EQ(asked("today", ""), "/v1/sales?from=2026-11-22T03%3A00%3A00.000Z&limit=20");
}

TEST_F(SalesCommand, ADayThatIsLongerOrShorterIsAllOfItToo) {
    const Zone madrid("Europe/Madrid");
    answer(page({}));
    EXPECT_EQ(list_sales(desk(), {.from = "2026-10-25", .to = "2026-10-25"}), exit_ok);
    EXPECT_EQ(targets().back(), "/v1/sales?from=2026-10-24T22%3A00%3A00.000Z&to=2026-10-25T23%3A00%3A00.000Z&limit=20");
}

TEST_F(SalesCommand, ATimeThatIsNoneIsAWrongCommandLine) {
    for (const auto* text : {"tomorrow", "17:05", "22/11/2026", "2026-13-01"}) {
        EXPECT_EQ(list_sales(desk(), {.to = text}), exit_usage) << text;
        EXPECT_THAT(err.str(), HasSubstr("--to is a day or a time"));
    }
    EXPECT_TRUE(client.seen.empty());
}

TEST_F(SalesCommand, ThatCannotBeReadAreNamedBelow) {
    answer(R"({"sales":[],"unreadable":["01A"],"next":null})");
    EXPECT_EQ(list_sales(desk(), {}), exit_ok);
    EXPECT_EQ(out.str(), "01A cannot be read: its record in the journal is damaged or was altered.\n");
}

TEST_F(SalesCommand, AreOneALineForPrograms) {
    answer(R"({"sales":[{"id":"01A","valor":1},{"id":"01B"}],"next":"01B"})");
    EXPECT_EQ(list_sales(desk(80, true), {.limit = 2}), exit_ok);
    EXPECT_EQ(out.str(), "{\"id\":\"01A\",\"valor\":1}\n{\"id\":\"01B\"}\n");
}

TEST_F(SalesCommand, WhatTheGatewayRefusesIsSaid) {
    answer(R"({"detail":"limit must be a whole number"})", 422);
    EXPECT_EQ(list_sales(desk(), {}), exit_failure);
    EXPECT_EQ(err.str(), "error: limit must be a whole number\n");
    EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace gateway::test
