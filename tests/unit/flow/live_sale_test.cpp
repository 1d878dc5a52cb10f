#include "flow/live_sale.hpp"

#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class LiveSaleTest : public testing::Test {
  protected:
    static Sale sale(Clock& clock) {
        SeededRandom random;
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random)});
        return made;
    }
    void watch(Duration length, bool& flag, bool& ended) {
        auto watching = [](LiveSale& sale_, Instant until, bool& enough, bool& over) -> boost::asio::awaitable<void> {
            auto is_enough = [&] { return enough; };
            co_await sale_.watch_until(until, is_enough);
            over = true;
        };
        boost::asio::co_spawn(io, watching(live, clock.now() + length, flag, ended), boost::asio::detached);
        clock.settle();
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    LiveSale live{sale(clock), "r", LiveSale::Stage::attended, clock};
};

TEST_F(LiveSaleTest, WatchersLookAgainAtEveryChange) {
    bool enough = false;
    bool ended = false;
    watch(60s, enough, ended);
    live.changed();
    clock.settle();
    EXPECT_FALSE(ended);
    enough = true;
    live.changed();
    clock.settle();
    EXPECT_TRUE(ended);
}

TEST_F(LiveSaleTest, OnlyThoseWhoHaveSeenEnoughStopWatching) {
    bool enough = false;
    bool other_enough = false;
    bool ended = false;
    bool other_ended = false;
    watch(60s, enough, ended);
    watch(60s, other_enough, other_ended);
    other_enough = true;
    live.changed();
    clock.settle();
    EXPECT_FALSE(ended);
    EXPECT_TRUE(other_ended);
    enough = true;
    live.changed();
    clock.settle();
    EXPECT_TRUE(ended);
}

TEST_F(LiveSaleTest, WhoHasSeenEnoughAlreadyDoesNotWait) {
    bool enough = true;
    bool ended = false;
    watch(60s, enough, ended);
    EXPECT_TRUE(ended);
}

TEST_F(LiveSaleTest, WatchingEndsInTime) {
    bool enough = false;
    bool ended = false;
    watch(60s, enough, ended);
    clock.advance(59s);
    EXPECT_FALSE(ended);
    clock.advance(2s);
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace gateway::test
