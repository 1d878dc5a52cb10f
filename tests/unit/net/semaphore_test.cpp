#include "net/semaphore.hpp"

#include "unit/support/virtual_clock.hpp"

#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class LaneTest : public testing::Test {
  protected:
    boost::asio::awaitable<void> pass(int number) {
        const auto place = co_await lane.acquire();
        entered.push_back(number);
        most = std::max(most, ++inside);
        co_await clock.sleep_for(1s);
        --inside;
    }
    void start(int number) { boost::asio::co_spawn(io, pass(number), boost::asio::detached); }

    boost::asio::io_context io;
    VirtualClock clock{io};
    Semaphore lane{2, clock};
    std::vector<int> entered;
    int inside = 0;
    int most = 0;
};

TEST_F(LaneTest, LetsInAsManyAsItIsWideInTheOrderInWhichTheyCame) {
    for (int number = 1; number <= 5; ++number)
        start(number);
    clock.settle();
    EXPECT_EQ(entered, (std::vector{1, 2}));
    clock.advance(10s);
    EXPECT_EQ(entered, (std::vector{1, 2, 3, 4, 5}));
    EXPECT_EQ(most, 2);
}

TEST_F(LaneTest, APlaceThatWasGivenUpIsFreeAgain) {
    start(1);
    start(2);
    clock.advance(2s);
    start(3);
    start(4);
    clock.settle();
    EXPECT_EQ(entered.size(), 4u);
}

}  // namespace
}  // namespace gateway::test
