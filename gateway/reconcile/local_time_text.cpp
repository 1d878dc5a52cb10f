#include "reconcile/local_time_text.hpp"

#include "base/ascii.hpp"

#include <array>

namespace gateway {
namespace {

struct Part {
    std::string_view letters;
    int value = -1;  // -1 if the pattern does not have it
};

// These are the parts of a time, in their order: none may be there without the one before it.
using Parts = std::array<Part, 6>;
constexpr Parts no_parts{{{"yyyy"}, {"MM"}, {"dd"}, {"HH"}, {"mm"}, {"ss"}}};
constexpr std::size_t parts_of_a_date = 3;

// Returns the part with which the pattern goes on, or null if a character comes that stands for itself.
Part* part_at(Parts& parts, std::string_view pattern) {
    for (auto& part : parts)
        if (pattern.starts_with(part.letters)) return &part;
    return nullptr;
}

int value_of_digits(std::string_view digits) {
    int value = 0;
    for (const char digit : digits)
        value = value * 10 + (digit - '0');
    return value;
}

}  // namespace

bool is_time_pattern(std::string_view pattern) {
    auto parts = no_parts;
    while (!pattern.empty()) {
        auto* const part = part_at(parts, pattern);
        const char c = pattern.front();
        if (part == nullptr && (is_digit(c) || is_control(c) || (is_alphanumeric(c) && c != 'T'))) return false;
        if (part != nullptr && part->value == 0) return false;
        if (part != nullptr) part->value = 0;
        pattern.remove_prefix(part != nullptr ? part->letters.size() : 1);
    }
    for (std::size_t i = 1; i < parts.size(); ++i)
        if (parts.at(i).value == 0 && parts.at(i - 1).value != 0) return false;
    return parts.at(parts_of_a_date - 1).value == 0;
}

std::optional<LocalTime> local_time_in(std::string_view text, std::string_view pattern) {
    auto parts = no_parts;
    while (!pattern.empty()) {
        auto* const part = part_at(parts, pattern);
        const auto length = part != nullptr ? part->letters.size() : 1;
        const auto taken = text.substr(0, length);
        if (part != nullptr ? taken.size() < length || !is_digits(taken) : taken != pattern.substr(0, 1)) return {};
        if (part != nullptr) part->value = value_of_digits(taken);
        text.remove_prefix(length);
        pattern.remove_prefix(length);
    }
    if (!text.empty()) return {};
    using namespace std::chrono;
    const auto value = [&](std::size_t i) { return parts.at(i).value < 0 ? 0 : parts.at(i).value; };
    const Day date{year(value(0)), month(static_cast<unsigned>(value(1))), day(static_cast<unsigned>(value(2)))};
    if (!date.ok() || value(3) > 23 || value(4) > 59 || value(5) > 60) return {};
    return local_days(date) + hours(value(3)) + minutes(value(4)) + seconds(value(5));
}

std::optional<Day> header_day_in(std::string_view text) {
    const auto time = local_time_in(text, "ddMMyyyy");
    if (!time) return std::nullopt;
    return Day(std::chrono::floor<std::chrono::days>(*time));
}

}  // namespace gateway
