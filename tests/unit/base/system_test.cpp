// The only place that asks the operating system. What it answers is not tested; that an timer loses no ring is.
#include "base/system.hpp"

#include "base/clock_hold.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>
#include <thread>

namespace gateway::test {
namespace {

namespace asio = boost::asio;

class SystemTest : public testing::Test {
  protected:
    // Begins to wait; the answer is there once the io_context has run.
    void wait_until(Instant when) {
        woken.reset();
        asio::co_spawn(io, waiting(when), asio::detached);
    }
    asio::awaitable<void> waiting(Instant when) { woken = co_await timer->wait_until(when); }

    asio::io_context io;
    SystemClock clock{io.get_executor()};
    std::unique_ptr<Timer> timer = clock.make_timer();
    std::optional<Timer::Wake> woken;
};

TEST_F(SystemTest, AlarmOfATimeThatIsPastWakesByTime) {
    wait_until(clock.now());
    io.run();
    EXPECT_EQ(woken, Timer::Wake::timeout);
}

TEST_F(SystemTest, RingEndsAWaitWithoutEnd) {
    wait_until(never);
    io.poll();
    EXPECT_FALSE(woken);
    timer->notify();
    io.run();
    EXPECT_EQ(woken, Timer::Wake::notified);
}

TEST_F(SystemTest, RingThatCameWhileNobodyWaitedEndsTheNextWait) {
    timer->notify();
    timer->notify();
    wait_until(never);
    io.run();
    EXPECT_EQ(woken, Timer::Wake::notified);

    io.restart();
    wait_until(clock.now());
    io.run();
    EXPECT_EQ(woken, Timer::Wake::timeout) << "several rings count as one";
}

TEST_F(SystemTest, RingThatMeetsTheTimeIsNotLost) {
    wait_until(clock.now());
    io.run_one();  // the wait has begun; its time has come already
    timer->notify();
    io.run();
    EXPECT_EQ(woken, Timer::Wake::notified);
}

TEST_F(SystemTest, AlarmThatIsDestroyedWithItsIoContextIsNoTrouble) {
    wait_until(never);
    io.poll();
    SUCCEED();
}

// Long enough for both clocks to have gone on; seen from a thread on which nobody holds them.
void let_time_pass(const Clock& clock) {
    std::thread([&] {
        const auto begun = clock.now();
        while (clock.now() - begun < std::chrono::milliseconds(2)) {
        }
    }).join();
}

TEST_F(SystemTest, AClockThatIsHeldStandsStill) {
    const auto before = clock.now();
    {
        const ClockHold hold;
        const auto now = clock.now();
        const auto wall = clock.wall();
        EXPECT_GE(now, before);
        let_time_pass(clock);
        EXPECT_EQ(clock.now(), now);
        EXPECT_EQ(clock.wall(), wall);
    }
    EXPECT_GE(clock.now() - before, std::chrono::milliseconds(2)) << "and goes on afterwards";
}

TEST_F(SystemTest, AHoldInsideAnotherChangesNothing) {
    const ClockHold outer;
    const auto first = clock.now();
    let_time_pass(clock);
    {
        const ClockHold inner;
        EXPECT_EQ(clock.now(), first);
    }
    EXPECT_EQ(clock.now(), first);
}

TEST_F(SystemTest, AClockThatIsHeldForVeryMuchGoesOn) {
    const ClockHold hold;
    const auto now = clock.now();
    const auto wall = clock.wall();
    let_time_pass(clock);
    for (unsigned i = 1; i < ClockHold::asks_per_reading; ++i) {
        EXPECT_EQ(clock.now(), now);
        EXPECT_EQ(clock.wall(), wall);
    }
    EXPECT_GT(clock.now(), now);
    EXPECT_GT(clock.wall(), wall);
}

TEST_F(SystemTest, AHoldIsItsThreadsOwn) {
    const ClockHold hold;
    const auto held = clock.now();
    let_time_pass(clock);
    std::thread([&] { EXPECT_GT(clock.now(), held); }).join();
}

TEST_F(SystemTest, SteadyClockDoesNotGoBack) {
    auto before = clock.now();
    for (int i = 0; i < 1000; ++i) {
        const auto now = clock.now();
        EXPECT_GE(now, before);
        before = now;
    }
}

TEST(SystemRandomTest, FillsEveryByteWithChance) {
    SystemRandom random;
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 100; ++i)
        seen.insert(random.next());
    EXPECT_EQ(seen.size(), 100u);

    std::array<std::byte, 4096> bytes{};
    random.fill(bytes);
    std::set<std::byte> different(bytes.begin(), bytes.end());
    EXPECT_GT(different.size(), 200u);
    random.fill({});
}

}  // namespace
}  // namespace gateway::test
