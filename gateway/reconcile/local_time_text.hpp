// Dates and times as a statement writes them. A pattern says how: dd, MM, yyyy, HH, mm and ss stand for two digits each
// (yyyy: four), every other character that is no letter, and T, for itself: "dd/MM/yyyy HH:mm:ss", "ddMMyyyyHHmmss".
#pragma once

#include "base/calendar.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace gateway {

// A time by the clocks of a zone that is not said.
using LocalTime = std::chrono::local_time<std::chrono::seconds>;

// The pattern's word for times that say their offset from UTC by themselves.
constexpr std::string_view rfc3339_pattern = "rfc3339";

// Whether it has day, month and year, each of its parts once, and no part without the one above it: no minute without
// an hour, no second without a minute.
bool is_time_pattern(std::string_view pattern);

// The time that the text says; nothing where it is another or none. What the pattern leaves out is zero. The pattern is
// one.
std::optional<LocalTime> local_time_in(std::string_view text, std::string_view pattern);

// "20112026".
std::optional<Day> header_day_in(std::string_view text);

}  // namespace gateway
