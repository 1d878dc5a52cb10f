#include "console/password_worker.hpp"

#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace gateway::test {
namespace {

class PasswordWorkerTest : public testing::Test {
  protected:
    ~PasswordWorkerTest() override { worker.reset(); }

    void begin(const PasswordHash& hash, const char* password) {
        boost::asio::co_spawn(io, note(worker->check(hash, Secret(password))), boost::asio::detached);
    }
    // Runs the loop until the worker's thread has handed over this many answers.
    void until(std::size_t answers) {
        const auto busy = boost::asio::make_work_guard(io);
        io.restart();
        while (right.size() < answers)
            io.run_one();
    }

    SeededRandom random;
    const PasswordHash hash = PasswordHash::make(Secret("certo"), random);
    boost::asio::io_context io;
    VirtualClock clock{io};
    std::vector<bool> right;
    std::vector<std::thread::id> threads;  // the threads on which the callers went on
    std::unique_ptr<PasswordWorker> worker = std::make_unique<PasswordWorker>(io.get_executor(), clock);

  private:
    boost::asio::awaitable<void> note(boost::asio::awaitable<bool> check) {
        const bool is_right = co_await std::move(check);
        right.push_back(is_right);
        threads.push_back(std::this_thread::get_id());
    }
};

TEST_F(PasswordWorkerTest, TellsARightPasswordFromAWrongOneWithoutHoldingUpTheLoop) {
    begin(hash, "certo");
    begin(hash, "errado");
    clock.settle();
    bool other_work = false;
    boost::asio::post(io, [&] { other_work = true; });
    clock.settle();
    EXPECT_TRUE(other_work);
    until(2);
    EXPECT_THAT(right, testing::ElementsAre(true, false)) << "one after the other";
    EXPECT_THAT(threads, testing::Each(std::this_thread::get_id()));
}

TEST_F(PasswordWorkerTest, NobodysHashIsNoPasswords) {
    begin(PasswordHash::of_nobody(random), "");
    until(1);
    EXPECT_THAT(right, testing::ElementsAre(false));
}

TEST_F(PasswordWorkerTest, MayBeDestroyedWhileItLooksAtOneAndOthersWait) {
    for (int i = 0; i < 3; ++i)
        begin(hash, "certo");
    clock.settle();
    worker.reset();
    clock.settle();
    EXPECT_LE(right.size(), 1U) << "those that it had not begun are left";
}

}  // namespace
}  // namespace gateway::test
