// Holds the little that the gateway needs to know about UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

struct CodePoint {
    std::int32_t value = -1;  // below 0: the byte begins no well-formed character
    std::size_t bytes = 1;
};
// Returns the code point at the front of a text, which must not be empty. Bytes that are not well-formed are told one
// by one.
CodePoint first_code_point(std::string_view text) noexcept;
// Appends the character in UTF-8. It must be no surrogate, and not above U+10FFFF.
void append_code_point(std::string& out, std::int32_t point);

// Tells whether the text is well-formed UTF-8: without overlong forms, surrogates, and anything above U+10FFFF.
bool is_utf8(std::string_view text) noexcept;
// Returns how many bytes stand before the first one that is not well formed. If all are well formed, it is their
// number.
std::size_t utf8_before_fault(std::string_view text) noexcept;
// Returns the number of code points. A byte that does not begin one does not count.
std::size_t utf8_length(std::string_view text) noexcept;

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Converts text from another system to UTF-8 without a byte order mark. It may have been written in UTF-8, in UTF-16
// after its mark, or in Windows-1252, which most programs mean by ISO 8859-1. Bytes that are none of these are left
// unchanged.
std::string as_utf8(std::string bytes);

// Converts text in Windows-1252, of which the printable characters of ISO 8859-1 are a part. Returns nothing if the
// bytes are not text: if one of them has no meaning, or is a control character other than a tab or a line break.
std::optional<std::string> utf8_from_windows_1252(std::string_view bytes);

}  // namespace gateway
