#include "books/close_schedule.hpp"

#include "base/wall_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

WallTime at(std::string_view text) {
    return from_rfc3339(text).value();
}
Day day(std::string_view text) {
    return parse_day(text).value();
}
CloseSchedule schedule(std::chrono::minutes time) {
    return {TimeZone::find("America/Sao_Paulo").value(), time};
}

TEST(CloseSchedule, InTheEveningItIsTheDayThatEnds) {
    EXPECT_EQ(schedule(23h + 30min).due(day("2026-11-20")), at("2026-11-20T23:30:00-03:00"));
    EXPECT_EQ(schedule(12h).due(day("2026-11-20")), at("2026-11-20T12:00:00-03:00"));
    EXPECT_EQ(schedule(23h + 30min).last_due(at("2026-11-20T23:29:59-03:00")), day("2026-11-19"));
    EXPECT_EQ(schedule(23h + 30min).last_due(at("2026-11-20T23:30:00-03:00")), day("2026-11-20"));
}

TEST(CloseSchedule, BeforeNoonItIsTheDayBefore) {
    EXPECT_EQ(schedule(0min).due(day("2026-11-20")), at("2026-11-21T00:00:00-03:00"));
    EXPECT_EQ(schedule(11h + 59min).due(day("2026-11-20")), at("2026-11-21T11:59:00-03:00"));
    EXPECT_EQ(schedule(4h).last_due(at("2026-11-21T03:59:59-03:00")), day("2026-11-19"));
    EXPECT_EQ(schedule(4h).last_due(at("2026-11-21T04:00:00-03:00")), day("2026-11-20"));
}

TEST(CloseSchedule, WhatWasMissedComesOldestFirstAndNotWithoutEnd) {
    const auto evening = schedule(23h + 30min);
    const auto now = at("2026-11-20T10:00:00-03:00");
    const auto latest = day("2026-11-20");
    EXPECT_THAT(evening.days_due(day("2026-11-17"), now, latest, 31),
                ElementsAre(day("2026-11-18"), day("2026-11-19")));
    EXPECT_THAT(evening.days_due(day("2026-11-19"), now, latest, 31), IsEmpty());
    EXPECT_THAT(evening.days_due(day("2027-01-01"), now, latest, 31), IsEmpty());
    EXPECT_THAT(evening.days_due(day("2025-01-01"), now, latest, 2), ElementsAre(day("2026-11-18"), day("2026-11-19")));
    EXPECT_THAT(evening.days_due(day("2026-11-16"), now, day("2026-11-18"), 31),
                ElementsAre(day("2026-11-17"), day("2026-11-18")))
        << "no later than the journal knows of";
}

TEST(CloseSchedule, ItIsTheHourOnTheWallInANightOfADifferentLengthToo) {
    const CloseSchedule early(TimeZone::find("America/New_York").value(), 4h);
    EXPECT_EQ(early.due(day("2026-03-07")), at("2026-03-08T04:00:00-04:00")) << "from two to three";
    EXPECT_EQ(early.due(day("2026-10-31")), at("2026-11-01T04:00:00-05:00")) << "from two to one";
    const CloseSchedule skipped(TimeZone::find("America/New_York").value(), 2h + 30min);
    EXPECT_EQ(skipped.due(day("2026-03-07")), at("2026-03-08T03:00:00-04:00")) << "the first moment after it";
    const CloseSchedule twice(TimeZone::find("America/New_York").value(), 1h + 30min);
    EXPECT_EQ(twice.due(day("2026-10-31")), at("2026-11-01T01:30:00-04:00")) << "the first of two";
}

// The zones include a midnight that is skipped or comes twice, and clocks that change by half an hour, at noon or by a
// whole day.
TEST(CloseSchedule, EveryDayOfEveryZoneIsDueOnceAndInOrder) {
    struct Around {
        const char* zone;
        const char* day;
    };
    for (const auto& [zone, around] :
         {Around{"America/Sao_Paulo", "2018-11-04"},   Around{"America/Sao_Paulo", "2018-02-18"},
          Around{"America/New_York", "2026-03-08"},    Around{"America/New_York", "2026-11-01"},
          Around{"America/Havana", "2026-03-08"},      Around{"America/Havana", "2026-11-01"},
          Around{"America/Asuncion", "2023-10-01"},    Around{"America/Asuncion", "2024-03-24"},
          Around{"Africa/Cairo", "2024-04-26"},        Around{"Africa/Cairo", "2024-10-31"},
          Around{"Asia/Beirut", "2024-03-31"},         Around{"Asia/Beirut", "2024-10-26"},
          Around{"Australia/Lord_Howe", "2026-04-05"}, Around{"Australia/Lord_Howe", "2026-10-04"},
          Around{"Atlantic/Azores", "2026-10-25"},     Around{"Europe/Lisbon", "2026-03-29"},
          Around{"Antarctica/Troll", "2026-03-29"},    Around{"Pacific/Apia", "2011-12-30"},
          Around{"Asia/Gaza", "2024-04-20"},           Around{"America/Nuuk", "2024-03-30"}}) {
        const auto there = TimeZone::find(zone).value();
        for (int minute = 0; minute < 24 * 60; minute += 15) {
            const std::chrono::minutes time(minute);
            const CloseSchedule daily(there, time);
            Day one = std::chrono::sys_days(day(around)) - std::chrono::days(2);
            auto before = daily.due(one);
            for (int days = 0; days < 4; ++days) {
                one = next_day(one);
                const auto due = daily.due(one);
                EXPECT_GE(due, before) << zone << ' ' << to_text(one) << ' ' << minute;
                if (due > before) {  // false only for the day that Samoa left out
                    const auto next = next_day(one);
                    EXPECT_EQ(daily.last_due(due), daily.due(next) == due ? next : one)
                        << zone << ' ' << to_text(one) << ' ' << minute;
                    EXPECT_EQ(daily.last_due(due - Duration(1)), day_before(one))
                        << zone << ' ' << to_text(one) << ' ' << minute;
                }
                const auto on = time < 12h ? next_day(one) : one;
                const auto shown = std::chrono::sys_days(there.day_of(due)) + there.minute_of(due);
                EXPECT_GE(shown, std::chrono::sys_days(on) + time) << zone << ' ' << to_text(one);
                EXPECT_LE(there.begin_of(one), due) << zone << ' ' << to_text(one) << ' ' << minute;
                before = due;
            }
        }
    }
}

TEST(CloseSchedule, ANightOfADifferentLengthIsNoGapAndNoTwin) {
    // The clocks of São Paulo went from midnight to one on 2018-11-04, and from midnight to eleven on 2018-02-18.
    EXPECT_EQ(schedule(23h + 30min).due(day("2018-11-03")), at("2018-11-03T23:30:00-03:00"));
    for (const auto time : {std::chrono::minutes(23h + 30min), std::chrono::minutes(4h)})
        for (const auto* around : {"2018-11-04", "2018-02-18"}) {
            const auto one = schedule(time).due(day(around));
            const auto next = schedule(time).due(next_day(day(around)));
            EXPECT_LE(std::chrono::abs(next - one - 24h), 1h) << around;
        }
}

}  // namespace
}  // namespace gateway::test
