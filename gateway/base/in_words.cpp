#include "base/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gateway {
namespace {

// Says a length as a whole number of the larger unit, and the rest in the smaller one. A rest of 0 is not said.
std::string two_units(std::int64_t length, std::int64_t of_larger, std::string_view larger, std::string_view smaller) {
    const auto rest = length % of_larger;
    auto words = fmt::format("{} {}", length / of_larger, larger);
    if (rest > 0) words += fmt::format(" {} {}", rest, smaller);
    return words;
}

}  // namespace

std::string money_in_words(std::int64_t cents) {
    std::string text = std::to_string(cents / 100);
    for (std::size_t end = text.size(); end > 3; end -= 3)
        text.insert(end - 3, 1, '.');
    const auto part = cents % 100;
    text.insert(0, "R$ ");
    return text.append({',', static_cast<char>('0' + part / 10), static_cast<char>('0' + part % 10)});
}

std::string bytes_in_words(std::uint64_t bytes) {
    constexpr std::uint64_t thousand = 1'000;
    constexpr std::uint64_t million = thousand * thousand;
    if (bytes < thousand) return fmt::format("{} bytes", bytes);
    if (bytes < million) return fmt::format("{} KB", bytes / thousand);
    const bool is_small = bytes < million * thousand;
    const auto unit = is_small ? million : million * thousand;
    return fmt::format("{}.{} {}", bytes / unit, bytes % unit / (unit / 10), is_small ? "MB" : "GB");
}

std::string duration_in_words(Duration length, Language language) {
    constexpr std::int64_t second = 1000;
    constexpr std::int64_t minute = 60 * second;
    constexpr std::int64_t hour = 60 * minute;
    const auto ms = std::max<std::int64_t>(length.count(), 0);
    if (ms < second) return fmt::format("{} ms", ms);
    if (ms < minute && ms % second < 100) return fmt::format("{} s", ms / second);
    const char point = language == Language::portuguese ? ',' : '.';
    if (ms < minute) return fmt::format("{}{}{} s", ms / second, point, ms % second / 100);
    if (ms < hour) return two_units(ms / second, 60, "min", "s");
    if (ms < 24 * hour) return two_units(ms / minute, 60, "h", "min");
    return two_units(ms / hour, 24, "d", "h");
}

}  // namespace gateway
