#include "journal/writer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

namespace gateway::test {
namespace {

using namespace testing;

// Gives every job its turn, without a database.
class CountingEngine final : public Engine {
  public:
    void perform(std::span<Task* const> tasks) override {
        batches.push_back(tasks.size());
        rested = false;
        if (before) before();
        for (auto* const task : tasks) {
            auto job = (*task->work)(nothing_);
            job.begin();
            try {
                job.take();
            } catch (const JobFailed& failed) {
                task->outcome = failed.why();
            }
            if (fails) task->outcome = errc::journal_unavailable;
        }
    }
    void rest() override { rested = true; }
    void wait_no_more() noexcept override { waits = false; }

    std::vector<std::size_t> batches;
    std::function<void()> before;
    bool fails = false;
    std::atomic<bool> rested{false};
    std::atomic<bool> waits{true};

  private:
    class Nothing final : public Transaction {
        Asked execute(const Statement&, std::span<const Value>) override { return Asked(Rows()); }
    };
    Nothing nothing_;
};

class WriterTest : public TestWithParam<Durability> {
  protected:
    boost::asio::awaitable<void> ask(int number) {
        int result = 0;
        const Engine::Work work = [&](Transaction&) -> Job<void> {
            if (number < 0) throw JobFailed(errc::not_found);
            result = 2 * number;
            co_return;
        };
        const auto committed = co_await writer->commit(Writer::Access::write, work);
        results.push_back(committed.has_error() ? -committed.error().value() : result);
        told_before_rest = told_before_rest && !engine.rested;
        on_this_thread = on_this_thread && std::this_thread::get_id() == caller;
        if (results.size() == expected) io.stop();
    }
    boost::asio::awaitable<void> ask_and_end() {
        const Engine::Work work = [](Transaction&) -> Job<void> { co_return; };
        EXPECT_TRUE(co_await writer->commit(Writer::Access::write, work));
        writer.reset();
    }
    void ask_for(const std::vector<int>& numbers) {
        expected = results.size() + numbers.size();
        for (const int number : numbers)
            boost::asio::co_spawn(io, ask(number), boost::asio::detached);
    }
    void run() {
        const auto guard = boost::asio::make_work_guard(io);
        io.restart();
        io.run();
    }

    const std::thread::id caller = std::this_thread::get_id();
    boost::asio::io_context io;
    CountingEngine engine;
    std::unique_ptr<Writer> writer = std::make_unique<Writer>(io.get_executor(), engine, GetParam());
    std::vector<int> results;
    std::size_t expected = 0;
    bool on_this_thread = true;
    bool told_before_rest = true;
};

TEST_P(WriterTest, GivesEachCallerItsResultOnTheExecutor) {
    ask_for({1, 2, -1, 3});
    run();
    EXPECT_THAT(results, UnorderedElementsAre(2, 4, 6, -static_cast<int>(errc::not_found)));
    EXPECT_TRUE(on_this_thread);
}

TEST_P(WriterTest, ACommitThatFailedIsToldToAllThatWereInIt) {
    engine.fails = true;
    ask_for({1, 2});
    run();
    EXPECT_THAT(results, Each(-static_cast<int>(errc::journal_unavailable)));
}

TEST_P(WriterTest, JobsThatWaitTogetherShareACommit) {
    ask_for(std::vector<int>(100, 1));
    run();
    io.restart();
    io.poll();
    writer.reset();
    EXPECT_LT(engine.batches.size(), 100U);
    EXPECT_TRUE(engine.rested);
    if (GetParam() == Durability::threaded) return;
    EXPECT_THAT(engine.batches, ElementsAre(100U)) << "one posted call takes all that came before it";
    EXPECT_TRUE(told_before_rest);
}

// There are thousands of jobs where a provider that hung answers all its requests at once.
TEST_P(WriterTest, JobsThatAreTooManyForOneCommitShareSeveral) {
    const bool threaded = GetParam() == Durability::threaded;
    std::promise<void> all_wait;
    auto waits = all_wait.get_future().share();
    if (threaded) engine.before = [waits] { waits.wait(); };
    ask_for(std::vector<int>(3'000, 1));
    boost::asio::post(io, [&] { all_wait.set_value(); });
    run();
    writer.reset();
    if (threaded) EXPECT_LE(std::ranges::max(engine.batches), 1'024U);
    EXPECT_EQ(engine.batches.size() >= 3, threaded) << "nothing comes meanwhile where there is one thread";
}

TEST_P(WriterTest, WhatStillWaitsWhenTheContextDiesIsDestroyedCleanly) {
    ask_for(std::vector<int>(10, 1));
    expected = 1'000;
    io.restart();
    io.poll_one();
    writer.reset();
    EXPECT_LT(results.size(), expected);
    EXPECT_FALSE(engine.waits) << "the end waits for no other program";
}

TEST_P(WriterTest, WhatWaitsForTheThreadOfItsCallerIsNotWrittenOnceTheWriterIsGone) {
    if (GetParam() == Durability::threaded) return;
    ask_for({1});
    io.poll_one();
    writer.reset();
    io.poll();
    EXPECT_THAT(engine.batches, IsEmpty());
    EXPECT_THAT(results, IsEmpty());
}

TEST_P(WriterTest, ACallerMayEndTheWriter) {
    if (GetParam() == Durability::threaded) return;  // there the callers are told while the writer goes on
    boost::asio::co_spawn(io, ask_and_end(), boost::asio::detached);
    io.run();
    EXPECT_EQ(engine.batches.size(), 1u);
    EXPECT_FALSE(engine.rested);
}

INSTANTIATE_TEST_SUITE_P(Both, WriterTest, Values(Durability::threaded, Durability::inline_),
                         [](const auto& which) { return which.param == Durability::threaded ? "Threaded" : "Inline"; });

}  // namespace
}  // namespace gateway::test
