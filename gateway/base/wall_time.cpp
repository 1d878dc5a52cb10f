#include "base/wall_time.hpp"

#include <fmt/format.h>

#include <charconv>
#include <ctime>

namespace gateway {
namespace {

using namespace std::chrono;

std::tm local_fields(WallTime at) {
    const std::time_t seconds_since_epoch = floor<seconds>(at).time_since_epoch().count();
    std::tm fields{};
    localtime_r(&seconds_since_epoch, &fields);
    return fields;
}

// Takes exactly `width` digits off the front of `text`; -1 where there are none.
int take_digits(std::string_view& text, std::size_t width) {
    int value = 0;
    if (text.size() < width) return -1;
    for (const char c : text.substr(0, width)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(width);
    return value;
}

bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

int take_milliseconds(std::string_view& text) {
    int value = 0;
    int digits = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++digits)
        if (digits < 3) value = value * 10 + (text.front() - '0');
    if (digits == 0) return -1;
    for (; digits < 3; ++digits)
        value *= 10;
    return value;
}

// The offset in minutes, or nothing where the text does not end in one.
std::optional<int> take_offset(std::string_view text) {
    if (text == "Z" || text == "z") return 0;
    const bool west = text.starts_with('-');
    if (!take(text, "+-")) return std::nullopt;
    const int hours = take_digits(text, 2);
    take(text, ":");
    const int minutes = take_digits(text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || !text.empty()) return std::nullopt;
    const int offset = hours * 60 + minutes;
    return west ? -offset : offset;
}

}  // namespace

std::string to_rfc3339(WallTime at) {
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss time{at - day};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

std::string to_local_iso8601(WallTime at) {
    const auto t = local_fields(at);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                       t.tm_hour, t.tm_min, t.tm_sec, (at - floor<seconds>(at)).count());
}

std::string to_local_receipt(WallTime at) {
    const auto t = local_fields(at);
    return fmt::format("{:02}/{:02}/{:04} {:02}:{:02}:{:02}", t.tm_mday, t.tm_mon + 1, t.tm_year + 1900, t.tm_hour,
                       t.tm_min, t.tm_sec);
}

std::optional<WallTime> from_rfc3339(std::string_view text) {
    const int y = take_digits(text, 4);
    if (!take(text, "-")) return std::nullopt;
    const int m = take_digits(text, 2);
    if (!take(text, "-")) return std::nullopt;
    const int d = take_digits(text, 2);
    if (!take(text, "Tt ")) return std::nullopt;
    const int h = take_digits(text, 2);
    if (!take(text, ":")) return std::nullopt;
    const int min = take_digits(text, 2);
    if (!take(text, ":")) return std::nullopt;
    const int s = take_digits(text, 2);
    const int ms = take(text, ".") ? take_milliseconds(text) : 0;
    const auto offset = take_offset(text);
    if (y < 0 || m < 0 || d < 0 || h < 0 || h > 23 || min < 0 || min > 59 || s < 0 || s > 60 || ms < 0 || !offset)
        return std::nullopt;
    const year_month_day date{year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d))};
    if (!date.ok()) return std::nullopt;
    return sys_days(date) + hours(h) + minutes(min - *offset) + seconds(s) + milliseconds(ms);
}

}  // namespace gateway
