// Handles characters and short texts as protocols, keys and logs have them: in ASCII only. Unlike <cctype>, nothing
// here depends on a locale, and a byte of another script is neither a letter nor a digit.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gateway {

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_lower(char c) noexcept {
    return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char c) noexcept {
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_alphanumeric(char c) noexcept {
    return is_digit(c) || is_lower(c) || is_upper(c);
}
// Tells whether the character is a C0 control character or DEL.
constexpr bool is_control(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ') | (byte == 0x7f);
}
// Tells whether the character needs no encoding anywhere in a URL (RFC 3986, section 2.3).
constexpr bool is_unreserved(char c) noexcept {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

// Tells whether `is_end` holds for one of the `Together` characters that begin at `text`. If `is_end` only compares,
// and does so without a branch, the compiler checks all of them with a few instructions.
template <std::size_t Together, class Test>
constexpr bool any_of_first(const char* text, Test is_end) noexcept {
    unsigned char found = 0;
    for (std::size_t i = 0; i < Together; ++i)
        found |= static_cast<unsigned char>(is_end(text[i]));
    return found != 0;
}

// Returns how many characters stand before the first one for which `is_end` holds. Sixteen are checked together, and
// fewer in a short text. The last ones are checked together with some that were checked before. `is_end` should be a
// lambda, which is compiled in.
template <class Test>
constexpr std::size_t length_before(std::string_view text, Test is_end) noexcept {
    constexpr std::size_t most = 16;
    std::size_t length = 0;
    while (text.size() - length >= most && !any_of_first<most>(text.data() + length, is_end))
        length += most;
    const auto left = text.size() - length;
    if (length > 0 && left > 0 && left < most && !any_of_first<most>(text.data() + text.size() - most, is_end))
        return text.size();
    if (text.size() - length >= 8 && !any_of_first<8>(text.data() + length, is_end)) length += 8;
    if (text.size() - length >= 4 && !any_of_first<4>(text.data() + length, is_end)) length += 4;
    while (length < text.size() && !is_end(text[length]))
        ++length;
    return length;
}

// Tells whether the text is one or more digits, and nothing else.
bool is_digits(std::string_view text) noexcept;

// Returns the text without the blanks around it.
constexpr std::string_view trim(std::string_view text, std::string_view blanks = " \t") noexcept {
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// Reads a number in decimal digits. Returns nothing if the text has anything else, or the type does not hold the
// number.
template <std::integral Number>
std::optional<Number> parse_number(std::string_view text) noexcept {
    Number number{};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return is_digits(text) && read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

constexpr char to_lower(char c) noexcept {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char to_upper(char c) noexcept {
    return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}
std::string to_lower(std::string_view text);

// Returns the value of a hexadecimal digit in either case, or -1.
constexpr int hex_value(char c) noexcept {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}
// Returns two digits for each byte, in lower case.
std::string to_hex(std::span<const std::byte> bytes);
// Returns the bytes that the digits stand for, two digits for each byte, in either case. Returns nothing for any other
// text.
std::optional<std::string> from_hex(std::string_view digits);
// Appends a byte in the form in which it stands in a URL: "%C3".
void append_percent_encoded(std::string& out, char c);

// Appends the number in decimal.
template <std::integral Number>
void append_number(std::string& out, Number number) {
    // digits10 is one digit less than the longest number has, and there may be a sign.
    std::array<char, std::numeric_limits<Number>::digits10 + 2> digits;
    auto* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

}  // namespace gateway
