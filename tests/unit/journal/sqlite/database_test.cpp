#include "journal/sqlite/database.hpp"

#include "journal/sqlite/transaction.hpp"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::test {
namespace {

using sqlite::Database;

TEST(SqliteDatabase, AnEmptyTextIsNotNull) {
    auto database = *Database::open(":memory:", nullptr);
    EXPECT_EQ(database.ask("SELECT ?1 = ''", std::string_view())->front().text(0), "1");
    EXPECT_TRUE(database.ask("SELECT nothing FROM nowhere").has_error());
    EXPECT_EQ(database.number("SELECT 1 WHERE 1 = 2").error(), errc::not_found);
}

// An engine keeps its statements prepared, even when one run fails.
TEST(SqliteDatabase, AStatementThatFailedIsTriedAgain) {
    auto database = *Database::open(":memory:", nullptr);
    sqlite::Prepared insert(database.raw(), "INSERT INTO later VALUES (1)");
    EXPECT_TRUE(insert.run().has_error()) << "there is no such table yet";
    ASSERT_TRUE(database.run("CREATE TABLE later (x UNIQUE)").has_value());
    EXPECT_TRUE(insert.run().has_value());
    EXPECT_EQ(insert.run().error().category(), sqlite::category());
    ASSERT_TRUE(database.run("DELETE FROM later").has_value());
    EXPECT_TRUE(insert.run().has_value());
}

constexpr gateway::Statement make{"make", "CREATE TABLE t (a, b)", 0};
constexpr gateway::Statement insert{"insert", "INSERT INTO t VALUES (?1, ?2)", 1};
constexpr gateway::Statement select{"select", "SELECT a, b FROM t ORDER BY rowid", 2};
constexpr gateway::Statement find{"find", "SELECT strpos(?1, ?2)", 3};
constexpr gateway::Statement change{"change", "UPDATE t SET b = ?1 WHERE a = ?2", 4};
constexpr gateway::Statement nonsense{"nonsense", "SELECT c FROM t", 5};
constexpr gateway::Statement unique{"unique", "CREATE UNIQUE INDEX t_by_a ON t (a)", 6};

class SqliteTransactionTest : public testing::Test {
  protected:
    SqliteTransactionTest() { engine.run(make); }

    // Runs a query in SQLite without waiting for locks.
    template <class... Values>
    Rows rows_of(const gateway::Statement& statement, const Values&... values) {
        return engine.ask(statement, values...).await_resume();
    }

    sqlite::Database database = std::move(sqlite::Database::open(":memory:", nullptr).value());
    sqlite::Transaction engine{database};
};

TEST_F(SqliteTransactionTest, GivesEveryRowAndSaysWhatStandsInEachColumn) {
    engine.run(insert, std::int64_t{42}, std::string_view("text"));
    engine.run(insert, std::nullopt, ColumnValue{ColumnValue::Kind::blob, std::string_view("\0b", 2)});
    engine.run(insert, std::optional<std::string>(), std::optional<int>(7));
    const auto rows = rows_of(select);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_TRUE(rows[0].is_integer(0));
    EXPECT_EQ(rows[0].integer(0), 42);
    EXPECT_EQ(rows[0].text(0), "42");
    EXPECT_TRUE(rows[0].is_text(1));
    EXPECT_EQ(rows[0].text(1), "text");
    EXPECT_TRUE(rows[1].is_null(0));
    EXPECT_EQ(rows[1].text(0), "");
    EXPECT_TRUE(rows[1].is_blob(1));
    EXPECT_EQ(rows[1].blob(1), std::string_view("\0b", 2));
    EXPECT_TRUE(rows[2].is_null(0));
    EXPECT_EQ(rows[2].integer(1), 7);
    int rows_seen = 0;
    for (const auto& row : rows)
        rows_seen += row.is_null(0) ? 1 : 0;
    EXPECT_EQ(rows_seen, 2);
}

TEST_F(SqliteTransactionTest, ReadsAValueOfAnotherKindByWhatItBeginsWith) {
    ASSERT_TRUE(database.run("INSERT INTO t VALUES ('12 apples', 1.5)").has_value());
    const auto rows = rows_of(select);
    EXPECT_FALSE(rows[0].is_integer(0));
    EXPECT_EQ(rows[0].integer(0), 12);
    EXPECT_FALSE(rows[0].is_integer(1) || rows[0].is_text(1) || rows[0].is_blob(1) || rows[0].is_null(1));
    EXPECT_EQ(rows[0].text(1), "1.5");
    EXPECT_FALSE(rows[0].optional_integer(0));
}

TEST_F(SqliteTransactionTest, CountsTheRowsThatAStatementChanged) {
    EXPECT_EQ(rows_of(insert, 1, 1).changed(), 1);
    EXPECT_EQ(rows_of(insert, 1, 2).changed(), 1);
    EXPECT_EQ(rows_of(select).changed(), 0) << "one that reads changes none, whatever the one before it did";
    EXPECT_EQ(rows_of(change, 5, 1).changed(), 2);
    EXPECT_EQ(rows_of(change, 5, 9).changed(), 0);
}

TEST_F(SqliteTransactionTest, AFailureEndsTheJobWithSqlitesOwnError) {
    engine.run(unique);
    engine.run(insert, 1, 1);
    for (int i = 0; i < 2; ++i) {
        try {
            engine.run(insert, 1, 1);
            FAIL() << "it is there already";
        } catch (const JobFailed& failed) {
            EXPECT_EQ(failed.why().category(), sqlite::category());
            EXPECT_EQ(failed.why().value(), SQLITE_CONSTRAINT_UNIQUE);
        }
    }
    EXPECT_THROW(engine.run(nonsense), JobFailed);
    EXPECT_EQ(rows_of(select).size(), 1U) << "the statements that did not fail are as good as before";
}

TEST_F(SqliteTransactionTest, RunsATextThatIsComposedForTheCall) {
    const std::string first = "INSERT INTO t VALUES (?1, 'first')";
    const std::string other = "INSERT INTO t VALUES (?1, ?2)";
    engine.run(first, std::vector{gateway::Value(1)});
    engine.run(first, std::vector{gateway::Value(2)});
    engine.run(other, std::vector{gateway::Value(3), gateway::Value("other")});
    engine.run(first, std::vector{gateway::Value(4)});
    const auto rows =
        engine.ask("SELECT b FROM t WHERE a > ?1 ORDER BY a", std::vector{gateway::Value(1)}).await_resume();
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].text(0), "first");
    EXPECT_EQ(rows[1].text(0), "other");
    EXPECT_EQ(rows[2].text(0), "first");
    EXPECT_THROW(engine.run("SELECT c FROM t", {}), JobFailed);
}

TEST_F(SqliteTransactionTest, KnowsWherePartOfATextBegins) {
    EXPECT_EQ(rows_of(find, "abc", "c").front().integer(0), 3);
    EXPECT_EQ(rows_of(find, "abc", "d").front().integer(0), 0);
    EXPECT_EQ(rows_of(find, std::nullopt, "d").front().integer(0), 0);
}

Job<int> counts(Transaction& transaction) {
    const auto rows = co_await transaction.ask(select);
    co_return static_cast<int>(rows.size());
}

Job<void> refuses() {
    throw JobFailed(errc::not_found);
    co_return;
}

TEST_F(SqliteTransactionTest, AJobGivesItsResultOrItsFailure) {
    engine.run(insert, 1, 1);
    EXPECT_EQ(sqlite::run_to_end(counts(engine)).value(), 1);
    EXPECT_EQ(sqlite::run_to_end(refuses()).error(), errc::not_found);
}

}  // namespace
}  // namespace gateway::test
