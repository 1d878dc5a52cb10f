#include "sandbox/options.hpp"

#include <charconv>

namespace gateway::sandbox {

std::optional<ExpiresIn> parse_expires_in(std::string_view word) {
    if (word == "ms") return ExpiresIn::timestamp_ms;
    if (word == "s") return ExpiresIn::timestamp_s;
    if (word == "duration") return ExpiresIn::duration_s;
    return std::nullopt;
}

std::optional<FinalAnswers> parse_final_answers(std::string_view word) {
    if (word == "200") return FinalAnswers::ok;
    if (word == "4xx") return FinalAnswers::conflict_with_status;
    if (word == "4xx-bare") return FinalAnswers::conflict_bare;
    return std::nullopt;
}

std::optional<Duration> parse_duration(std::string_view text) {
    constexpr std::int64_t most = 1'000'000'000;  // of any unit: far beyond any use, far from an overflow
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0 || number > most) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (unit.empty() || unit == "ms") return std::chrono::milliseconds(number);
    if (unit == "s") return std::chrono::seconds(number);
    if (unit == "m") return std::chrono::minutes(number);
    if (unit == "h") return std::chrono::hours(number);
    return std::nullopt;
}

}  // namespace gateway::sandbox
