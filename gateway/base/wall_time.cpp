#include "base/wall_time.hpp"

#include <array>
#include <ctime>

namespace gateway {
namespace {

using namespace std::chrono;

// A date and a time of day in some zone.
struct Fields {
    unsigned year;
    unsigned month;
    unsigned day;
    unsigned hour;
    unsigned minute;
    unsigned second;
    unsigned millisecond;
};

Fields utc_fields(WallTime at) {
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

Fields local_fields(WallTime at) {
    const auto second = floor<seconds>(at);
    const std::time_t seconds_since_epoch = second.time_since_epoch().count();
    std::tm fields{};
    localtime_r(&seconds_since_epoch, &fields);
    return {.year = static_cast<unsigned>(fields.tm_year + 1900),
            .month = static_cast<unsigned>(fields.tm_mon + 1),
            .day = static_cast<unsigned>(fields.tm_mday),
            .hour = static_cast<unsigned>(fields.tm_hour),
            .minute = static_cast<unsigned>(fields.tm_min),
            .second = static_cast<unsigned>(fields.tm_sec),
            .millisecond = static_cast<unsigned>((at - second).count())};
}

// Writes the last `width` digits of `number` at `to`.
void put_digits(char* to, int width, unsigned number) {
    for (char* at = to + width; at != to; number /= 10)
        *--at = static_cast<char>('0' + number % 10);
}

// Every line of the log and every body has a time, so it is not left to a general formatter.
void append_iso8601(std::string& out, const Fields& fields) {
    auto text = std::to_array("0000-00-00T00:00:00.000");
    put_digits(&text[0], 4, fields.year);
    put_digits(&text[5], 2, fields.month);
    put_digits(&text[8], 2, fields.day);
    put_digits(&text[11], 2, fields.hour);
    put_digits(&text[14], 2, fields.minute);
    put_digits(&text[17], 2, fields.second);
    put_digits(&text[20], 3, fields.millisecond);
    out.append(text.data());
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

bool take(std::string_view& text, char wanted) {
    if (!text.starts_with(wanted)) return false;
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

void append_rfc3339(std::string& out, WallTime at) {
    append_iso8601(out, utc_fields(at));
    out += 'Z';
}

std::string to_rfc3339(WallTime at) {
    std::string text;
    append_rfc3339(text, at);
    return text;
}

std::string to_local_iso8601(WallTime at) {
    std::string text;
    append_iso8601(text, local_fields(at));
    return text;
}

std::string to_local_receipt(WallTime at) {
    const auto fields = local_fields(at);
    std::string text = "00/00/0000 00:00:00";
    put_digits(&text[0], 2, fields.day);
    put_digits(&text[3], 2, fields.month);
    put_digits(&text[6], 4, fields.year);
    put_digits(&text[11], 2, fields.hour);
    put_digits(&text[14], 2, fields.minute);
    put_digits(&text[17], 2, fields.second);
    return text;
}

std::optional<WallTime> from_rfc3339(std::string_view text) {
    const int y = take_digits(text, 4);
    if (!take(text, '-')) return std::nullopt;
    const int m = take_digits(text, 2);
    if (!take(text, '-')) return std::nullopt;
    const int d = take_digits(text, 2);
    if (!take(text, 'T') && !take(text, 't') && !take(text, ' ')) return std::nullopt;
    const int h = take_digits(text, 2);
    if (!take(text, ':')) return std::nullopt;
    const int min = take_digits(text, 2);
    if (!take(text, ':')) return std::nullopt;
    const int s = take_digits(text, 2);
    const int ms = take(text, '.') ? take_milliseconds(text) : 0;
    const auto offset = take_offset(text);
    if (y < 0 || m < 0 || d < 0 || h < 0 || h > 23 || min < 0 || min > 59 || s < 0 || s > 60 || ms < 0 || !offset)
        return std::nullopt;
    const year_month_day date{year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d))};
    if (!date.ok()) return std::nullopt;
    return sys_days(date) + hours(h) + minutes(min - *offset) + seconds(s) + milliseconds(ms);
}

}  // namespace gateway
