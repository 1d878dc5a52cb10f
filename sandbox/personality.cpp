#include "sandbox/personality.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "sandbox/open_points.hpp"
#include "sandbox/seeded_random.hpp"

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

// In a random personality that comes from a seed, about half of the points are as usual.
constexpr std::uint64_t usual_permille = 500;

constexpr std::string_view by_chance = "random";

std::string alternatives_text(const Point& point) {
    std::string list;
    for (const auto& alternative : point.alternatives)
        list.append(list.empty() ? "" : ", ").append(alternative.value);
    if (!point.also.empty()) list.append(" or ").append(point.also);
    return list;
}

std::string set_one(std::string_view name, std::string_view value, Personality& target) {
    const auto* point = find_point(name);
    if (point == nullptr) return fmt::format("there is no \"{}\"", name);
    if (point->set(target, value)) return "";
    return fmt::format("{} must be {}", name, alternatives_text(*point));
}

std::string set_pair(std::string_view name, std::string_view value, Personality& target) {
    if (name == by_chance) {
        std::uint64_t seed = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seed);
        if (error != std::errc{} || end != value.data() + value.size()) return "random must be a number, the seed";
        target = random_personality(seed);
        return "";
    }
    if (name != all_open_sales_end) return set_one(name, value, target);
    for (const auto family : families)
        if (auto problem = set_one(fmt::format("{}-{}", all_open_sales_end, to_string(family)), value, target);
            !problem.empty())
            return problem;
    return "";
}

}  // namespace

std::string_view word_of(Said::Word word) {
    switch (word) {
        case Said::Word::nothing:
        case Said::Word::own: return "";
        case Said::Word::cancelada: return to_string(Status::cancelada);
        case Said::Word::negada: return to_string(Status::negada);
        case Said::Word::stranger: return "DESCONHECIDA";
    }
    return "";
}

std::optional<Duration> parse_duration(std::string_view text) {
    constexpr std::int64_t most = 1'000'000'000;  // this is far beyond any use in any unit, and far from an overflow
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

std::string write_duration(const Duration& duration) {
    const auto count = duration.count();
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 3> units{
        {{3'600'000, "h"}, {60'000, "m"}, {1000, "s"}}};
    for (const auto& [length, unit] : units)
        if (count % length == 0 && count > 0) return fmt::format("{}{}", count / length, unit);
    return fmt::format("{}ms", count);
}

boost::system::result<void, std::string> read_personality(std::string_view text, Personality& target) {
    auto made = target;
    while (!text.empty()) {
        auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        line = line.substr(0, line.find('#'));
        while (!line.empty()) {
            const auto piece = line.substr(0, line.find(','));
            line.remove_prefix(std::min(piece.size() + 1, line.size()));
            const auto pair = trim(piece);
            if (pair.empty()) continue;
            const auto sign = pair.find('=');
            if (sign == std::string_view::npos) return fmt::format("\"{}\" is no NAME=VALUE", pair);
            if (auto problem = set_pair(trim(pair.substr(0, sign)), trim(pair.substr(sign + 1)), made);
                !problem.empty())
                return problem;
        }
    }
    target = std::move(made);
    return {};
}

Personality random_personality(Random& random, std::uint64_t permille) {
    Personality made;
    for (const auto& point : points()) {
        if (random.below(1000) >= permille) continue;
        const auto& chosen = point.alternatives.at(random.below(point.alternatives.size()));
        CHECK(point.set(made, chosen.value));
    }
    return made;
}

Personality random_personality(std::uint64_t seed) {
    SeededRandom random(seed);
    return random_personality(random, usual_permille);
}

json::object personality_document(const Personality& personality) {
    json::object out;
    for (const auto& point : points()) {
        const auto value = point.get(personality);
        std::string_view meaning = point.also;
        json::array alternatives;
        for (const auto& alternative : point.alternatives) {
            alternatives.push_back(json::value(alternative.value));
            if (alternative.value == value) meaning = alternative.meaning;
        }
        out[point.name] = {{"value", value},
                           {"alternatives", std::move(alternatives)},
                           {"meaning", meaning},
                           {"help", point.help},
                           {"question", point.question}};
    }
    return out;
}

std::string personality_help() {
    std::string text =
        "A personality is what the provider answers where its interface document leaves it open. Each of these is an "
        "option\n"
        "(--NAME VALUE) and can be named in --personality; the first alternative is the sandbox's own way:\n";
    std::string_view question;
    for (const auto& point : points()) {
        if (std::exchange(question, point.question) != point.question)
            fmt::format_to(std::back_inserter(text), "\n {}\n", point.question);
        fmt::format_to(std::back_inserter(text), "  --{:<27} {}\n", point.name, point.help);
        for (const auto& alternative : point.alternatives)
            fmt::format_to(std::back_inserter(text), "      {:<25} {}\n", alternative.value, alternative.meaning);
        if (!point.also.empty()) fmt::format_to(std::back_inserter(text), "      or {}\n", point.also);
    }
    return text;
}

}  // namespace gateway::sandbox
