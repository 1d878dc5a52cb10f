#include "flow/recent_exchanges.hpp"

#include "unit/support/virtual_clock.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class RecentExchangesTest : public testing::Test {
  protected:
    RecentExchangesTest() { clock.shift_wall(noon - clock.wall()); }

    void add(bool unknown = false) { recent.add(RunMoment(clock), 80ms, unknown); }
    std::vector<RecentExchanges::Minute> minutes() { return recent.minutes(RunMoment(clock)); }

    static constexpr WallTime noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h;
    boost::asio::io_context io;
    VirtualClock clock{io};
    RecentExchanges recent;
};

TEST_F(RecentExchangesTest, AreCountedByTheMinuteInWhichTheyEnded) {
    add();
    clock.jump(59'999ms);
    add(true);
    clock.jump(1ms);
    add();
    const auto told = minutes();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].at, noon);
    EXPECT_EQ(told[0].took.count(), 2U);
    EXPECT_EQ(told[0].unknown, 1U);
    EXPECT_EQ(told[1].at, noon + 1min);
    EXPECT_EQ(told[1].took.count(), 1U);
    EXPECT_EQ(told[1].unknown, 0U);
}

TEST_F(RecentExchangesTest, AQuietHourHasNoMinutes) {
    EXPECT_TRUE(minutes().empty());
    add();
    clock.jump(59min + 59s);
    EXPECT_EQ(minutes().size(), 1U);
    clock.jump(1s);
    EXPECT_TRUE(minutes().empty());
}

TEST_F(RecentExchangesTest, TheOldestMinuteComesFirstWhereverItIsKept) {
    for (int i = 0; i < 150; ++i) {
        if (i > 0) clock.jump(1min);
        add();
    }
    const auto told = minutes();
    ASSERT_EQ(told.size(), RecentExchanges::kept);
    for (std::size_t i = 0; i < told.size(); ++i)
        EXPECT_EQ(told[i].at, noon + 90min + static_cast<int>(i) * 1min);
}

TEST_F(RecentExchangesTest, AMinuteOfAnHourAgoMakesRoomForThisOne) {
    add(true);
    clock.jump(60min);
    add();
    const auto told = minutes();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].at, noon + 60min);
    EXPECT_EQ(told[0].took.count(), 1U);
    EXPECT_EQ(told[0].unknown, 0U);
}

TEST_F(RecentExchangesTest, StayInTheirHourWhenTheClockIsSetAndHaveTheTimesOfTheNewSetting) {
    add();
    clock.jump(1min);
    clock.shift_wall(-5h);
    add();
    const auto told = minutes();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].at, noon - 5h);
    EXPECT_EQ(told[1].at, noon - 5h + 1min);
    clock.jump(59min);
    EXPECT_EQ(minutes().size(), 1U);
}

TEST_F(RecentExchangesTest, AnExchangeThatTheJournalDatesInTheFutureIsNotShown) {
    add();
    recent.add_at(noon + 1min, 80ms, false);
    EXPECT_EQ(minutes().size(), 1U);
}

TEST_F(RecentExchangesTest, WhatIsOlderThanTheMinuteInItsPlaceIsLeftOutUnlessThatIsADayAhead) {
    recent.add_at(noon + 24h, 80ms, false);
    recent.add_at(noon + 1h, 80ms, false);
    clock.jump(1h);
    EXPECT_TRUE(minutes().empty()) << "a minute of 23 hours later is in its place";
    recent.add_at(noon, 80ms, false);
    recent.add_at(noon, 80ms, true);
    EXPECT_TRUE(minutes().empty()) << "it is an hour old";
    RecentExchanges fresh;
    fresh.add_at(noon + 24h, 80ms, false);
    fresh.add_at(noon, 80ms, true);
    VirtualClock at_noon{io};
    at_noon.shift_wall(noon - at_noon.wall());
    ASSERT_EQ(fresh.minutes(RunMoment(at_noon)).size(), 1U);
    EXPECT_EQ(fresh.minutes(RunMoment(at_noon)).at(0).unknown, 1U);
}

TEST_F(RecentExchangesTest, AClockThatBeginsIn1970ShowsNoMinutesThatWereNot) {
    clock.shift_wall(WallTime(10min) - clock.wall());
    EXPECT_TRUE(minutes().empty());
}

TEST_F(RecentExchangesTest, TheRunsTimeIsTheWallClocksAtFirst) {
    EXPECT_EQ(recent.as_set_now(noon), noon);
    EXPECT_EQ(recent.run_time(RunMoment(clock)), noon);
    clock.shift_wall(-5h);
    clock.jump(1min);
    EXPECT_EQ(recent.run_time(RunMoment(clock)), noon + 1min);
    EXPECT_EQ(recent.as_set_now(noon), noon - 5h);
}

}  // namespace
}  // namespace gateway::test
