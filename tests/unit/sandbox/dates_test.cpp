#include "sandbox/dates.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr WallTime noon{std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + 13h + 11min + 12s + 20ms};
constexpr WallTime night{std::chrono::sys_days(std::chrono::year(2024) / 5 / 1) + 1h};

TEST(Dates, AnAnswersTimeHasAnOffset) {
    EXPECT_EQ(to_offset_time(noon), "2024-05-02T10:11:12.020-03:00");
    EXPECT_EQ(to_offset_time(night), "2024-04-30T22:00:00.000-03:00");
}

TEST(Dates, AReceiptsTimeIsInTheSameZone) {
    EXPECT_EQ(to_receipt_time(noon), "02/05/2024 10:11:12");
    EXPECT_EQ(to_receipt_time(night), "30/04/2024 22:00:00");
}

TEST(Dates, AClientsTimeIsUtcWithMilliseconds) {
    EXPECT_TRUE(is_utc_milliseconds("2024-05-02T13:11:12.020Z"));
    for (const auto* text : {"", "2024-05-02T13:11:12Z", "2024-05-02T13:11:12.02Z", "2024-05-02T13:11:12.020",
                             "2024-05-02T13:11:12.020+00:00", "2024-05-02 13:11:12.020Z", "2024-13-02T13:11:12.020Z",
                             "2024-02-30T13:11:12.020Z", "2024-05-02T24:11:12.020Z", "2024-05-02T13:11:12.0200Z"})
        EXPECT_FALSE(is_utc_milliseconds(text)) << text;
}

TEST(Dates, AHealthClientsTimeHasNoZone) {
    EXPECT_TRUE(is_zoneless("2024-05-02T10:11:12"));
    EXPECT_TRUE(is_zoneless("2024-05-02T10:11:12.020"));
    for (const auto* text : {"", "2024-05-02T10:11:12Z", "2024-05-02T10:11:12.020Z", "2024-05-02T10:11:12.",
                             "2024-05-02T10:11", "2024-05-32T10:11:12", "2024-05-02T10:11:12-03:00"})
        EXPECT_FALSE(is_zoneless(text)) << text;
}

TEST(Dates, ADayEndsAtTheProvidersMidnight) {
    using namespace std::chrono;
    constexpr Day first(2024y / 5 / 1);
    constexpr WallTime midnight{sys_days(2024y / 5 / 2) + 3h};
    EXPECT_EQ(day_of(midnight - 1ms), first);
    EXPECT_EQ(day_of(midnight), Day(2024y / 5 / 2));
    EXPECT_EQ(to_receipt_time(noon_of(first)), "01/05/2024 12:00:00");
    EXPECT_EQ(to_short_date(first), "01052024");
}

TEST(Dates, ADayIsReadInEitherSpelling) {
    EXPECT_EQ(parse_day("2024-02-29"), parse_day("29022024"));
    EXPECT_EQ(parse_day("29022024"), Day(std::chrono::year(2024) / 2 / 29));
    for (const auto* text :
         {"", "2023-02-29", "29022023", "2024-2-29", "29/02/2024", "20240229", "2024-02-29T00:00:00", "290220241"})
        EXPECT_FALSE(parse_day(text)) << text;
}

TEST(Dates, ABirthDateIsADayThatExists) {
    EXPECT_TRUE(is_birth_date("29021996"));
    for (const auto* text : {"", "29021997", "1996-02-29", "02291996", "290296", "2902199x"})
        EXPECT_FALSE(is_birth_date(text)) << text;
}

}  // namespace
}  // namespace gateway::sandbox
