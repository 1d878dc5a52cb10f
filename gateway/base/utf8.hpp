// The little that the gateway needs to know about UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Whether the text is well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
bool is_utf8(std::string_view text) noexcept;
// How many bytes stand before the first that is not well-formed; all of them where the text is.
std::size_t utf8_before_fault(std::string_view text) noexcept;
// How many code points it has; a byte that starts none does not count.
std::size_t utf8_length(std::string_view text) noexcept;

// Text in ISO 8859-1, as older services send it, in UTF-8; nothing where it has control characters other than tabs and
// line breaks, and so is no text.
std::optional<std::string> utf8_from_latin1(std::string_view text);

}  // namespace gateway
