#include "api/latency.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class LatencyTest : public ApiTest {
  protected:
    boost::json::array minutes() {
        LatencyApi latency(*api.flow.metrics, *api.flow.clock);
        http::Router router;
        latency.add_to(router);
        const auto told = api.ask(router, ApiRig::request(http::verb::get, "/v1/latency"));
        EXPECT_EQ(told.status(), 200u);
        return told.json().at("minutes").as_array();
    }
};

TEST_F(LatencyTest, WithoutExchangesThereAreNoMinutes) {
    EXPECT_TRUE(minutes().empty());
}

TEST_F(LatencyTest, AMinuteSaysHowLongItsExchangesTook) {
    for (int i = 0; i < 10; ++i)
        api.flow.metrics->recent_exchanges.add(api.flow.clock->wall(), 800ms, i < 3);
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

}  // namespace
}  // namespace gateway::test
