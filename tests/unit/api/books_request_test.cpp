#include "api/books_request.hpp"

#include "unit/api/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using ::testing::ElementsAre;

const Day today = *parse_day("2026-11-20");

http::Request totals(std::string_view query) {
    return ApiRig::request(http::verb::get, "/v1/totals" + std::string(query));
}
std::vector<std::string> wrong_in_totals(std::string_view query) {
    const auto read = read_totals_request(totals(query), today);
    return read.has_error() ? Told{read.error()}.pointers() : std::vector<std::string>();
}
std::vector<std::string> wrong_in_order(std::string body) {
    const auto read = read_close_order(ApiRig::request(http::verb::post, "/v1/closes", std::move(body)), today);
    return read.has_error() ? Told{read.error()}.pointers() : std::vector<std::string>();
}

TEST(BooksRequest, DaysAreOneOrARange) {
    const auto one = *read_totals_request(totals("?day=2026-11-18&by=cashier,produto"), today);
    EXPECT_EQ(one.from, one.to);
    EXPECT_THAT(one.by, ElementsAre(TotalsBy::cashier, TotalsBy::produto));
    const auto open_end = *read_totals_request(totals("?from=2026-11-01"), today);
    EXPECT_EQ(open_end.to, today);
    EXPECT_TRUE(read_totals_request(totals("?from=2025-11-20&to=2026-11-20"), today).has_value());
}

TEST(BooksRequest, WhatMakesNoSenseIsNamed) {
    EXPECT_THAT(wrong_in_totals("?day=2026-02-30"), ElementsAre("/day"));
    EXPECT_THAT(wrong_in_totals("?day=2026-11-18&from=2026-11-18"), ElementsAre("/day"));
    EXPECT_THAT(wrong_in_totals("?to=2026-11-18"), ElementsAre("/from"));
    EXPECT_THAT(wrong_in_totals("?from=2026-11-18&to=2026-11-17"), ElementsAre("/to"));
    EXPECT_THAT(wrong_in_totals("?from=2025-11-19&to=2026-11-20"), ElementsAre("/to")) << "367 days";
    EXPECT_THAT(wrong_in_totals("?from=2027-01-01"), ElementsAre("/to"));
    for (const auto* by : {"", "x", "family,family", "family,", ",family", "Family"})
        EXPECT_THAT(wrong_in_totals("?by=" + std::string(by)), ElementsAre("/by")) << by;
    EXPECT_THAT(wrong_in_totals("?estabelecimento="), ElementsAre("/estabelecimento"));
    EXPECT_THAT(wrong_in_totals("?day=2026-11-18&day=2026-11-18&limit=3"), ElementsAre("/day", "/limit"));
}

TEST(BooksRequest, AListOfClosesHasALimit) {
    const auto read = [](std::string_view query) {
        return read_closes_request(ApiRig::request(http::verb::get, "/v1/closes" + std::string(query)));
    };
    EXPECT_EQ(read("")->limit, 50u);
    EXPECT_EQ(read("?limit=500&from=2026-11-01")->limit, 500u);
    for (const auto* query : {"?limit=0", "?limit=501", "?limit=x", "?limit=1x", "?from=1", "?by=family"})
        EXPECT_TRUE(read(query).has_error()) << query;
}

TEST(BooksRequest, AnOrderToCloseNamesADayThatHasBegun) {
    EXPECT_THAT(wrong_in_order(R"({"day":"2026-11-20","estabelecimento":"1","by":"Zé"})"), ElementsAre());
    EXPECT_THAT(wrong_in_order(R"({"day":"2026-11-21"})"), ElementsAre("/day"));
    EXPECT_THAT(wrong_in_order(R"({})"), ElementsAre("/day"));
    EXPECT_THAT(wrong_in_order(R"({"day":20261120,"by":"","estabelecimento":7,"force":true})"),
                ElementsAre("/day", "/estabelecimento", "/by", "/force"));
}

TEST(BooksRequest, ACloseHasOneName) {
    EXPECT_EQ(parse_close_name("325")->number, 325);
    EXPECT_EQ(parse_close_name("325")->series, 1);
    EXPECT_EQ(parse_close_name("326-2")->series, 2);
    for (const auto* name : {"", "0", "01", "x", "1x", "-1", "1-", "1-0", "1-1", "1-02", "1/2", "99999999999", "1-2-3"})
        EXPECT_FALSE(parse_close_name(name)) << name;
}

}  // namespace
}  // namespace gateway::test
