#include "journal/sqlite/database.hpp"

#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using sqlite::Database;

TEST(SqliteDatabase, AnEmptyTextIsNotNull) {
    auto database = *Database::open(":memory:", nullptr);
    EXPECT_EQ(database.ask("SELECT ?1 IS NULL, ?2 = ''", nullptr, std::string_view())->front().text(1), "1");
    EXPECT_TRUE(database.ask("SELECT nothing FROM nowhere").has_error());
    EXPECT_EQ(database.number("SELECT 1 WHERE 1 = 2").error(), errc::not_found);
}

// An engine keeps its statements prepared whatever becomes of one run.
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

}  // namespace
}  // namespace gateway::test
