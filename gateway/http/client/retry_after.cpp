#include "http/client/retry_after.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>

namespace gateway::http {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

// Whatever a server says, a till does not stand still longer than a day because of it.
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

}  // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text) {
    if (text.size() > date_length_max) return std::nullopt;
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
