#include "journal/copy/tables.hpp"

#include "unit/journal/copy/rig.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace gateway::moving::test {
namespace {

using namespace testing;

class TablesTest : public MovingTest {
  protected:
    void SetUp() override {
        ASSERT_EQ(start_postgres(database.url()), "");
        stop_postgres();
    }
    // Returns the columns, such as "sales.id", for whose rows the condition is true.
    std::set<std::string> columns_on_postgres(const std::string& condition) const {
        const auto text = database.sql(
            "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'"
            " AND " +
            condition);
        std::set<std::string> all;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
            all.insert(line);
        return all;
    }

    OwnDatabase database;
};

// A migration of one engine that adds a column to the copied tables must add it on the other engine, too.
TEST_F(TablesTest, ADatabaseHasTheColumnsOfAFileAndThoseOfItsGateways) {
    auto there = columns_on_postgres(
        "table_name NOT IN ('gateways', 'forwarded_commands', 'duty', 'commits', 'epoch', 'moving', "
        "'journal_migrations', 'keys', 'console_sessions')"
        " AND table_name IN"
        " (SELECT tablename FROM pg_tables WHERE schemaname = 'public' UNION SELECT 'cancelled_keys')");
    for (const auto* of_gateways : {"sales.owner", "sales.term", "sales.step", "sales.taken_from", "token.number",
                                    "token.asked_by", "token.asked_until"})
        EXPECT_EQ(there.erase(of_gateways), 1U) << of_gateways;
    std::set<std::string> listed;
    for (const auto& table : all_tables())
        for (const auto& column : table.columns)
            listed.insert(table.name + "." + column.name);
    EXPECT_EQ(there, listed);
}

// Both engines put the rows in the same order only where PostgreSQL compares bytes, as SQLite does.
TEST_F(TablesTest, TextsThatOrderRowsAreComparedByteByByte) {
    const auto in_bytes = columns_on_postgres("collation_name = 'C'");
    for (const auto& table : all_tables())
        for (std::size_t i = 0; i < table.keys; ++i)
            if (const auto& column = table.columns[i]; !column.is_number)
                EXPECT_THAT(in_bytes, Contains(table.name + "." + column.name));
}

TEST(Tables, TheKeysOfATableComeFirst) {
    const auto closes = std::ranges::find(all_tables(), "closes", &Table::name);
    ASSERT_NE(closes, all_tables().end());
    EXPECT_EQ(page_sql(*closes, true),
              "SELECT estabelecimento, number, series, day, made_at, made_by, open, totals, digest FROM closes"
              " WHERE 1 = 1 AND (estabelecimento, number, series) > (?1, ?2, ?3)"
              " ORDER BY estabelecimento, number, series LIMIT 1000");
    EXPECT_EQ(last_sql(*closes),
              "SELECT estabelecimento, number, series FROM closes WHERE 1 = 1"
              " ORDER BY estabelecimento DESC, number DESC, series DESC LIMIT 1");
}

}  // namespace
}  // namespace gateway::moving::test
