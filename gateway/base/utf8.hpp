// The little that the gateway needs to know about UTF-8, by utf8proc.
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
// Of a text that is not empty. Bytes that are not well-formed are told one by one.
CodePoint first_code_point(std::string_view text) noexcept;
// `point` must be a character: no surrogate, nothing above U+10FFFF.
void append_code_point(std::string& out, std::int32_t point);

// Whether the text is well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
bool is_utf8(std::string_view text) noexcept;
// How many bytes stand before the first that is not well-formed; all of them where the text is.
std::size_t utf8_before_fault(std::string_view text) noexcept;
// How many code points it has; a byte that starts none does not count.
std::size_t utf8_length(std::string_view text) noexcept;

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Converts what another system sent as text to UTF-8 without a byte order mark. It may have been written in UTF-8, in
// UTF-16 behind its mark, or in Windows-1252, which most programs mean by ISO 8859-1. Bytes that are none of these stay
// as they are.
std::string as_utf8(std::string bytes);

// Converts text in Windows-1252, of which the printable characters of ISO 8859-1 are a part. Returns nothing where the
// bytes are no text: one of them stands for nothing, or is a control character other than a tab or a line break.
std::optional<std::string> utf8_from_windows_1252(std::string_view bytes);

}  // namespace gateway
