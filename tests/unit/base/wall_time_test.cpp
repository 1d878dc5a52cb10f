#include "base/wall_time.hpp"

#include "unit/support/zone.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

constexpr WallTime example = sys_days(year(2024) / 5 / 2) + 13h + 11min + 12s + 20ms;

TEST(WallTime, IsWrittenInUtcWithMilliseconds) {
    EXPECT_EQ(to_rfc3339(example), "2024-05-02T13:11:12.020Z");
    EXPECT_EQ(to_rfc3339(WallTime{}), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(to_rfc3339(WallTime(-1ms)), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(to_rfc3339(sys_days(year(2024) / 2 / 29)), "2024-02-29T00:00:00.000Z");
    EXPECT_EQ(to_rfc3339(sys_days(year(2000) / 12 / 31) + 24h - 1ms), "2000-12-31T23:59:59.999Z");
}

TEST(WallTime, IsTheSameWithoutAStringOfItsOwn) {
    EXPECT_EQ(Rfc3339(example).text(), "2024-05-02T13:11:12.020Z");
}

TEST(WallTime, IsWrittenTheSameInEveryZone) {
    for (const auto* name : {"UTC", "<-03>3", "<+0530>-5:30"}) {
        const Zone zone(name);
        EXPECT_EQ(to_rfc3339(example), "2024-05-02T13:11:12.020Z");
    }
}

TEST(WallTime, IsWrittenForHealthAndReceiptsInTheMachinesZone) {
    const Zone brasilia("<-03>3");
    EXPECT_EQ(to_local_iso8601(example), "2024-05-02T10:11:12.020");
    EXPECT_EQ(to_local_receipt(example), "02/05/2024 10:11:12");
    const WallTime just_after_midnight = sys_days(year(2024) / 1 / 1) + 2h;
    EXPECT_EQ(to_local_iso8601(just_after_midnight), "2023-12-31T23:00:00.000");
    EXPECT_EQ(to_local_receipt(just_after_midnight), "31/12/2023 23:00:00");
}

TEST(WallTime, IsToldWithItsZoneWhereThatIsNotClear) {
    const Zone brasilia("<-03>3");
    EXPECT_EQ(to_zoned_text(example), "2024-05-02 10:11:12 (-03:00)");
    const Zone india("<+0530>-5:30");
    EXPECT_EQ(to_zoned_text(example), "2024-05-02 18:41:12 (+05:30)");
}

TEST(WallTime, LocalTimesBefore1970KeepTheirMilliseconds) {
    const Zone utc("UTC");
    EXPECT_EQ(to_local_iso8601(WallTime(-1ms)), "1969-12-31T23:59:59.999");
}

TEST(WallTime, WhatIsWrittenIsReadBack) {
    for (const WallTime at : {example, WallTime{}, WallTime(-1ms), WallTime(sys_days(year(2099) / 12 / 31))})
        EXPECT_EQ(from_rfc3339(to_rfc3339(at)), at);
}

TEST(WallTime, OffsetsAreTakenOff) {
    for (const auto* text :
         {"2024-05-02T13:11:12.020Z", "2024-05-02T10:11:12.020-03:00", "2024-05-02T13:11:12.020+00:00",
          "2024-05-02T13:11:12.020-00:00", "2024-05-02T18:41:12.020+05:30", "2024-05-03T12:11:12.020+23:00",
          "2024-05-01T14:11:12.020-23:00"})
        EXPECT_EQ(from_rfc3339(text), example) << text;
}

TEST(WallTime, LettersMayBeSmallAndASpaceMayStandForT) {
    EXPECT_EQ(from_rfc3339("2024-05-02t13:11:12.020z"), example);
    EXPECT_EQ(from_rfc3339("2024-05-02 13:11:12.020Z"), example);
}

TEST(WallTime, OffsetMayComeWithoutItsColon) {
    EXPECT_EQ(from_rfc3339("2024-05-02T10:11:12.020-0300"), example);
}

TEST(WallTime, AnyNumberOfFractionalDigitsIsCutToMilliseconds) {
    const WallTime whole = example - 20ms;
    EXPECT_EQ(from_rfc3339("2024-05-02T13:11:12Z"), whole);
    EXPECT_EQ(from_rfc3339("2024-05-02T13:11:12.0Z"), whole);
    EXPECT_EQ(from_rfc3339("2024-05-02T13:11:12.02Z"), example);
    EXPECT_EQ(from_rfc3339("2024-05-02T13:11:12.0209Z"), example);
    EXPECT_EQ(from_rfc3339("2024-05-02T13:11:12.020999999Z"), example);
    EXPECT_EQ(from_rfc3339("2024-05-02T10:11:12.02-03:00"), example);
    EXPECT_EQ(from_rfc3339("2024-05-02T13:11:12." + std::string(1000, '9') + "Z"), whole + 999ms);
}

TEST(WallTime, ALeapSecondIsTheNextSecond) {
    EXPECT_EQ(from_rfc3339("2016-12-31T23:59:60Z"), sys_days(year(2017) / 1 / 1));
}

TEST(WallTime, WhatIsNotATimeIsNotRead) {
    for (const auto* text : {"",
                             "2024",
                             "2024-05-02",
                             "2024-05-02T13:11:12",
                             "2024-05-02T13:11Z",
                             "2024-05-02T13:11:12.Z",
                             "2024-05-02T13:11:12,5Z",
                             "2024-05-02T13:11:12.020",
                             "2024-05-02T13:11:12.020Z ",
                             " 2024-05-02T13:11:12Z",
                             "2024-05-02T13:11:12Zrubbish",
                             "2024-05-02X13:11:12Z",
                             "2024/05/02T13:11:12Z",
                             "24-05-02T13:11:12Z",
                             "2024-5-2T13:11:12Z",
                             "02/05/2024 13:11:12",
                             "-024-05-02T13:11:12Z",
                             "+024-05-02T13:11:12Z",
                             "2024-05-02T-3:11:12Z",
                             "2024-05-02T 3:11:12Z"})
        EXPECT_FALSE(from_rfc3339(text)) << text;
}

TEST(WallTime, DatesAndTimesThatDoNotExistAreNotRead) {
    for (const auto* text :
         {"2024-00-02T13:11:12Z", "2024-13-02T13:11:12Z", "2024-05-00T13:11:12Z", "2024-05-32T13:11:12Z",
          "2023-02-29T13:11:12Z", "2024-04-31T13:11:12Z", "2024-05-02T24:00:00Z", "2024-05-02T13:60:12Z",
          "2024-05-02T13:11:61Z", "2024-99-99T99:99:99Z"})
        EXPECT_FALSE(from_rfc3339(text)) << text;
}

TEST(WallTime, OffsetsThatDoNotExistAreNotRead) {
    for (const auto* offset : {"+24:00", "-24:00", "+03:60", "+03", "+3:00", "+03:0", "+03:000", "+0300Z", "03:00", "+",
                               "-", "ZZ", "Z+03:00", "+-3:00", "BRT"})
        EXPECT_FALSE(from_rfc3339(std::string("2024-05-02T13:11:12") + offset)) << offset;
}

TEST(WallTime, ACutTimeIsNotRead) {
    const std::string whole = "2024-05-02T13:11:12.020-03:00";
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(from_rfc3339(whole.substr(0, length))) << length;
}

TEST(WallTime, PeopleReadItInTheZoneOfTheMachine) {
    const Zone zone("America/Sao_Paulo");
    EXPECT_EQ(to_local_text(example), "2024-05-02 10:11:12");
    EXPECT_EQ(local_offset(example), "-03:00");
    EXPECT_EQ(local_offset(sys_days(year(2018) / 12 / 24)), "-02:00") << "there was a summer time then";
}

TEST(WallTime, OffsetsEastOfGreenwichAndOfHalfAnHourAreTold) {
    EXPECT_EQ((Zone("UTC"), local_offset(example)), "+00:00");
    EXPECT_EQ((Zone("Asia/Kolkata"), local_offset(example)), "+05:30");
    EXPECT_EQ((Zone("America/St_Johns"), local_offset(example)), "-02:30");
}

TEST(WallTime, WhatPeopleTypeIsTakenInTheZoneOfTheMachine) {
    const Zone zone("America/Sao_Paulo");
    const auto midnight = sys_days(year(2024) / 5 / 2) + 3h;
    EXPECT_EQ(from_local_text("2024-05-02"), midnight);
    EXPECT_EQ(from_local_text("2024-05-02 10:11"), midnight + 10h + 11min);
    EXPECT_EQ(from_local_text("2024-05-02T10:11:12"), midnight + 10h + 11min + 12s);
    EXPECT_EQ(from_local_text("2018-12-24 00:00"), sys_days(year(2018) / 12 / 24) + 2h) << "in summer time";
    for (const auto* text : {"", "2024", "2024-5-2", "2024-02-30", "2024-00-10", "2024-05-02 ", "2024-05-02 10",
                             "2024-05-02 24:00", "2024-05-02 10:60", "2024-05-02 10:11:12Z", "02/05/2024", "today"})
        EXPECT_FALSE(from_local_text(text)) << text;
}

}  // namespace
}  // namespace gateway::test
