#include "http/client/retry_after.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

namespace gateway::http {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;
using std::chrono::year;

// Whatever a server says, a till does not stand still for more than a day because of it.
constexpr seconds retry_after_max = std::chrono::hours(24);
// No form of a date is longer.
constexpr std::size_t date_length_max = 40;

std::optional<seconds> parse_number(std::string_view text) {
    std::int64_t number = 0;
    const auto* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (text.empty() || text.front() == '-' || end != last) return std::nullopt;
    if (error == std::errc::result_out_of_range) return retry_after_max;
    return error == std::errc() ? std::optional(seconds(number)) : std::nullopt;
}

// Reads the form that servers write today, "Sun, 06 Nov 1994 08:49:37 GMT". Every answer has a date, and strptime()
// would take a twentieth of all the instructions of a sale for it.
std::optional<sys_seconds> parse_usual_form(std::string_view text) {
    constexpr std::string_view form = "aaa, 00 bbb 0000 00:00:00 GMT";
    if (text.size() != form.size()) return std::nullopt;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == '0' ? !is_digit : form[i] != 'a' && form[i] != 'b' && form[i] != text[i]) return std::nullopt;
    }
    const auto number = [&](std::size_t begin, std::size_t length) {
        int value = 0;
        for (const char digit : text.substr(begin, length))
            value = value * 10 + (digit - '0');
        return value;
    };
    constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const auto month = months.find(text.substr(8, 3));
    if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
    const auto date = year(number(12, 4)) / static_cast<int>(month / 3 + 1) / number(5, 2);
    const int hour = number(17, 2);
    const int minute = number(20, 2);
    const int second = number(23, 2);
    if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
    return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second);
}

}  // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text) {
    if (const auto usual = parse_usual_form(text)) return usual;
    if (text.empty() || text.size() > date_length_max) return std::nullopt;
    const std::string copy(text);
    for (const char* form : {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
        std::tm fields{};
        const char* end = strptime(copy.c_str(), form, &fields);
        if (end != nullptr && *end == '\0') return sys_seconds(seconds(timegm(&fields)));
    }
    return std::nullopt;
}

std::optional<seconds> parse_retry_after(std::string_view retry_after, std::string_view date, WallTime wall) {
    auto wait = parse_number(retry_after);
    if (!wait) {
        const auto when = parse_http_date(retry_after);
        if (!when) return std::nullopt;
        const auto now = parse_http_date(date).value_or(std::chrono::floor<seconds>(wall));
        wait = std::max(seconds(0), *when - now);
    }
    return std::min(*wait, retry_after_max);
}

}  // namespace gateway::http
