#include "journal/closes_table.hpp"

#include "journal/sqlite/schema.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

class ClosesTableTest : public Test {
  protected:
    ClosesTableTest() { EXPECT_TRUE(bring_up_to_date(database).has_value()); }

    static CloseKey key(unsigned day) {
        return {.estabelecimento = "1", .day = std::chrono::year(2026) / 11 / std::chrono::day(day)};
    }
    Result<Close> begin(unsigned day) { return table.begin(key(day), clock.wall(), "maria"); }
    std::string name(unsigned day) {
        const auto close = begin(day);
        if (close.has_error()) return close.error().message();
        return std::to_string(close->number) + "/" + std::to_string(close->series);
    }
    void change(const std::string& sql) { ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message(); }

    boost::asio::io_context io;
    VirtualClock clock{io};
    std::atomic<std::uint64_t> count{0};
    sqlite::Database database = *sqlite::Database::open(":memory:", nullptr);
    UnreadableSales unreadable{database, clock, count};
    ClosesTable table{database, unreadable};
};

TEST_F(ClosesTableTest, ADamagedRowIsLeftOutAndItsNumberNotGivenAgain) {
    ASSERT_EQ(name(20), "1/1");
    auto second = *begin(21);
    second.totals = "{}";
    second.digest = std::string(64, 'a');
    ASSERT_TRUE(table.finish(second).has_value());
    std::uint64_t counted = 0;
    for (const std::string damage :
         {"series = 'x'", "series = 0", "number = 'x'", "number = -7", "number = 9000000000", "made_at = 'x'",
          "made_at = -1", "made_by = x'00'", "made_by = CAST(x'ff' AS TEXT)", "open = '5'", "open = '['",
          "totals = NULL", "totals = '[]'", "digest = NULL", "digest = 'x'"}) {
        SCOPED_TRACE(damage);
        change("SAVEPOINT damage");
        change("UPDATE closes SET " + damage + " WHERE day = '2026-11-21'");
        ClosesTable again(database, unreadable);
        const auto list = again.list({}).value();
        EXPECT_THAT(list, ElementsAre(Field(&Close::number, 1)));
        EXPECT_EQ(again.begin(key(21), clock.wall(), "maria").error(), errc::close_unreadable);
        EXPECT_EQ(count, ++counted) << "once, however often it is met";
        EXPECT_EQ(again.late_day("1", key(21).day).value(), key(22).day);
        EXPECT_EQ(again.begin(key(23), clock.wall(), "maria")->number, 3);
        change("ROLLBACK TO damage; RELEASE damage");
    }
    EXPECT_EQ(begin(21)->digest, second.digest);
}

TEST_F(ClosesTableTest, WhereTheSeriesWasDamagedTheClosesGoOnInAnother) {
    ASSERT_EQ(name(1), "1/1");
    change("UPDATE close_series SET series = 'x'");
    EXPECT_EQ(name(2), "2/2");
    EXPECT_EQ(name(3), "3/2");
    change("DELETE FROM close_series");
    EXPECT_EQ(name(4), "4/3");
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(name(1), "1/1");
}

TEST_F(ClosesTableTest, ClosesAreFoundByAnIndex) {
    for (const std::string sql :
         {"SELECT 1 FROM closes WHERE estabelecimento = ? AND day = ?",
          "SELECT open FROM closes WHERE 1 ORDER BY day DESC, estabelecimento DESC LIMIT 50",
          "SELECT open FROM closes WHERE 1 AND digest IS NULL ORDER BY day DESC, estabelecimento DESC LIMIT 50",
          "SELECT open FROM closes WHERE 1 AND estabelecimento = ? AND number = ? ORDER BY day DESC, estabelecimento"
          " DESC LIMIT 50",
          "SELECT open FROM closes WHERE 1 AND estabelecimento = ? AND day >= ? AND day <= ? ORDER BY day DESC,"
          " estabelecimento DESC LIMIT 50"}) {
        sqlite::Statement plan(database, "EXPLAIN QUERY PLAN " + sql);
        while (plan.step().value()) {
            EXPECT_TRUE(!plan.text(3).starts_with("SCAN") || plan.text(3).find("USING") != std::string_view::npos)
                << sql << ": " << plan.text(3);
            EXPECT_TRUE(plan.text(3).find("TEMP B-TREE") == std::string_view::npos ||
                        sql.find("number") != std::string::npos)
                << sql << ": " << plan.text(3);
        }
    }
}

}  // namespace
}  // namespace gateway::test
