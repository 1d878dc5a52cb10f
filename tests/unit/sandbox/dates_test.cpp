#include "sandbox/dates.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

using namespace std::chrono;

TEST(Dates, ATimeIsWrittenByTheProvidersClocksAndADayEndsAtTheirMidnight) {
    constexpr WallTime midnight{sys_days(2024y / 5 / 2) + 3h};
    EXPECT_EQ(to_offset_time(midnight + 20ms), "2024-05-02T00:00:00.020-03:00");
    EXPECT_EQ(to_receipt_time(midnight - 1s), "01/05/2024 23:59:59");
    EXPECT_EQ(day_of(midnight - 1ms), Day(2024y / 5 / 1));
    EXPECT_EQ(day_of(midnight), Day(2024y / 5 / 2));
    EXPECT_EQ(noon_of(Day(2024y / 5 / 2)), midnight + 12h);
    EXPECT_EQ(to_short_date(Day(2024y / 5 / 2)), "02052024");
}

TEST(Dates, WhatIsReadHasOneOfTheFormsAndExists) {
    struct Row {
        const char* text;
        bool (*fits)(std::string_view);
        bool expected;
    };
    constexpr auto is_day = [](std::string_view text) { return parse_day(text).has_value(); };
    constexpr std::array rows{
        Row{"2024-05-02T13:11:12.020Z", is_utc_milliseconds, true},
        Row{"", is_utc_milliseconds, false},
        Row{"2024-05-02T13:11:12Z", is_utc_milliseconds, false},
        Row{"2024-05-02T13:11:12.020+00:00", is_utc_milliseconds, false},
        Row{"2024-02-30T13:11:12.020Z", is_utc_milliseconds, false},
        Row{"2024-05-02T24:11:12.020Z", is_utc_milliseconds, false},
        Row{"2024-05-02T10:11:12", is_zoneless, true},
        Row{"2024-05-02T10:11:12.020", is_zoneless, true},
        Row{"2024-05-02T10:11:12.", is_zoneless, false},
        Row{"2024-05-02T10:11:12Z", is_zoneless, false},
        Row{"2024-05-02T10:11", is_zoneless, false},
        Row{"2024-05-32T10:11:12", is_zoneless, false},
        Row{"29021996", is_birth_date, true},
        Row{"29021997", is_birth_date, false},
        Row{"1996-02-29", is_birth_date, false},
        Row{"2902199x", is_birth_date, false},
        Row{"2024-02-29", is_day, true},
        Row{"2023-02-29", is_day, false},
        Row{"2024-2-29", is_day, false},
        Row{"20240229", is_day, false},
        Row{"290220241", is_day, false},
    };
    for (const auto& row : rows)
        EXPECT_EQ(row.fits(row.text), row.expected) << row.text;
    EXPECT_EQ(parse_day("29022024"), Day(2024y / 2 / 29));
}

}  // namespace
}  // namespace gateway::sandbox
