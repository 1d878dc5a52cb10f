#include "journal/postgres/running_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gateway::postgres {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view first = "SELECT 1";
constexpr std::string_view second = "SELECT 2";
constexpr std::span<const Value> nothing;

std::vector<std::string_view> texts(const RunningJob& job) {
    std::vector<std::string_view> texts;
    for (const auto& asked : job.asking())
        texts.emplace_back(asked.statement.sql);
    return texts;
}

void answer(RunningJob& job) {
    std::vector<Rows> rows(job.asking().size());
    job.answer(rows);
}

TEST(AsPostgresTakesIt, NumbersTheParametersAndNamesNoIndex) {
    EXPECT_EQ(as_postgres_takes_it("SELECT a FROM t INDEXED BY t_of_a WHERE a = ?1 AND b > ?12 ORDER BY a"),
              "SELECT a FROM t WHERE a = $1 AND b > $12 ORDER BY a");
    EXPECT_EQ(as_postgres_takes_it("SELECT 1 FROM t INDEXED BY one"), "SELECT 1 FROM t");
}

TEST(AsPostgresTakesIt, HasWhatStandsThereForSeveralGateways) {
    EXPECT_EQ(as_postgres_takes_it("SELECT 1 FROM t WHERE a = ?1 /*+ AND b = ?2 */ AND c = ?3 /*+ FOR SHARE */"),
              "SELECT 1 FROM t WHERE a = $1 AND b = $2 AND c = $3 FOR SHARE");
}

TEST(RunningJob, AsksForAllThatItNeedsBeforeItWaitsAndGoesOnOnceThatIsAnswered) {
    bool is_done = false;
    const Engine::Work work = [&](Transaction& tx) -> Job<void> {
        auto one = tx.ask(first, nothing);
        tx.run(second, nothing);
        (void)co_await one;
        (void)co_await tx.ask(second, nothing);
        is_done = true;
    };
    RunningJob job(work);
    EXPECT_THAT(texts(job), ElementsAre(first, second));
    answer(job);
    EXPECT_FALSE(is_done);
    EXPECT_THAT(texts(job), ElementsAre(second));
    answer(job);
    EXPECT_TRUE(is_done);
    EXPECT_THAT(texts(job), IsEmpty());
    EXPECT_FALSE(job.failure());
}

TEST(RunningJob, SendsWhatItRanLastAfterItHasEnded) {
    const Engine::Work work = [](Transaction& tx) -> Job<void> {
        tx.run(first, nothing);
        co_return;
    };
    RunningJob job(work);
    EXPECT_THAT(texts(job), ElementsAre(first));
    answer(job);
    EXPECT_THAT(texts(job), IsEmpty());
}

TEST(RunningJob, AsksForNothingMoreOnceItHasFailed) {
    const Engine::Work work = [](Transaction& tx) -> Job<void> {
        (void)co_await tx.ask(first, nothing);
        auto never_needed = tx.ask(second, nothing);
        throw JobFailed(errc::not_found);
    };
    RunningJob job(work);
    answer(job);
    EXPECT_THAT(texts(job), IsEmpty());
    EXPECT_EQ(job.failure(), errc::not_found);
}

TEST(RunningJob, TakesEachLockOnceBeforeItsStatements) {
    const Engine::Work work = [](Transaction& tx) -> Job<void> {
        tx.hold("statements");
        (void)co_await tx.ask(first, nothing);
        tx.hold("statements");
        tx.hold_with_others("day 1");
        (void)co_await tx.ask(second, nothing);
    };
    using Lock = RunningJob::Lock;
    const Lock alone{"statements", Lock::Kind::alone};
    const Lock shared{"day 1", Lock::Kind::with_others};
    RunningJob job(work);
    EXPECT_THAT(job.taking(), ElementsAre(alone));
    answer(job);
    EXPECT_THAT(job.taking(), ElementsAre(shared));
    EXPECT_THAT(job.held(), ElementsAre(alone, shared));
}

TEST(RunningJob, MayEndBeforeItIsAnswered) {
    const Engine::Work work = [](Transaction& tx) -> Job<void> { (void)co_await tx.ask(first, nothing); };
    const auto job = std::make_unique<RunningJob>(work);
    EXPECT_THAT(texts(*job), ElementsAre(first));
}

}  // namespace
}  // namespace gateway::postgres
