#include "journal/job.hpp"

#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <stdexcept>
#include <string>

namespace gateway::test {
namespace {

// Suspends the job that awaits it until the test resumes it.
struct Later {
    std::coroutine_handle<> waiting;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) noexcept { waiting = handle; }
    int await_resume() const noexcept { return 7; }
};

Job<int> one() {
    co_return 1;
}

Job<int> sum(int terms) {
    int sum = 0;
    for (int i = 0; i < terms; ++i)
        sum += co_await one();
    co_return sum;
}

Job<int> seven(Later& later) {
    co_return co_await later;
}

Job<std::string> twice_seven(Later& later) {
    const int first = co_await seven(later);
    const int second = co_await seven(later);
    co_return std::to_string(first + second);
}

Job<void> fails() {
    throw std::runtime_error("no");
    co_return;
}

Job<int> passes_on() {
    co_await fails();
    co_return 1;
}

TEST(Job, RunsToItsEndWhereNothingLetsItWait) {
    auto job = sum(3);
    EXPECT_FALSE(job.has_ended()) << "it is begun by the engine";
    job.begin();
    ASSERT_TRUE(job.has_ended());
    EXPECT_EQ(job.take(), 3);
}

TEST(Job, UsesNoMoreStackForALongLoop) {
    constexpr int many = 1'000'000;
    auto job = sum(many);
    job.begin();
    ASSERT_TRUE(job.has_ended());
    EXPECT_EQ(job.take(), many);
}

TEST(Job, SuspendsWithAllThatWaitForItAndGoesOnWhereItStopped) {
    Later later;
    auto job = twice_seven(later);
    job.begin();
    ASSERT_FALSE(job.has_ended());
    later.waiting.resume();
    ASSERT_FALSE(job.has_ended());
    later.waiting.resume();
    ASSERT_TRUE(job.has_ended());
    EXPECT_EQ(job.take(), "14");
}

TEST(Job, PassesAFailureOnToTheJobThatWaitsAndThenToTheEngine) {
    auto job = passes_on();
    job.begin();
    ASSERT_TRUE(job.has_ended());
    EXPECT_THROW((void)job.take(), std::runtime_error);
}

Job<int> holds(std::shared_ptr<int> held) {
    co_return *held;
}

TEST(Job, HoldsWhatItWasGivenUntilItIsDroppedWhereverItWasMoved) {
    const auto held = std::make_shared<int>(3);
    {
        auto first = holds(held);
        auto job = std::move(first);
        job.begin();
        EXPECT_EQ(job.take(), 3);
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
}

TEST(Job, MayBeDroppedWhileItIsSuspended) {
    Later later;
    auto job = twice_seven(later);
    job.begin();
    EXPECT_FALSE(job.has_ended());
}

}  // namespace
}  // namespace gateway::test
