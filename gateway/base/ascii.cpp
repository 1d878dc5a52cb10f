#include "base/ascii.hpp"

#include <algorithm>

namespace gateway {
namespace {

constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view upper_digits = "0123456789ABCDEF";

}  // namespace

bool is_digits(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        c = to_lower(c);
    return lower;
}

std::string to_hex(std::span<const std::byte> bytes) {
    std::string digits(2 * bytes.size(), '0');
    auto at = digits.begin();
    for (const auto byte : bytes) {
        *at++ = lower_digits[std::to_integer<std::size_t>(byte >> 4)];
        *at++ = lower_digits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return digits;
}

std::optional<std::string> from_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const int high = hex_value(digits[i]);
        const int low = hex_value(digits[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

void append_percent_encoded(std::string& out, char c) {
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += upper_digits[byte >> 4];
    out += upper_digits[byte & 15];
}

}  // namespace gateway
