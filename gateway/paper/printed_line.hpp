// What is printed of a text. Every text that reaches paper passes here, no matter who wrote it: a provider, a till, an
// operator or the configuration. A code that a customer has paid for may be in it, so that nothing is changed that can
// be seen.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

// Takes the text up to its next line break off its front, and gives what is printed of it:
//
// - Whatever ends a line in Unicode is a line break: \n, \v, \f, \r, U+0085, U+2028 and U+2029.
// - A tab is a space.
// - What a printer or a reader would obey and nobody sees is left out: control characters, signs that turn the
// direction
//   of writing, signs of no width, and bytes that are no UTF-8.
// - Everything else stands as it stood.
std::string take_printed_line(std::string_view& text);

// The whole text in one line: a line break is a space.
std::string printed_line(std::string_view text);

// Whether take_printed_line() gives the whole text back as it is, as far as that can be seen at once.
bool is_printed_as_it_is(std::string_view text) noexcept;

}  // namespace gateway
