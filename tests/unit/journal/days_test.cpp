// Tests how much one page of days looks at, and where the next page begins. journal_closes_conformance.hpp tests what
// is on the pages.
#include "journal/days.hpp"

#include "unit/journal/scripted_transaction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

class DaysTest : public Test {
  protected:
    using Lines = std::vector<ScriptedTransaction::Cells>;

    // Makes a row that cannot be read, and that has this id and this establishment.
    static ScriptedTransaction::Cells row(ScriptedTransaction::Cell id, ScriptedTransaction::Cell estabelecimento) {
        ScriptedTransaction::Cells cells(13, std::nullopt);
        cells[0] = std::move(id);
        cells[3] = std::move(estabelecimento);
        cells[11] = std::int64_t{1};
        return cells;
    }
    static Lines rows(std::size_t number) { return Lines(number, row(std::nullopt, std::nullopt)); }
    Result<DayPage> page(const DayFilter& filter, std::string_view after = {}) {
        rig.script.did.clear();
        return rig.run([&](Tx& tx) { return days::of_days(tx, filter, after); });
    }
    std::string next_after(const Lines& found) {
        rig.script.answer("sales_of_day", found);
        return page({.from = first, .to = first}).value().next;
    }
    std::ptrdiff_t days_looked_at() { return std::ranges::count(rig.script.did, std::string("sales_of_day")); }

    ScriptedRig rig;
    Day first = std::chrono::year(2026) / 11 / 20;
};

TEST_F(DaysTest, APageLooksAtFiveHundredSalesHoweverManyDaysTheyAreOf) {
    rig.script.answer("sales_of_day", rows(300));
    rig.script.answer("sales_of_day", rows(150));
    rig.script.answer("sales_of_day", rows(50));
    const auto made = page({.from = first, .to = next_day(next_day(next_day(first)))}).value();
    EXPECT_EQ(made.unreadable, 500u);
    EXPECT_EQ(days_looked_at(), 3);
    EXPECT_EQ(rig.script.values["sales_of_day"], (std::vector<std::string>{"2026-11-22", "", "", "50"}));
    EXPECT_NE(made.next, "");
}

TEST_F(DaysTest, ADayThatIsAllThereIsAskedForOnce) {
    rig.script.answer("sales_of_day", {row("S1", "L")});
    EXPECT_EQ(page({.from = first, .to = next_day(first)}).value().next, "");
    EXPECT_EQ(days_looked_at(), 2);
}

TEST_F(DaysTest, APageLooksAtAThousandDays) {
    const Day last = std::chrono::year(2030) / 1 / 1;
    const auto made = page({.from = first, .to = last}).value();
    EXPECT_EQ(days_looked_at(), 1'000);
    ASSERT_TRUE(page({.from = first, .to = last}, made.next));
    EXPECT_LT(days_looked_at(), 1'000) << "and the next one at the rest";
}

TEST_F(DaysTest, TheNextPageBeginsAfterTheLastRowThatHasAPlace) {
    auto found = rows(500);
    found[0] = row("S1", "L");
    const auto after_first = next_after(found);
    EXPECT_THAT(after_first, HasSubstr("S1"));
    found[1] = row("S2", std::nullopt);
    found[2] = row(std::nullopt, "L");
    EXPECT_EQ(next_after(found), after_first) << "these have none";
    found[499] = row("S500", "L");
    EXPECT_THAT(next_after(found), HasSubstr("S500"));
}

TEST_F(DaysTest, WhatIsNoPlaceOfAPageIsMalformed) {
    EXPECT_EQ(page({.from = first, .to = first}, "?").error(), errc::malformed);
}

TEST_F(DaysTest, APageOfACloseOnWhichNoRowHasAPlaceIsTheLast) {
    rig.script.answer("sales_of_close", rows(500));
    const CloseKey key{.estabelecimento = "L", .day = first};
    const auto close = [&](Tx& tx) { return days::of_close(tx, key, ""); };
    const auto made = rig.run(close).value();
    EXPECT_EQ(made.next, "");
    EXPECT_EQ(made.unreadable, 500u);
}

}  // namespace
}  // namespace gateway::test
