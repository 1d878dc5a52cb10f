#include "net/wait_queue.hpp"

#include "unit/support/virtual_clock.hpp"

#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class WaitQueueTest : public testing::Test {
  protected:
    boost::asio::awaitable<void> wait(int number, WaitQueue::Position position) {
        const auto wake = co_await queue.wait(clock.now() + 10s, position);
        (wake == Timer::Wake::notified ? notified : timed_out).push_back(number);
    }
    void start(int number, WaitQueue::Position position = WaitQueue::Position::back) {
        boost::asio::co_spawn(io, wait(number, position), boost::asio::detached);
        clock.settle();
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    WaitQueue queue{clock};
    std::vector<int> notified;
    std::vector<int> timed_out;
};

TEST_F(WaitQueueTest, WakesOneAfterTheOtherAndFirstThatWhichKeepsItsTurn) {
    start(1);
    start(2);
    start(3, WaitQueue::Position::front);
    queue.notify_one();
    clock.settle();
    EXPECT_EQ(notified, std::vector{3});
    EXPECT_EQ(queue.size(), 2U);
    queue.notify_all();
    clock.settle();
    EXPECT_EQ(notified, (std::vector{3, 1, 2}));
    EXPECT_TRUE(queue.empty());
}

TEST_F(WaitQueueTest, AWaitThatTookTooLongLeavesTheQueueAndTakesNobodysTurn) {
    start(1);
    clock.advance(5s);
    start(2);
    clock.advance(6s);
    EXPECT_EQ(timed_out, std::vector{1});
    EXPECT_EQ(queue.size(), 1U);
    queue.notify_one();
    clock.settle();
    EXPECT_EQ(notified, std::vector{2});
}

}  // namespace
}  // namespace gateway::test
