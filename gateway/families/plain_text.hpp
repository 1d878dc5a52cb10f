// Says what a piece of text must be before the gateway passes it on, in a request or as a part of a path.
#pragma once

#include "base/told.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// The interface document gives no lengths ("not shown"). The bound only keeps sales from carrying pages of text; it is
// far above every name, label and identifier of a catalogue.
constexpr std::size_t max_text_length = 250;
// A person's name is not longer than this.
constexpr std::size_t max_name_length = 64;
// A path segment that a terminal names is an operator's name and not a sentence, so it is not longer than this.
constexpr std::size_t max_segment_length = 64;

// Tells whether the text is valid UTF-8 of 1 to `max_length` code points, none of them a control character.
bool is_plain_text(std::string_view text, std::size_t max_length = max_text_length) noexcept;

// The first tells whether the text may be the name of a person or of an establishment; the second says in words what
// such a name is.
bool is_name(std::string_view text) noexcept;
constexpr std::string_view name_in_words = told("a text of 1 to 64 characters without control characters");

// No amount, quantity or identifier has more digits, and a number of so many digits can still be multiplied by a
// hundred.
constexpr std::size_t max_number_digits = 15;

// Returns the number that a string of 1 to `max_digits` digits says.
std::optional<std::int64_t> number_from_digits(std::string_view text,
                                               std::size_t max_digits = max_number_digits) noexcept;

// Tells whether the text is "." or "..", which a server may take for a step up the path however they are encoded.
bool is_dot_segment(std::string_view text) noexcept;

// Returns one segment of a path. Everything but RFC 3986's unreserved characters is percent-encoded. It is never a dot
// segment.
std::string encoded_segment(std::string_view text);
// Adds "?name=value" to a target, or "&name=value" if the target has a query already.
void add_to_query(std::string& query, std::string_view name, std::string_view value);

}  // namespace gateway
