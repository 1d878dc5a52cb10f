// Tests what a job gives its engine and gets from it. job_test.cpp tests how jobs run.
#include "journal/engine.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(EngineValue, OnlyWhatACipherGaveMayBeEncrypted) {
    EXPECT_TRUE(Value(ColumnValue{.kind = ColumnValue::Kind::text, .bytes = "x"}).may_be_encrypted());
    EXPECT_TRUE(Value(ColumnValue{}).may_be_encrypted());
    EXPECT_EQ(Value(ColumnValue{}).kind(), Value::Kind::null);
    for (const auto& value : {Value("x"), Value(7), Value(std::nullopt), Value(std::optional<int>())})
        EXPECT_FALSE(value.may_be_encrypted());
}

TEST(EngineAccess, WritesWhereItWritesAFewRowsOrMany) {
    using Access = Engine::Access;
    EXPECT_TRUE(Engine::writes(Access::write) && Engine::writes(Access::alone));
    EXPECT_FALSE(Engine::writes(Access::read) || Engine::writes(Access::glance));
    EXPECT_EQ(Engine::Task().access, Access::read);
}

TEST(EngineRows, AreNoneBeforeTheEngineHasSaidOfHowManyColumns) {
    Rows rows;
    EXPECT_EQ(rows.size(), 0u);
    rows.expect(2);
    EXPECT_EQ(rows.size(), 0u);
    EXPECT_TRUE(rows.empty());
    rows.add(Rows::Kind::integer, 1, "1");
    rows.add(Rows::Kind::text, 0, "one");
    EXPECT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows.front().text(1), "one");
}

Rows of_one(std::int64_t number) {
    Rows rows;
    rows.expect(1);
    rows.add(Rows::Kind::integer, number, std::to_string(number));
    return rows;
}

// A shared journal answers while other jobs run.
TEST(EngineAnswer, WakesTheJobThatAwaitsIt) {
    const auto answer = std::make_shared<Transaction::Answer>();
    const auto work = [](std::shared_ptr<Transaction::Answer> later) -> Job<std::int64_t> {
        const auto rows = co_await Transaction::Asked(std::move(later));
        co_return rows.front().integer(0);
    };
    auto job = work(answer);
    job.begin();
    EXPECT_FALSE(job.has_ended());
    ASSERT_TRUE(answer->waiting);
    answer->rows = of_one(7);
    answer->waiting.resume();
    ASSERT_TRUE(job.has_ended());
    EXPECT_EQ(job.take(), 7);

    const auto known = std::make_shared<Transaction::Answer>();
    known->rows = of_one(8);
    auto at_once = work(known);
    at_once.begin();
    ASSERT_TRUE(at_once.has_ended()) << "there is nothing to wait for";
    EXPECT_FALSE(known->waiting);
    EXPECT_EQ(at_once.take(), 8);
}

}  // namespace
}  // namespace gateway::test
