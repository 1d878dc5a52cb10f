#include "journal/closes.hpp"

#include "unit/journal/tx_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

class ClosesTest : public Test, protected TxRig {
  protected:
    static CloseKey key(unsigned day) {
        return {.estabelecimento = "1", .day = std::chrono::year(2026) / 11 / std::chrono::day(day)};
    }
    Result<Close> begin(unsigned day) {
        const auto of_day = key(day);
        return run([&](Tx& tx) { return closes::begin(tx, of_day, clock.wall(), "maria"); });
    }
    Result<void> finish(const Close& close) {
        return run([&](Tx& tx) { return closes::finish(tx, close); });
    }
    std::vector<Close> list(const CloseFilter& filter) {
        return run([&](Tx& tx) { return closes::list(tx, filter); }).value();
    }
    std::optional<Day> late_day(unsigned day) {
        return run([&](Tx& tx) { return closes::late_day(tx, "1", key(day).day); }).value();
    }
    std::string name(unsigned day) {
        const auto close = begin(day);
        if (close.has_error()) return close.error().message();
        return std::to_string(close->number) + "/" + std::to_string(close->series);
    }
    void change(const std::string& sql) { ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message(); }
};

class ADamagedClose : public ClosesTest, public WithParamInterface<const char*> {};

TEST_P(ADamagedClose, IsLeftOutAndItsNumberNotGivenAgain) {
    ASSERT_EQ(name(20), "1/1");
    auto second = *begin(21);
    second.totals = "{}";
    second.digest = std::string(64, 'a');
    ASSERT_TRUE(finish(second).has_value());
    change("SAVEPOINT damage");
    change(std::string("UPDATE closes SET ") + GetParam() + " WHERE day = '2026-11-21'");
    EXPECT_THAT(list({}), ElementsAre(Field(&Close::number, 1)));
    EXPECT_EQ(begin(21).error(), errc::close_unreadable);
    EXPECT_EQ(unreadable_counts.met, 1u) << "once, however often it is met";
    EXPECT_EQ(late_day(21), key(22).day);
    EXPECT_EQ(begin(23)->number, 3);
    change("ROLLBACK TO damage; RELEASE damage");
    EXPECT_EQ(begin(21)->digest, second.digest);
}

INSTANTIATE_TEST_SUITE_P(InEachColumn, ADamagedClose,
                         Values("series = 'x'", "series = 0", "number = 'x'", "number = -7", "number = 9000000000",
                                "made_at = 'x'", "made_at = -1", "made_by = x'00'", "made_by = CAST(x'ff' AS TEXT)",
                                "open = '5'", "open = '['", "totals = NULL", "totals = '[]'", "digest = NULL",
                                "digest = 'x'"));

TEST_F(ClosesTest, AreGivenOutAsTheyAreKept) {
    change("INSERT INTO closes VALUES ('2', 1, 1, '2026-11-20', 0, '', '[]', NULL, NULL)");
    const auto begun = begin(20).value();
    const auto again = begin(20).value();
    for (const auto& close : {begun, again}) {
        EXPECT_EQ(close.estabelecimento, "1");
        EXPECT_EQ(close.series, 1);
        EXPECT_EQ(close.number, 1);
        EXPECT_EQ(close.day, key(20).day);
        EXPECT_EQ(close.made_at, clock.wall());
        EXPECT_EQ(close.made_by, "maria");
        EXPECT_EQ(close.open, "[]");
        EXPECT_FALSE(close.totals || close.digest);
    }
    ASSERT_EQ(name(21), "2/1");
    EXPECT_THAT(list({.number = 1}), SizeIs(2));
    EXPECT_THAT(list({.estabelecimento = "1", .number = 2}), ElementsAre(Field(&Close::day, key(21).day)));
    EXPECT_THAT(list({.estabelecimento = "1", .series = 2}), IsEmpty());
    EXPECT_THAT(list({.estabelecimento = "2", .unfinished = true}), SizeIs(1));
    EXPECT_THAT(list({.from = key(21).day, .to = key(22).day}), ElementsAre(Field(&Close::number, 2)));
}

TEST_F(ClosesTest, WhereTheSeriesWasDamagedTheClosesGoOnInAnother) {
    ASSERT_EQ(name(1), "1/1");
    change("UPDATE close_series SET series = 'x'");
    EXPECT_EQ(name(2), "2/2");
    EXPECT_EQ(name(3), "3/2");
    change("DELETE FROM close_series");
    EXPECT_EQ(name(4), "4/3");
    EXPECT_EQ(unreadable_counts.met, 2u);
    EXPECT_EQ(name(1), "1/1");
    change("DELETE FROM close_series; UPDATE closes SET series = -7");
    EXPECT_EQ(name(5), "5/1");
}

TEST_F(ClosesTest, ALateSaleIsOfTheFirstDayThatIsNotClosed) {
    EXPECT_EQ(late_day(1), std::nullopt) << "the day is not closed";
    const auto first = key(1).day;
    auto day = first;
    for (int closed = 0; closed < 100; ++closed, day = next_day(day)) {
        const CloseKey of_day{.estabelecimento = "1", .day = day};
        ASSERT_TRUE(run([&](Tx& tx) { return closes::begin(tx, of_day, clock.wall(), ""); }));
    }
    EXPECT_EQ(late_day(1), day) << "more days than are asked for at once";
    change("UPDATE closes SET day = '2026-12-01 ' WHERE day = '" + to_text(day_before(day)) + "'");
    EXPECT_EQ(late_day(1), day_before(day)) << "what is no day is in nobody's way";
    change("DELETE FROM closes WHERE day = '2026-11-20'");
    EXPECT_EQ(late_day(1), key(20).day);
}

TEST_F(ClosesTest, AreFoundByAnIndex) {
    const std::vector<std::pair<std::string_view, std::string>> expected{
        {sql::days_closed_since.sql, "closes_by_day (estabelecimento=? AND day>?)\n"},
        {sql::find_close.sql, "closes_by_day (estabelecimento=? AND day=?)\n"},
        {sql::list_closes.sql, "closes_newest (day>? AND day<?)\n"},
        {sql::list_closes_of_establishment.sql, "closes_by_day (estabelecimento=? AND day>? AND day<?)\n"},
        {sql::list_unfinished_closes.sql, "closes_unfinished (day>? AND day<?)\n"}};
    for (const auto& [sql, index] : expected) {
        const auto plan = database.ask("EXPLAIN QUERY PLAN " + std::string(sql)).value();
        std::string told;
        for (const auto& step : plan)
            told.append(step.text(3)).append("\n");
        EXPECT_THAT(told, AllOf(EndsWith(index), Not(HasSubstr("SCAN")), Not(HasSubstr("TEMP B-TREE")))) << sql;
    }
}

}  // namespace
}  // namespace gateway::test
