#include "base/calendar.hpp"

#include "base/wall_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;

TimeZone zone(std::string_view name) {
    return TimeZone::find(name).value();
}

WallTime time(std::string_view text) {
    return from_rfc3339(text).value();
}

std::string day_in(std::string_view name, std::string_view at) {
    return to_text(zone(name).day_of(time(at)));
}

std::string begin_in(std::string_view name, std::string_view day) {
    return to_rfc3339(zone(name).begin_of(parse_day(day).value()));
}

TEST(Calendar, ADayIsReadAsItIsWritten) {
    for (const std::string text : {"2026-11-20", "2024-02-29", "0001-01-01", "9999-12-31"})
        EXPECT_EQ(to_text(parse_day(text).value()), text);
}

TEST(Calendar, WhatIsNoDateIsNoDay) {
    for (const auto* text : {"", "2026-11-2", "2026-11-200", "2026-02-29", "2026-13-01", "2026-00-10", "2026-11-00",
                             "2026-11-31", "20/11/2026", "2026-11-20 ", "+026-11-20", "2026-1a-20", "2026_11_20"})
        EXPECT_FALSE(parse_day(text)) << text;
}

TEST(Calendar, TheDayAfterTheLastOfAYearIsTheFirstOfTheNext) {
    EXPECT_EQ(to_text(next_day(parse_day("2026-12-31").value())), "2027-01-01");
    EXPECT_EQ(to_text(next_day(parse_day("2024-02-28").value())), "2024-02-29");
    EXPECT_EQ(to_text(day_before(parse_day("2027-01-01").value())), "2026-12-31");
    EXPECT_EQ(to_text(day_before(parse_day("2024-03-01").value())), "2024-02-29");
}

TEST(Calendar, ADayEndsAtMidnightOfItsZone) {
    EXPECT_EQ(day_in("America/Sao_Paulo", "2026-11-21T02:59:58Z"), "2026-11-20") << "23:59:58 there";
    EXPECT_EQ(day_in("America/Sao_Paulo", "2026-11-21T02:59:59.999Z"), "2026-11-20");
    EXPECT_EQ(day_in("America/Sao_Paulo", "2026-11-21T03:00:00Z"), "2026-11-21");
    EXPECT_EQ(day_in("America/Manaus", "2026-11-21T03:00:00Z"), "2026-11-20");
    EXPECT_EQ(day_in("Asia/Tokyo", "2026-11-20T15:00:00Z"), "2026-11-21");
    EXPECT_EQ(to_text(TimeZone().day_of(time("2026-11-20T23:59:59.999Z"))), "2026-11-20");
    EXPECT_EQ(to_text(TimeZone().day_of(time("1969-12-31T23:59:59.999Z"))), "1969-12-31");
}

TEST(Calendar, ADayBeginsWhereTheOneBeforeEnds) {
    EXPECT_EQ(begin_in("America/Sao_Paulo", "2026-11-21"), "2026-11-21T03:00:00.000Z");
    EXPECT_EQ(to_rfc3339(TimeZone().begin_of(parse_day("2026-11-21").value())), "2026-11-21T00:00:00.000Z");
    for (const auto* name : {"America/Sao_Paulo", "America/Havana", "Europe/Lisbon", "Asia/Beirut", "Africa/Cairo",
                             "Australia/Lord_Howe", "America/Asuncion", "Asia/Gaza", "America/Nuuk", "Asia/Tehran"})
        for (auto day = parse_day("2017-12-31").value(); day < parse_day("2025-01-01").value(); day = next_day(day)) {
            const auto begin = zone(name).begin_of(day);
            EXPECT_EQ(to_text(zone(name).day_of(begin)), to_text(day)) << name;
            EXPECT_NE(zone(name).day_of(begin - Duration(1)), day) << name << " " << to_text(day);
        }
}

// Brazil's clocks went from 23:59:59 to 01:00 when its summer time began, and from 23:59:59 to 23:00 at its end.
TEST(Calendar, ADayOfTwentyThreeOrTwentyFiveHoursIsOneDay) {
    EXPECT_EQ(begin_in("America/Sao_Paulo", "2018-11-04"), "2018-11-04T03:00:00.000Z");
    EXPECT_EQ(begin_in("America/Sao_Paulo", "2018-11-05"), "2018-11-05T02:00:00.000Z");
    EXPECT_EQ(day_in("America/Sao_Paulo", "2018-11-04T02:59:59Z"), "2018-11-03");
    EXPECT_EQ(begin_in("America/Sao_Paulo", "2018-02-17"), "2018-02-17T02:00:00.000Z");
    EXPECT_EQ(begin_in("America/Sao_Paulo", "2018-02-18"), "2018-02-18T03:00:00.000Z");
    EXPECT_EQ(day_in("America/Sao_Paulo", "2018-02-18T01:30:00Z"), "2018-02-17") << "23:30, for the first time";
    EXPECT_EQ(day_in("America/Sao_Paulo", "2018-02-18T02:30:00Z"), "2018-02-17") << "23:30, for the second time";
}

// Cuba's clocks show midnight twice at the end of its summer time.
TEST(Calendar, OfTwoMidnightsTheDayBeginsAtTheFirst) {
    EXPECT_EQ(begin_in("America/Havana", "2018-11-04"), "2018-11-04T04:00:00.000Z");
}

TEST(Calendar, ATimeIsToldAsTheClocksThereShowIt) {
    const auto at = *from_rfc3339("2018-11-04T02:59:58.999Z");
    EXPECT_EQ(TimeZone().text_of(at), "2018-11-04 02:59:58");
    EXPECT_EQ(TimeZone::find("America/Sao_Paulo")->text_of(at), "2018-11-03 23:59:58");
    EXPECT_EQ(TimeZone::find("America/Sao_Paulo")->text_of(at + std::chrono::seconds(2)), "2018-11-04 01:00:00");
    EXPECT_EQ(TimeZone::find("Asia/Kathmandu")->text_of(at), "2018-11-04 08:44:58");
}

TEST(Calendar, AZoneIsFoundByItsNameAlone) {
    EXPECT_EQ(zone("America/Sao_Paulo").name(), "America/Sao_Paulo");
    EXPECT_EQ(TimeZone().name(), "UTC");
    EXPECT_EQ(zone("America/Recife"), zone("America/Recife"));
    EXPECT_NE(zone("America/Recife"), TimeZone());
    for (const auto* name : {"", "Sao_Paulo", "america/sao_paulo", "../../../etc/passwd", "America", "leapseconds"})
        EXPECT_FALSE(TimeZone::find(name)) << name;
    EXPECT_THAT(TimeZone::names(), IsSupersetOf({"America/Sao_Paulo", "America/Rio_Branco", "UTC"}));
}

}  // namespace
}  // namespace gateway::test
