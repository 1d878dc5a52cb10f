// Tests the only place that asks the operating system. Its answers are not tested, but that a timer loses no notify()
// is.
#include "base/system.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>

namespace gateway::test {
namespace {

namespace asio = boost::asio;

class SystemTest : public testing::Test {
  protected:
    // Begins to wait. The answer is there once the io_context has run.
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

TEST_F(SystemTest, ATimerOfATimeThatIsPastWakesByTime) {
    wait_until(clock.now());
    io.run();
    EXPECT_EQ(woken, Timer::Wake::timeout);
}

TEST_F(SystemTest, NotifyEndsAWaitWithoutEnd) {
    wait_until(never);
    io.poll();
    EXPECT_FALSE(woken);
    timer->notify();
    io.run();
    EXPECT_EQ(woken, Timer::Wake::notified);
}

TEST_F(SystemTest, ANotifyThatMetNoWaitEndsTheNextOne) {
    timer->notify();
    timer->notify();
    wait_until(never);
    io.run();
    EXPECT_EQ(woken, Timer::Wake::notified);

    io.restart();
    wait_until(clock.now());
    io.run();
    EXPECT_EQ(woken, Timer::Wake::timeout) << "several count as one";
}

TEST_F(SystemTest, ANotifyThatMeetsTheTimeIsNotLost) {
    wait_until(clock.now());
    io.run_one();  // the wait has begun; its time has come already
    timer->notify();
    io.run();
    EXPECT_EQ(woken, Timer::Wake::notified);
}

TEST_F(SystemTest, ATimerThatIsDestroyedWithItsIoContextIsNoTrouble) {
    wait_until(never);
    io.poll();
    SUCCEED();
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
