#include "base/wall_time.hpp"

#include "base/ascii.hpp"
#include "base/calendar.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace gateway {
namespace {

using namespace std::chrono;

// Holds a date and a time of day in some zone.
struct Fields {
    unsigned year;
    unsigned month;
    unsigned day;
    unsigned hour;
    unsigned minute;
    unsigned second;
    unsigned millisecond;
};

Fields utc_fields(WallTime at) noexcept {
    const auto midnight = floor<days>(at);
    const year_month_day date{midnight};
    const auto of_day = static_cast<unsigned>((at - midnight).count());
    return {.year = static_cast<unsigned>(static_cast<int>(date.year())),
            .month = static_cast<unsigned>(date.month()),
            .day = static_cast<unsigned>(date.day()),
            .hour = of_day / 3'600'000,
            .minute = of_day / 60'000 % 60,
            .second = of_day / 1000 % 60,
            .millisecond = of_day % 1000};
}

std::tm broken_down(WallTime at) {
    const std::time_t seconds_since_epoch = floor<seconds>(at).time_since_epoch().count();
    std::tm fields{};
    localtime_r(&seconds_since_epoch, &fields);
    return fields;
}

Fields local_fields(WallTime at) {
    const auto fields = broken_down(at);
    return {.year = static_cast<unsigned>(fields.tm_year + 1900),
            .month = static_cast<unsigned>(fields.tm_mon + 1),
            .day = static_cast<unsigned>(fields.tm_mday),
            .hour = static_cast<unsigned>(fields.tm_hour),
            .minute = static_cast<unsigned>(fields.tm_min),
            .second = static_cast<unsigned>(fields.tm_sec),
            .millisecond = static_cast<unsigned>((at - floor<seconds>(at)).count())};
}

// Writes a number below 100 to `to`.
void put_two(char* to, unsigned number) noexcept {
    to[0] = static_cast<char>('0' + number / 10);
    to[1] = static_cast<char>('0' + number % 10);
}

constexpr std::string_view iso8601_shape = "0000-00-00T00:00:00.000";

// This does not use a general formatter, because every line of the log and every body has a time.
void put_iso8601(char* to, const Fields& fields) noexcept {
    iso8601_shape.copy(to, iso8601_shape.size());
    put_two(to, fields.year / 100);
    put_two(to + 2, fields.year % 100);
    put_two(to + 5, fields.month);
    put_two(to + 8, fields.day);
    put_two(to + 11, fields.hour);
    put_two(to + 14, fields.minute);
    put_two(to + 17, fields.second);
    put_two(to + 20, fields.millisecond / 10);
    to[22] = static_cast<char>('0' + fields.millisecond % 10);
}

// Takes exactly `width` digits off the front of `text`. Returns -1 if they are not there.
int take_digits(std::string_view& text, std::size_t width) {
    int value = 0;
    if (text.size() < width) return -1;
    for (const char c : text.substr(0, width)) {
        if (!is_digit(c)) return -1;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(width);
    return value;
}

// Takes a date off the front of `text`.
std::optional<Day> take_day(std::string_view& text) {
    constexpr std::size_t length = std::string_view("0000-00-00").size();
    const auto day = parse_day(text.substr(0, length));
    text.remove_prefix(std::min(length, text.size()));
    return day;
}

bool take(std::string_view& text, char wanted) {
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(1);
    return true;
}

int take_milliseconds(std::string_view& text) {
    int value = 0;
    int digits = 0;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits)
        if (digits < 3) value = value * 10 + (text.front() - '0');
    if (digits == 0) return -1;
    for (; digits < 3; ++digits)
        value *= 10;
    return value;
}

// Returns the offset in minutes, and nothing if the text is not one.
std::optional<int> take_offset(std::string_view text) {
    if (text == "Z" || text == "z") return 0;
    const bool west = text.starts_with('-');
    if (!west && !text.starts_with('+')) return std::nullopt;
    text.remove_prefix(1);
    const int hours = take_digits(text, 2);
    take(text, ':');
    const int minutes = take_digits(text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || !text.empty()) return std::nullopt;
    const int offset = hours * 60 + minutes;
    return west ? -offset : offset;
}

}  // namespace

Rfc3339::Rfc3339(WallTime at) noexcept {
    static_assert(iso8601_shape.size() + 1 == std::tuple_size_v<decltype(text_)>);
    put_iso8601(text_.data(), utc_fields(at));
    text_.back() = 'Z';
}

std::string to_rfc3339(WallTime at) {
    return std::string(Rfc3339(at).text());
}

void use_local_zone(const std::string& name) {
    ::setenv("TZ", name.c_str(), 1);
    ::tzset();
}

std::string to_local_iso8601(WallTime at) {
    std::string text(iso8601_shape);
    put_iso8601(text.data(), local_fields(at));
    return text;
}

std::string to_local_text(WallTime at) {
    auto text = to_local_iso8601(at);
    constexpr std::size_t between = 10;  // between the date and the time of day
    text[between] = ' ';
    text.resize(std::string_view("0000-00-00 00:00:00").size());
    return text;
}

std::string local_offset(WallTime at) {
    const auto minutes_east = broken_down(at).tm_gmtoff / 60;
    const auto distance = static_cast<unsigned>(minutes_east < 0 ? -minutes_east : minutes_east);
    std::string text = minutes_east < 0 ? "-00:00" : "+00:00";
    put_two(&text[1], distance / 60);
    put_two(&text[4], distance % 60);
    return text;
}

std::string to_zoned_text(WallTime at) {
    return to_local_text(at) + " (" + local_offset(at) + ")";
}

std::optional<WallTime> from_local_text(std::string_view text) {
    const auto date = take_day(text);
    if (!date || date->year() < year(1900)) return std::nullopt;
    std::tm fields{};
    fields.tm_year = static_cast<int>(date->year()) - 1900;
    fields.tm_mon = static_cast<int>(static_cast<unsigned>(date->month())) - 1;
    fields.tm_mday = static_cast<int>(static_cast<unsigned>(date->day()));
    if (!text.empty()) {
        if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
        fields.tm_hour = take_digits(text, 2);
        if (!take(text, ':')) return std::nullopt;
        fields.tm_min = take_digits(text, 2);
        if (take(text, ':')) fields.tm_sec = take_digits(text, 2);
    }
    const bool in_a_day = fields.tm_hour >= 0 && fields.tm_hour <= 23 && fields.tm_min >= 0 && fields.tm_min <= 59 &&
                          fields.tm_sec >= 0 && fields.tm_sec <= 60;
    if (!in_a_day || !text.empty()) return std::nullopt;
    fields.tm_isdst = -1;  // the zone decides
    return WallTime(seconds(std::mktime(&fields)));
}

std::string to_local_receipt(WallTime at) {
    const auto fields = local_fields(at);
    std::string text = "00/00/0000 00:00:00";
    put_two(&text[0], fields.day);
    put_two(&text[3], fields.month);
    put_two(&text[6], fields.year / 100);
    put_two(&text[8], fields.year % 100);
    put_two(&text[11], fields.hour);
    put_two(&text[14], fields.minute);
    put_two(&text[17], fields.second);
    return text;
}

std::optional<WallTime> from_rfc3339(std::string_view text) {
    const auto date = take_day(text);
    if (!date) return std::nullopt;
    if (!take(text, 'T') && !take(text, 't') && !take(text, ' ')) return std::nullopt;
    const int h = take_digits(text, 2);
    if (!take(text, ':')) return std::nullopt;
    const int min = take_digits(text, 2);
    if (!take(text, ':')) return std::nullopt;
    const int s = take_digits(text, 2);
    const int ms = take(text, '.') ? take_milliseconds(text) : 0;
    const auto offset = take_offset(text);
    if (h < 0 || h > 23 || min < 0 || min > 59 || s < 0 || s > 60 || ms < 0 || !offset) return std::nullopt;
    return sys_days(*date) + hours(h) + minutes(min - *offset) + seconds(s) + milliseconds(ms);
}

}  // namespace gateway
