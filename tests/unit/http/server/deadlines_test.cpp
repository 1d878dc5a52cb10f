#include "http/server/deadlines.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace gateway::http {
namespace {

using std::chrono::milliseconds;

class CountingAlarm final : public Timer {
  public:
    int rings = 0;
    void notify() override { ++rings; }
    boost::asio::awaitable<Wake> wait_until(Instant) override { co_return Wake::notified; }
};

class Waiter final : public WaitDeadlines::Waiter {
  public:
    int expired = 0;
    void expire() override { ++expired; }
};

class DeadlinesTest : public testing::Test {
  protected:
    DeadlinesTest() { deadlines.expire(start); }

    static WaitDeadlines::Lengths lengths() {
        return {Duration(1000), Duration(100), Duration(200), Duration(300), Duration(50)};
    }

    const Instant start{std::chrono::hours(1)};
    CountingAlarm timer;
    Timer* const watch = &timer;
    WaitDeadlines deadlines{lengths(), watch};
};

TEST_F(DeadlinesTest, NobodyWaitsNeverWakes) {
    EXPECT_EQ(deadlines.expire(start), never);
}

TEST_F(DeadlinesTest, ExpiresWhenItsTimeHasComeAndOnce) {
    Waiter waiter;
    deadlines.begin(waiter, Wait::header, start);
    EXPECT_EQ(deadlines.expire(start + milliseconds(99)), start + milliseconds(100));
    EXPECT_EQ(waiter.expired, 0);
    EXPECT_EQ(deadlines.expire(start + milliseconds(100)), never);
    EXPECT_EQ(waiter.expired, 1);
    deadlines.expire(start + milliseconds(9999));
    EXPECT_EQ(waiter.expired, 1);
}

TEST_F(DeadlinesTest, EarliestOfAllKindsIsNamed) {
    Waiter idle;
    Waiter header;
    Waiter later;
    deadlines.begin(idle, Wait::idle, start);
    deadlines.begin(header, Wait::header, start + milliseconds(10));
    deadlines.begin(later, Wait::header, start + milliseconds(20));
    EXPECT_EQ(deadlines.expire(start + milliseconds(20)), start + milliseconds(110));
    EXPECT_EQ(deadlines.expire(start + milliseconds(110)), start + milliseconds(120));
    EXPECT_EQ(deadlines.expire(start + milliseconds(500)), start + milliseconds(1000));
    EXPECT_EQ(header.expired + later.expired, 2);
    EXPECT_EQ(idle.expired, 0);
}

TEST_F(DeadlinesTest, RingsOnlyForADeadlineBeforeTheOneNamed) {
    Waiter idle;
    Waiter header;
    Waiter another;
    deadlines.begin(idle, Wait::idle, start);
    EXPECT_EQ(timer.rings, 1);
    deadlines.begin(header, Wait::header, start);
    EXPECT_EQ(timer.rings, 2);
    deadlines.begin(another, Wait::header, start + milliseconds(1));
    deadlines.begin(idle, Wait::idle, start + milliseconds(1));
    EXPECT_EQ(timer.rings, 2);
}

TEST_F(DeadlinesTest, BeginningAnewPutsTheDeadlineOff) {
    Waiter waiter;
    deadlines.begin(waiter, Wait::header, start);
    deadlines.begin(waiter, Wait::body, start + milliseconds(50));
    deadlines.expire(start + milliseconds(249));
    EXPECT_EQ(waiter.expired, 0);
    deadlines.expire(start + milliseconds(250));
    EXPECT_EQ(waiter.expired, 1);
}

TEST_F(DeadlinesTest, EndedAndDestroyedWaitersDoNotExpire) {
    Waiter ended;
    {
        Waiter destroyed;
        deadlines.begin(destroyed, Wait::header, start);
    }
    deadlines.begin(ended, Wait::header, start);
    WaitDeadlines::end(ended);
    WaitDeadlines::end(ended);
    EXPECT_EQ(deadlines.expire(start + milliseconds(9999)), never);
    EXPECT_EQ(ended.expired, 0);
}

}  // namespace
}  // namespace gateway::http
