// Reads the parameters of a request's query strictly: each may stand only once, and one that
// the call does not know is refused. One 422 tells everything that is wrong.
#pragma once

#include "api/request_rules.hpp"
#include "base/ascii.hpp"
#include "base/calendar.hpp"
#include "base/field_error.hpp"
#include "base/wall_time.hpp"

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gateway {

// Reads a whole number from 1 on, which is written in digits only and without a zero in front. Returns nothing where
// the text is no such number, or the number does not fit its type.
template <std::integral Number>
std::optional<Number> whole_number(std::string_view text) noexcept {
    return text.starts_with('0') ? std::nullopt : parse_number<Number>(text);
}

// Returns the id as the journal has it, because people type it in either letter case.
std::string id_text(std::string_view typed);

class Query {
  public:
    // The request must outlive the query.
    Query(const http::Request& request, std::initializer_list<std::string_view> known);

    std::optional<std::string_view> value(std::string_view name) const { return request_.query_value(name); }
    // Each of these returns nothing where the parameter is missing, and also where it is wrong, which is kept as an
    // error.
    std::optional<Day> day(std::string_view name);
    std::optional<WallTime> time(std::string_view name);
    std::optional<bool> flag(std::string_view name);
    // Reads a text of 1 to 64 characters without control characters.
    std::optional<std::string> name(std::string_view name);
    // Reads a whole number from 1 to `most`.
    std::optional<std::size_t> count(std::string_view name, std::size_t most);
    // Returns what `parse` makes of the text, which is an optional of anything; `wanted` says what would be right.
    template <class Parse>
    auto parsed(std::string_view name, Parse parse, std::string_view wanted) {
        const auto text = value(name);
        auto read = text ? parse(text.value()) : std::nullopt;
        if (text && !read) fail(name, wanted);
        return read;
    }

    // Refuses a time or a day that lies before the one that it is to follow, because nothing can be between them.
    template <class Point>
    void in_order(const std::optional<Point>& from, const std::optional<Point>& to) {
        if (from && to && *to < *from) fail("to", "must not be before from");
    }

    // `detail` says what would be right, and never quotes what was sent.
    void fail(std::string_view name, std::string_view detail);
    bool failed() const { return !errors_.empty(); }
    // Returns a 422 with everything that failed. It is called where something has.
    http::Response refusal();

  private:
    const http::Request& request_;
    FieldErrors errors_;
};

}  // namespace gateway
