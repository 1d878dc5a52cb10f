#include "api/operator_status.hpp"

#include "journal/sqlite/database.hpp"
#include "unit/api/rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace json = boost::json;

class OperatorStatusTest : public ApiTest {
  protected:
    OperatorStatusTest() {
        api.health->set_recovered();
        api.flow.tokens->start();
        api.flow.clock->settle();
    }
    json::object status() {
        const auto told = api.operators(http::verb::get, "/v1/status");
        EXPECT_EQ(told.status(), 200u);
        return told.json();
    }
    std::string text(const char* name) { return std::string(status().at(name).as_string()); }
};

TEST_F(OperatorStatusTest, SaysThatItSellsAndSinceWhen) {
    const auto told = status();
    EXPECT_EQ(told.at("version"), "0.0.0");
    EXPECT_TRUE(told.at("startedAt").is_string());
    EXPECT_EQ(told.at("sells"), true);
    EXPECT_EQ(told.at("detail"), "Takes sales.");
    EXPECT_TRUE(told.at("reasons").as_array().empty());
    EXPECT_TRUE(told.at("degraded").as_array().empty());
    EXPECT_EQ(told.at("families"), json::parse(R"({"tv":true,"egift":true,"transit":true,"health":true,"esim":true})"));
    EXPECT_EQ(told.at("provider").at("reached"), true);
    EXPECT_EQ(told.at("tokenService").at("reached"), true);
    EXPECT_EQ(told.at("token").at("valid"), true);
    EXPECT_TRUE(told.at("token").at("expiresAt").is_string());
    EXPECT_EQ(told.at("sales"),
              json::parse(R"({"underWay":0,"unsettled":0,"waitingForJournal":0,"oldestUnsettledAt":null,
                              "unreadable":0})"));
    EXPECT_EQ(told.at("attention"), json::parse(R"({"total":0,"byMark":{}})"));
    EXPECT_EQ(told.at("journal"), json::parse(R"({"writable":true,"damaged":false})"));
}

TEST_F(OperatorStatusTest, WhatItTellsOfItsRunIsRightAsSoonAsTheClockIs) {
    for (const auto wrong_by : {Duration(-48h), Duration(5min)}) {
        api.flow.clock->shift_wall(wrong_by);
        api.build();
        api.health->set_recovered();
        const auto began = to_rfc3339(api.flow.clock->wall() - wrong_by);
        api.flow.clock->jump(8s);
        api.flow.clock->shift_wall(-wrong_by);
        EXPECT_EQ(text("startedAt"), began);
    }
}

TEST_F(OperatorStatusTest, CountsWhatCannotBeReadAsSoonAsItWasMet) {
    const auto id = api.sold("k-1").text("id");
    api.flow.clock->settle();
    auto database = *sqlite::Database::open(api.flow.folder.path("journal.db"), nullptr);
    ASSERT_TRUE(database.run("UPDATE sales SET attempts = 'garbage'").has_value());
    api.operator_status->add_filter_to(api.admin_routes);
    const auto refused = api.operators(http::verb::get, "/v1/sales/" + id);
    EXPECT_EQ(refused.text("code"), "sale_unreadable");
    EXPECT_THAT(refused.text("detail"), AllOf(HasSubstr("sales-gateway attention"), Not(HasSubstr("The operator"))));
    const auto told = status();
    EXPECT_EQ(told.at("attention"), json::parse(R"({"total":1,"byMark":{"unreadable":1}})"));
    EXPECT_EQ(told.at("sales").at("unreadable"), 1);
    EXPECT_THAT(std::string(told.at("detail").as_string()), HasSubstr("Sales that need a person: 1;"));
}

TEST_F(OperatorStatusTest, SaysThatYesterdayIsNotClosedWhereThereIsSomethingToClose) {
    EXPECT_EQ(status().at("unclosed"), json::array());
    api.sold("k-1");
    api.flow.clock->settle();
    EXPECT_EQ(status().at("unclosed"), json::array()) << "the day is not over";
    api.flow.clock->shift_wall(24h);
    EXPECT_EQ(status().at("unclosed"),
              json::parse(R"([{"estabelecimento":"12345678","day":"2024-05-02","sold":{"count":1,"valor":2500}}])"));
    const CloseKey key{.estabelecimento = "12345678", .day = parse_day("2024-05-02").value()};
    ASSERT_TRUE(api.flow.clock->run(api.books->close(key, "maria")).has_value());
    EXPECT_EQ(status().at("unclosed"), json::array());
    api.flow.clock->shift_wall(24h);
    EXPECT_EQ(status().at("unclosed"), json::array()) << "nobody sold";
}

TEST_F(OperatorStatusTest, NamesADayBeforeYesterdayThatNobodyClosed) {
    const auto close = [&](std::string_view day) {
        const CloseKey key{.estabelecimento = "12345678", .day = parse_day(day).value()};
        ASSERT_TRUE(api.flow.clock->run(api.books->close(key, "maria")).has_value());
    };
    close("2024-05-01");
    api.sold("k-1");
    api.flow.clock->settle();
    api.flow.clock->shift_wall(24h);
    EXPECT_EQ(status().at("forgotten"), json::array()) << "it is yesterday, which is told with its sum";
    close("2024-05-03");
    api.flow.clock->shift_wall(24h);
    const auto told = status();
    EXPECT_EQ(told.at("forgotten"), json::parse(R"([{"estabelecimento":"12345678","day":"2024-05-02"}])"));
    EXPECT_EQ(told.at("unclosed"), json::array());
    close("2024-05-02");
    EXPECT_EQ(status().at("forgotten"), json::array());
}

TEST_F(OperatorStatusTest, NamesTheFamiliesThatSomeTerminalMaySell) {
    api.terminals.reload({terminal("a", "12345678", {Family::tv}), terminal("b", "12345678", {Family::esim})});
    EXPECT_EQ(status().at("families"),
              json::parse(R"({"tv":true,"egift":false,"transit":false,"health":false,"esim":true})"));
}

TEST_F(OperatorStatusTest, SaysWhyNothingIsSold) {
    api.flow.network->refuses = true;
    api.flow.network->cause = "Connection refused";
    api.flow.clock->advance(10s);
    auto told = status();
    EXPECT_EQ(told.at("sells"), false);
    EXPECT_THAT(std::string(told.at("detail").as_string()), HasSubstr("Can sell nothing: the provider cannot be used"));
    EXPECT_EQ(told.at("reasons").as_array().size(), 1u);
    EXPECT_EQ(told.at("degraded").at(0).at("lastError"), "Connection refused");
    EXPECT_EQ(told.at("families").at("tv"), false);
    EXPECT_EQ(told.at("provider").at("reached"), false);
    api.flow.seller->stop_taking();
    told = status();
    EXPECT_EQ(told.at("detail"), "Takes no sales: the gateway is stopping.");
    EXPECT_EQ(told.at("reasons").at(0), "the gateway is stopping");
}

TEST_F(OperatorStatusTest, CountsWhatStandsStillUntilTheJournalCanBeWritten) {
    api.held("k-1");
    api.held("k-2");
    EXPECT_EQ(status().at("sales").at("waitingForJournal"), 0);
    api.flow.doubtful->fail();
    api.flow.clock->advance(api.flow.rules.hold + 1s);
    EXPECT_EQ(status().at("sales").at("waitingForJournal"), 2);
    EXPECT_EQ(status().at("sales").at("underWay"), 2);
    api.flow.doubtful->mend();
    api.flow.clock->advance(1s);
    EXPECT_EQ(status().at("sales").at("waitingForJournal"), 0);
}

TEST_F(OperatorStatusTest, CountsWhatIsUnderWayWhatIsLeftToDoAndWhatNeedsAPerson) {
    const auto held = api.held("k-1").json();
    api.flow.clock->advance(1s);
    api.sold("esim-1", ApiRig::esim_body);
    auto told = status();
    EXPECT_EQ(told.at("sales").at("underWay"), 2);
    EXPECT_EQ(told.at("sales").at("unsettled"), 2);
    EXPECT_EQ(told.at("sales").at("oldestUnsettledAt"), held.at("createdAt"));
    api.flow.network->otherwise = [](const http::ClientRequest&) { return lost(); };
    api.flow.clock->advance(api.flow.rules.hold + 1s);
    told = status();
    EXPECT_EQ(told.at("sales").at("underWay"), 1) << "the held one expired";
    EXPECT_EQ(told.at("sales").at("unsettled"), 2) << "and its cancel is not answered";
    api.flow.clock->advance(api.flow.rules.attention_after * 2);
    told = status();
    EXPECT_EQ(told.at("attention"), json::parse(R"({"total":2,"byMark":{"unsettled":1,"no_callback":1}})"));
    EXPECT_THAT(std::string(told.at("detail").as_string()), HasSubstr("Sales that need a person: 2;"));
}

}  // namespace
}  // namespace gateway::test
