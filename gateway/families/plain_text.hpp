// What a piece of text must be before the gateway passes it on, in a request or as a part of a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// The interface document gives no lengths ("not shown"). This bound is only so that no sale carries pages of text; it
// is far above every name, label and identifier that a catalogue holds.
constexpr std::size_t max_text_length = 250;
// No name of a person is longer.
constexpr std::size_t max_name_length = 64;
// Of a path segment that a terminal names: an operator's name, not a sentence.
constexpr std::size_t max_segment_length = 64;

// Well-formed UTF-8 of 1 to `max_length` code points, none of them a control character.
bool is_plain_text(std::string_view text, std::size_t max_length = max_text_length) noexcept;

// Whether it may be the name of a person or of an establishment; and what that is, to be told to a caller.
bool is_name(std::string_view text) noexcept;
constexpr std::string_view name_in_words = "a text of 1 to 64 characters without control characters";

// More digits than any amount, quantity or identifier has, and few enough for the number to be multiplied by a hundred.
constexpr std::size_t max_number_digits = 15;

// What a string of 1 to `max_digits` digits says.
std::optional<std::int64_t> number_from_digits(std::string_view text,
                                               std::size_t max_digits = max_number_digits) noexcept;

// "." and "..", which a server may take for a step up the path however they are encoded.
bool is_dot_segment(std::string_view text) noexcept;

// One segment of a path, everything but RFC 3986's unreserved characters percent-encoded, and never a dot segment.
std::string encoded_segment(std::string_view text);
// Adds "?name=value" to a target, or "&name=value" where its query has begun.
void add_to_query(std::string& query, std::string_view name, std::string_view value);

}  // namespace gateway
