#include "api/totals.hpp"

#include "journal/sqlite/database.hpp"
#include "unit/api/books_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using ::testing::ElementsAre;

using TotalsApiTest = BooksApiTest;

TEST_F(TotalsApiTest, TodayIsToldUnlessAnotherDayIsNamed) {
    sold();
    const auto told = get("/v1/totals");
    ASSERT_EQ(told.status(), 200u);
    EXPECT_EQ(told.text("from"), "2024-05-02");
    EXPECT_EQ(told.text("to"), "2024-05-02");
    EXPECT_EQ(told.text("timezone"), "UTC");
    EXPECT_EQ(boost::json::serialize(told.json().at("total").at("sold")), R"({"count":1,"valor":2500})");
    EXPECT_TRUE(told.json().at("groups").as_array().empty());
    EXPECT_EQ(sold_in(get("/v1/totals?day=2024-05-01")), 0);
    EXPECT_EQ(sold_in(get("/v1/totals?from=2024-05-01")), 1);
    EXPECT_EQ(sold_in(get("/v1/totals?from=2024-04-01&to=2024-05-01")), 0);
}

TEST_F(TotalsApiTest, GroupsHaveWhatTheirSalesHaveInCommon) {
    sold();
    sold("loja-b");
    const auto told = get("/v1/totals?by=terminal,family");
    const auto groups = told.json().at("groups").as_array();
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].at("terminal").as_string(), "caixa-01");
    EXPECT_EQ(groups[0].at("family").as_string(), "tv");
    EXPECT_EQ(groups[1].at("terminal").as_string(), "loja-b");
    EXPECT_EQ(sold_in(get("/v1/totals?estabelecimento=87654321")), 1);
}

TEST_F(TotalsApiTest, HoursAreThoseInWhichTheSalesWereBegun) {
    sold();
    api.flow.clock->advance(std::chrono::hours(2));
    sold();
    sold("caixa-02");
    const auto groups = get("/v1/totals?by=hour,terminal").json().at("groups").as_array();
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0].at("hour").as_string(), "13");
    EXPECT_EQ(groups[1].at("hour").as_string(), "15");
    EXPECT_EQ(groups[1].at("terminal").as_string(), "caixa-01");
    EXPECT_EQ(groups[2].at("sold").at("count").as_int64(), 1);
}

TEST_F(TotalsApiTest, ADayIsToldUpToATimeOfIt) {
    sold();
    api.flow.clock->advance(std::chrono::hours(2));
    sold();
    EXPECT_EQ(api.held("h").status(), 200u);
    const auto until = [&](std::string_view time) { return get("/v1/totals?begunBefore=" + std::string(time)); };
    const auto before_the_second = until("2024-05-02T15:00:00Z");
    EXPECT_EQ(sold_in(before_the_second), 1);
    EXPECT_TRUE(before_the_second.json().at("openSales").as_array().empty());
    const auto after_all = until("2024-05-02T16:00:00Z");
    EXPECT_EQ(sold_in(after_all), 2);
    EXPECT_EQ(after_all.json().at("openSales").as_array().size(), 1u);
    EXPECT_EQ(sold_in(until("2024-05-02T12:00:00Z")), 0);
    EXPECT_THAT(until("15:00").pointers(), ElementsAre("/begunBefore"));
}

TEST_F(TotalsApiTest, WhatIsOpenIsNamed) {
    EXPECT_EQ(api.held("h").status(), 200u);
    const auto told = get("/v1/totals");
    EXPECT_EQ(told.json().at("total").at("held").at("valor").as_int64(), 2500);
    const auto open = told.json().at("openSales").as_array();
    ASSERT_EQ(open.size(), 1u);
    EXPECT_EQ(open[0].at("outcome").as_string(), "held");
    EXPECT_EQ(open[0].at("terminal").as_string(), "caixa-01");
    EXPECT_EQ(open[0].at("idExterno").as_string().size(), 26u);
}

TEST_F(TotalsApiTest, ATerminalIsToldOfItsOwnEstablishmentAndFamilies) {
    sold();
    sold("loja-b");
    close();
    const auto own = ask_as("caixa-02", "/v1/totals?by=estabelecimento&estabelecimento=12345678");
    EXPECT_EQ(sold_in(own), 1);
    ASSERT_EQ(own.json().at("closes").as_array().size(), 1u);
    EXPECT_EQ(own.json().at("closes").at(0).at("name").as_string(), "1");
    const auto anothers = ask_as("caixa-02", "/v1/totals?estabelecimento=87654321");
    EXPECT_EQ(anothers.status(), 403u);
    EXPECT_EQ(anothers.code(), "forbidden");
    EXPECT_EQ(sold_in(ask_as("so-tv", "/v1/totals")), 1);
    api.terminals.reload({terminal("so-esim", "12345678", {Family::esim})});
    EXPECT_EQ(sold_in(ask_as("so-esim", "/v1/totals")), 0);
    EXPECT_EQ(ask_as("caixa-02", "/v1/totals").status(), 401u) << "it was taken out of the configuration";
}

TEST_F(TotalsApiTest, AnEstablishmentThatNobodyKnowsIsAMistake) {
    const auto told = get("/v1/totals?estabelecimento=11111111");
    EXPECT_EQ(told.status(), 422u);
    EXPECT_THAT(told.pointers(), ElementsAre("/estabelecimento"));
}

TEST_F(TotalsApiTest, WhatIsWrongIsSaidAllAtOnce) {
    const auto told = get("/v1/totals?day=x&by=loja&y=1");
    EXPECT_EQ(told.status(), 422u);
    EXPECT_THAT(told.pointers(), ElementsAre("/y", "/day", "/by"));
}

}  // namespace
}  // namespace gateway::test
