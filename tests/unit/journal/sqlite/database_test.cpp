#include "journal/sqlite/database.hpp"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using sqlite::Database;
using sqlite::Statement;

class SqliteTest : public testing::Test {
  protected:
    SqliteTest() { EXPECT_TRUE(database.run("CREATE TABLE t (a TEXT, b INTEGER)").has_value()); }
    Database database = *Database::open(":memory:", nullptr);
};

TEST_F(SqliteTest, BindsTextsNumbersAndNothing) {
    Statement insert(database, "INSERT INTO t VALUES (?, ?)");
    EXPECT_TRUE(insert.run("ação", 7).has_value());
    EXPECT_TRUE(insert.run(std::optional<std::string>(), std::optional<std::int64_t>()).has_value());
    Statement select(database, "SELECT a, b FROM t ORDER BY rowid");
    select.bind_all();
    ASSERT_TRUE(select.step().value());
    EXPECT_EQ(select.text(0), "ação");
    EXPECT_EQ(select.integer(1), 7);
    ASSERT_TRUE(select.step().value());
    EXPECT_TRUE(select.is_null(0));
    EXPECT_EQ(select.optional_integer(1), std::nullopt);
    EXPECT_FALSE(select.step().value());
}

TEST_F(SqliteTest, AnEmptyTextIsNotNull) {
    Statement insert(database, "INSERT INTO t VALUES (?, 1)");
    EXPECT_TRUE(insert.run(std::string_view()).has_value());
    EXPECT_EQ(database.number("SELECT count(*) FROM t WHERE a = ''").value(), 1);
}

TEST_F(SqliteTest, WrongSqlIsTheFirstStepsFailureAndIsTriedAgain) {
    Statement select(database, "SELECT x FROM later WHERE x > ?");
    EXPECT_TRUE(select.run(1).has_error());
    ASSERT_TRUE(database.run("CREATE TABLE later (x)").has_value());
    EXPECT_TRUE(select.run(1).has_value());
}

TEST_F(SqliteTest, WrongSqlIsFoundAtOnceByPrepare) {
    EXPECT_TRUE(Statement::prepare(database, "SELECT nothing FROM nowhere").has_error());
}

TEST_F(SqliteTest, AFailureIsAResultAndTheStatementGoesOnWorking) {
    ASSERT_TRUE(database.run("CREATE UNIQUE INDEX one ON t (b)").has_value());
    Statement insert(database, "INSERT INTO t VALUES ('x', ?)");
    EXPECT_TRUE(insert.run(1).has_value());
    const auto twice = insert.run(1);
    ASSERT_TRUE(twice.has_error());
    EXPECT_EQ(twice.error().category(), sqlite::category());
    EXPECT_TRUE(insert.run(2).has_value());
}

}  // namespace
}  // namespace gateway::test
