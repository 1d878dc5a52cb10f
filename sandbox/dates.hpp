// These are dates as this provider writes and demands them. Its clocks stand in one zone, three hours behind UTC,
// whatever the machine's zone is, so that a run replays the same everywhere.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::sandbox {

using Day = std::chrono::year_month_day;

// Says whether `text` has a digit wherever `shape` has a 0, and the same characters elsewhere.
bool has_shape(std::string_view text, std::string_view shape);

std::string to_offset_time(WallTime at);   // "2024-05-02T10:11:12.020-03:00"
std::string to_receipt_time(WallTime at);  // "02/05/2024 10:11:12"
std::string to_short_date(Day day);        // "02052024"

Day day_of(WallTime at);    // by the provider's clocks
WallTime noon_of(Day day);  // by the provider's clocks
// Reads a day that exists, of a year with four digits: "2024-05-02" or "02052024".
std::optional<Day> parse_day(std::string_view text);

// Takes ISO 8601 in UTC with milliseconds and a trailing Z: "2024-05-02T13:11:12.020Z".
bool is_utc_milliseconds(std::string_view text);
// Takes ISO 8601 without a zone, with or without a fraction of a second: "2024-05-02T10:11:12".
bool is_zoneless(std::string_view text);
// Takes the date of a day that exists, as ddmmyyyy.
bool is_birth_date(std::string_view text);

}  // namespace gateway::sandbox
