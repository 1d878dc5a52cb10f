// Reads dates and times as a statement writes them, by a pattern. In a pattern dd, MM, HH, mm and ss stand for two
// digits each and yyyy for four. T, and every other character that is not a letter, stands for itself: "dd/MM/yyyy
// HH:mm:ss", "ddMMyyyyHHmmss".
#pragma once

#include "base/calendar.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace gateway {

// This is a time by the clocks of a zone that the text does not name.
using LocalTime = std::chrono::local_time<std::chrono::seconds>;

// This pattern is for times that have their own offset from UTC.
constexpr std::string_view rfc3339_pattern = "rfc3339";

// Tells whether the pattern has day, month and year, each part once, and no part without the larger one before it: no
// minute without an hour, no second without a minute.
bool is_time_pattern(std::string_view pattern);

// Returns the time that the text says, and nothing if the text does not fit the pattern or is no time. What the pattern
// leaves out is zero. The pattern must be a time pattern.
std::optional<LocalTime> local_time_in(std::string_view text, std::string_view pattern);

// Reads a day such as "20112026".
std::optional<Day> header_day_in(std::string_view text);

}  // namespace gateway
