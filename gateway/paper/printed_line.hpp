// Says what is printed of a text. Every text that reaches paper passes here, whether a provider, a till, an operator or
// the configuration wrote it. It may hold a code that a customer has paid for, so nothing is changed that can be seen.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

// Takes the text up to its next line break off the front, and returns what is printed of it:
//
// - Everything that ends a line in Unicode is a line break: \n, \v, \f, \r, U+0085, U+2028 and U+2029.
// - A tab becomes a space.
// - What a printer or a reader would obey and nobody sees is left out: control characters, signs that turn the
//   direction of writing, signs without width, and bytes that are not UTF-8.
// - Everything else is unchanged.
std::string take_printed_line(std::string_view& text);

// Returns the whole text in one line: a line break becomes a space.
std::string printed_line(std::string_view text);

// Tells whether take_printed_line() would return the whole text unchanged, as far as that is quickly seen.
bool is_printed_as_it_is(std::string_view text) noexcept;

}  // namespace gateway
