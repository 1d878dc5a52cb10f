#include "sandbox/dates.hpp"

#include "base/ascii.hpp"
#include "base/calendar.hpp"
#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gateway::sandbox {
namespace {

constexpr std::chrono::hours west_of_utc{3};

}  // namespace

bool has_shape(std::string_view text, std::string_view shape) {
    return std::equal(text.begin(), text.end(), shape.begin(), shape.end(),
                      [](char got, char wanted) { return wanted == '0' ? is_digit(got) : got == wanted; });
}

std::string to_offset_time(WallTime at) {
    auto text = to_rfc3339(at - west_of_utc);
    text.pop_back();
    return text + "-03:00";
}

std::string to_receipt_time(WallTime at) {
    const auto iso = to_rfc3339(at - west_of_utc);
    return iso.substr(8, 2) + "/" + iso.substr(5, 2) + "/" + iso.substr(0, 4) + " " + iso.substr(11, 8);
}

std::string to_short_date(Day day) {
    return fmt::format("{:02}{:02}{:04}", unsigned{day.day()}, unsigned{day.month()}, int{day.year()});
}

Day day_of(WallTime at) {
    return Day(std::chrono::floor<std::chrono::days>(at - west_of_utc));
}

WallTime noon_of(Day day) {
    return std::chrono::sys_days(day) + std::chrono::hours(12) + west_of_utc;
}

std::optional<Day> parse_day(std::string_view text) {
    if (!has_shape(text, "00000000")) return gateway::parse_day(text);
    return gateway::parse_day(fmt::format("{}-{}-{}", text.substr(4), text.substr(2, 2), text.substr(0, 2)));
}

bool is_utc_milliseconds(std::string_view text) {
    return has_shape(text, "0000-00-00T00:00:00.000Z") && from_rfc3339(text).has_value();
}

bool is_zoneless(std::string_view text) {
    constexpr std::size_t whole_seconds = 19;
    if (!has_shape(text.substr(0, whole_seconds), "0000-00-00T00:00:00")) return false;
    const auto rest = text.substr(whole_seconds);
    const bool fraction = rest.size() > 1 && rest.front() == '.' && std::all_of(rest.begin() + 1, rest.end(), is_digit);
    return (rest.empty() || fraction) && from_rfc3339(std::string(text) + "Z").has_value();
}

bool is_birth_date(std::string_view text) {
    return has_shape(text, "00000000") && parse_day(text).has_value();
}

}  // namespace gateway::sandbox
