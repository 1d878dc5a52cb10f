#include "api/latency.hpp"

#include "base/wall_time.hpp"
#include "unit/api/rig.hpp"

#include <fmt/format.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class LatencyTest : public ApiTest {
  protected:
    boost::json::array minutes() {
        const auto answer = told();
        return answer.at("minutes").as_array();
    }
    boost::json::object told() { return told_by(latency); }
    boost::json::object told_by(LatencyApi& latency_of_a_run) {
        http::Router router;
        add_routes(router, on_admin, Parts(latency_of_a_run));
        const auto answer = api.ask(router, ApiRig::request(http::verb::get, "/v1/latency"));
        EXPECT_EQ(answer.status(), 200u);
        return answer.json();
    }

    LatencyApi latency{*api.flow.metrics, *api.flow.journal, *api.flow.clock};
};

TEST_F(LatencyTest, WithoutExchangesThereAreNoMinutes) {
    EXPECT_TRUE(minutes().empty());
}

TEST_F(LatencyTest, AMinuteSaysHowLongItsExchangesTook) {
    for (int i = 0; i < 10; ++i)
        api.flow.metrics->recent_exchanges.add(RunMoment(*api.flow.clock), 800ms, i < 3);
    const auto all = minutes();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].at("at"), "2024-05-02T13:00:00.000Z");
    EXPECT_EQ(all[0].at("count"), 10);
    EXPECT_EQ(all[0].at("p50Ms"), 750) << "half of the way from half a second to a whole one";
    EXPECT_EQ(all[0].at("p95Ms"), 975);
    EXPECT_EQ(all[0].at("unknown"), 3);
}

TEST_F(LatencyTest, EveryExchangeOfASaleCounts) {
    api.flow.network->then(answered(500, ""), 2s);
    api.sold("k-1");
    EXPECT_EQ(minutes().at(0).at("unknown"), 1);
    EXPECT_GT(minutes().at(0).at("p95Ms").as_int64(), 1'000);
    api.flow.clock->advance(30min);
    api.sold("k-2");
    const auto last = minutes().back();
    EXPECT_EQ(last.at("at"), "2024-05-02T13:30:00.000Z");
    EXPECT_EQ(last.at("count"), 2) << "solicitar and confirmar";
    EXPECT_EQ(last.at("unknown"), 0);
    api.flow.clock->advance(1h);
    EXPECT_TRUE(minutes().empty());
}

TEST_F(LatencyTest, WhatNeverLeftTheMachineIsNoCall) {
    api.flow.network->refuses = true;
    api.sold("k-1");
    api.flow.clock->advance(1min);
    EXPECT_TRUE(minutes().empty());
    Metrics anew;
    LatencyApi of_the_next_run(anew, *api.flow.journal, *api.flow.clock);
    EXPECT_TRUE(told_by(of_the_next_run).at("minutes").as_array().empty()) << "by the journal";
}

TEST_F(LatencyTest, AfterAStartTheJournalTellsOfBefore) {
    api.flow.network->then(answered(500, ""), 2s);
    api.sold("k-1");
    api.flow.clock->advance(30min);
    api.sold("k-2");
    const auto before = told();
    EXPECT_EQ(before.at("since"), "2024-05-02T12:30:02.000Z") << boost::json::serialize(before);
    Metrics anew;
    api.flow.clock->advance(1min);
    LatencyApi of_the_next_run(anew, *api.flow.journal, *api.flow.clock);
    const auto after = told_by(of_the_next_run);
    EXPECT_EQ(after.at("minutes"), before.at("minutes"));
    EXPECT_EQ(after.at("since"), "2024-05-02T12:31:02.000Z");
    EXPECT_EQ(told_by(of_the_next_run).at("minutes"), before.at("minutes")) << "it looks once";
    api.flow.clock->advance(1h);
    EXPECT_TRUE(told_by(of_the_next_run).at("minutes").as_array().empty());
}

TEST_F(LatencyTest, TheHourStaysTheSameWhenTheClockIsSet) {
    for (const auto set_by : {Duration(3h), Duration(-3h), Duration(-90s)}) {
        api.sold(fmt::format("k{}", set_by.count()));
        const auto before = told();
        api.flow.clock->shift_wall(set_by);
        const auto after = told();
        const auto moved = [&](const boost::json::value& at) {
            return boost::json::value(to_rfc3339(*from_rfc3339(at.as_string()) + set_by));
        };
        EXPECT_EQ(after.at("since"), moved(before.at("since"))) << set_by.count();
        ASSERT_EQ(after.at("minutes").as_array().size(), before.at("minutes").as_array().size()) << set_by.count();
        EXPECT_EQ(after.at("minutes").as_array().back().at("at"),
                  moved(before.at("minutes").as_array().back().at("at")));
        api.flow.clock->advance(2h);
        EXPECT_TRUE(minutes().empty()) << set_by.count();
    }
}

TEST_F(LatencyTest, NoExchangeCountsTwiceWhereTheClockWasSetBackBeforeTheFirstLook) {
    api.sold("k-1");
    Metrics anew;
    api.flow.clock->advance(10min);
    LatencyApi of_the_next_run(anew, *api.flow.journal, *api.flow.clock);
    const auto started = api.flow.clock->wall();
    api.flow.clock->shift_wall(-30min);
    api.sold("k-2");  // an earlier run counted it; the journal has it at a time before the start of this one
    const auto told = told_by(of_the_next_run);
    EXPECT_TRUE(told.at("minutes").as_array().empty()) << boost::json::serialize(told);
    EXPECT_EQ(told.at("since"), boost::json::value(to_rfc3339(started - 30min)));
}

}  // namespace
}  // namespace gateway::test
