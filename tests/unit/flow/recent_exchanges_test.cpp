#include "flow/recent_exchanges.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime noon = std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 12h;

TEST(RecentExchanges, AreCountedByTheMinuteInWhichTheyEnded) {
    RecentExchanges recent;
    recent.add(noon, 80ms, false);
    recent.add(noon + 59'999ms, 90ms, true);
    recent.add(noon + 1min, 100ms, false);
    const auto minutes = recent.minutes(noon + 1min);
    ASSERT_EQ(minutes.size(), 2U);
    EXPECT_EQ(minutes[0].at, noon);
    EXPECT_EQ(minutes[0].took.count(), 2U);
    EXPECT_EQ(minutes[0].unknown, 1U);
    EXPECT_EQ(minutes[1].at, noon + 1min);
    EXPECT_EQ(minutes[1].took.count(), 1U);
    EXPECT_EQ(minutes[1].unknown, 0U);
}

TEST(RecentExchanges, OfAnHourThatWasQuietThereIsNothing) {
    RecentExchanges recent;
    EXPECT_TRUE(recent.minutes(noon).empty());
    recent.add(noon, 80ms, false);
    EXPECT_EQ(recent.minutes(noon + 59min + 59s).size(), 1U);
    EXPECT_TRUE(recent.minutes(noon + 60min).empty());
}

TEST(RecentExchanges, TheOldestMinuteComesFirstWhereverItIsKept) {
    RecentExchanges recent;
    for (int i = 0; i < 150; ++i)
        recent.add(noon + i * 1min, 80ms, false);
    const auto minutes = recent.minutes(noon + 149min);
    ASSERT_EQ(minutes.size(), RecentExchanges::kept);
    for (std::size_t i = 0; i < minutes.size(); ++i)
        EXPECT_EQ(minutes[i].at, noon + 90min + static_cast<int>(i) * 1min);
}

TEST(RecentExchanges, AMinuteOfAnHourAgoMakesRoomForThisOne) {
    RecentExchanges recent;
    recent.add(noon, 80ms, true);
    recent.add(noon + 60min, 80ms, false);
    const auto minutes = recent.minutes(noon + 60min);
    ASSERT_EQ(minutes.size(), 1U);
    EXPECT_EQ(minutes[0].at, noon + 60min);
    EXPECT_EQ(minutes[0].took.count(), 1U);
    EXPECT_EQ(minutes[0].unknown, 0U);
}

TEST(RecentExchanges, AClockThatWasSetBackShowsNoMinuteThatIsToCome) {
    RecentExchanges recent;
    recent.add(noon, 80ms, false);
    EXPECT_TRUE(recent.minutes(noon - 1min).empty());
    recent.add(noon - 30min, 80ms, false);
    EXPECT_EQ(recent.minutes(noon - 30min).size(), 1U);
}

}  // namespace
}  // namespace gateway::test
