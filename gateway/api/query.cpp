#include "api/query.hpp"

#include "api/sale_answer.hpp"
#include "base/ascii.hpp"
#include "families/field_reader.hpp"
#include "families/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gateway {
namespace {

std::optional<bool> parse_flag(std::string_view text) noexcept {
    if (text == "true") return true;
    if (text == "false") return false;
    return std::nullopt;
}

std::optional<std::string> parse_name(std::string_view text) {
    return is_name(text) ? std::optional(std::string(text)) : std::nullopt;
}

}  // namespace

std::string id_text(std::string_view typed) {
    std::string text(typed);
    std::ranges::transform(text, text.begin(), [](char c) { return to_upper(c); });
    return text;
}

Query::Query(const http::Request& request, std::initializer_list<std::string_view> known) : request_(request) {
    std::set<std::string_view> seen;
    for (const auto& [name, value] : request.query) {
        if (std::ranges::find(known, name) == known.end())
            fail(name, "is not a parameter of this call");
        else if (!seen.insert(name).second)
            fail(name, "must stand only once");
    }
}

std::optional<Day> Query::day(std::string_view name) {
    return parsed(name, parse_day, "must be a day such as 2026-11-20");
}

std::optional<WallTime> Query::time(std::string_view name) {
    return parsed(name, from_rfc3339,
                  "must be a time such as 2024-05-02T13:00:00Z (a + in a query string is written %2B)");
}

std::optional<bool> Query::flag(std::string_view name) {
    return parsed(name, parse_flag, "must be true or false");
}

std::optional<std::string> Query::name(std::string_view name) {
    return parsed(name, parse_name, fmt::format("must be {}", name_in_words));
}

std::optional<std::size_t> Query::count(std::string_view name, std::size_t most) {
    const auto parse = [most](std::string_view text) noexcept {
        const auto number = whole_number<std::size_t>(text);
        return number && *number <= most ? number : std::nullopt;
    };
    return parsed(name, parse, fmt::format("must be a whole number from 1 to {}", most));
}

void Query::fail(std::string_view name, std::string_view detail) {
    errors_.push_back({.pointer = pointer_to("", name), .detail = std::string(detail)});
}

http::Response Query::refusal() {
    return field_errors(request_, std::move(errors_));
}

}  // namespace gateway
