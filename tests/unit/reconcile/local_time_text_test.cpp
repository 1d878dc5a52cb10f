#include "reconcile/local_time_text.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

constexpr Day twentieth = std::chrono::year(2026) / 11 / 20;
const LocalTime midnight = std::chrono::local_days(twentieth);

TEST(LocalTimeText, PatternHasADateAndNoGaps) {
    for (const auto* const good :
         {"ddMMyyyy", "dd/MM/yyyy HH:mm:ss", "ddMMyyyyHHmmss", "yyyy-MM-ddTHH:mm", "yyyyMMdd HH"})
        EXPECT_TRUE(is_time_pattern(good)) << good;
    for (const auto* const bad : {"", "dd/MM", "dd/MM/yy", "HH:mm:ss", "ddMMyyyymmss", "ddMMyyyyHHss", "ddMMyyyydd",
                                  "dd/MM/yyyy hh:mm", "DD/MM/YYYY", "rfc3339", "d/M/yyyy", "ddMMyyyy0", "dd\tMM\tyyyy"})
        EXPECT_FALSE(is_time_pattern(bad)) << bad;
}

TEST(LocalTimeText, IsReadByItsPattern) {
    EXPECT_EQ(local_time_in("20/11/2026 23:59:58", "dd/MM/yyyy HH:mm:ss"), midnight + 23h + 59min + 58s);
    EXPECT_EQ(local_time_in("20112026235958", "ddMMyyyyHHmmss"), midnight + 23h + 59min + 58s);
    EXPECT_EQ(local_time_in("2026-11-20T07:05", "yyyy-MM-ddTHH:mm"), midnight + 7h + 5min);
    EXPECT_EQ(local_time_in("20112026", "ddMMyyyy"), midnight);
}

TEST(LocalTimeText, IsNothingElse) {
    for (const auto* const text :
         {"", "20/11/2026", "20/11/2026 23:59:5", "20/11/2026 23:59:588", "20-11-2026 23:59:58", "31/02/2026 00:00:00",
          "00/11/2026 00:00:00", "20/13/2026 00:00:00", "20/11/2026 24:00:00", "20/11/2026 23:60:00",
          "20/11/2026 23:59:61", "20/11/+026 00:00:00", " 0/11/2026 00:00:00"})
        EXPECT_FALSE(local_time_in(text, "dd/MM/yyyy HH:mm:ss")) << text;
}

TEST(LocalTimeText, DayOfAHeaderHasEightDigits) {
    EXPECT_EQ(header_day_in("20112026"), twentieth);
    EXPECT_EQ(header_day_in("29022028"), Day(std::chrono::year(2028) / 2 / 29));
    for (const auto* const text : {"29022026", "2011202", "201120266", "20/11/2026", "20261120", ""})
        EXPECT_FALSE(header_day_in(text)) << text;
}

}  // namespace
}  // namespace gateway::test
