#include "journal/statements_table.hpp"

#include "journal/sqlite/schema.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

class StatementsTableTest : public testing::Test {
  protected:
    StatementsTableTest() { EXPECT_TRUE(bring_up_to_date(database).has_value()); }

    void change(const std::string& sql) { ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message(); }

    boost::asio::io_context io;
    VirtualClock clock{io};
    std::atomic<std::uint64_t> count{0};
    sqlite::Database database = *sqlite::Database::open(":memory:", nullptr);
    UnreadableSales unreadable{database, clock, count};
};

TEST_F(StatementsTableTest, ADamagedRowIsNotKnownAndCountedOnce) {
    const KeptStatement statement{
        .day = parse_day("2026-11-20").value(), .source = "file", .digest = "a", .reading = "r"};
    ASSERT_EQ(StatementsTable(database, unreadable).insert(statement)->id, 1);
    std::uint64_t counted = 0;
    for (const std::string damage :
         {"day = 'x'", "source = x'00'", "network = CAST(x'ff' AS TEXT)", "read_at = 'x'", "read_by = x'00'",
          "header_money = x'00'", "rows = -1", "matched = 'x'", "others = 'x'", "findings = 'x'"}) {
        SCOPED_TRACE(damage);
        change("SAVEPOINT damage");
        change("UPDATE statements SET " + damage);
        StatementsTable table(database, unreadable);
        for (int i = 0; i < 2; ++i)
            EXPECT_FALSE(table.find("a", "r").value());
        EXPECT_TRUE(table.list(std::nullopt, 10).value().empty());
        EXPECT_EQ(count, ++counted);
        change("ROLLBACK TO damage; RELEASE damage");
    }
    EXPECT_EQ(StatementsTable(database, unreadable).find("a", "r").value()->source, "file");
}

}  // namespace
}  // namespace gateway::test
