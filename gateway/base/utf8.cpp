#include "base/utf8.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <cstdint>

namespace gateway {
namespace {

bool continues(unsigned char byte) noexcept {
    return (byte & 0xC0) == 0x80;
}

// How many bytes the code point at the front takes; 0 where it is not well formed.
std::size_t front_length(std::string_view text) noexcept {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    std::uint32_t point = first & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if (!continues(at(i))) return 0;
        point = (point << 6) | (at(i) & 0x3Fu);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return overlong || surrogate || point > 0x10FFFF ? 0 : length;
}

}  // namespace

std::size_t utf8_before_fault(std::string_view text) noexcept {
    auto rest = text;
    while (!rest.empty()) {
        rest.remove_prefix(length_before(rest, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
        if (rest.empty()) break;
        const auto length = front_length(rest);
        if (length == 0) break;
        rest.remove_prefix(length);
    }
    return text.size() - rest.size();
}

bool is_utf8(std::string_view text) noexcept {
    return utf8_before_fault(text) == text.size();
}

std::size_t utf8_length(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !continues(static_cast<unsigned char>(c)); }));
}

std::optional<std::string> utf8_from_latin1(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 8);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool control = (byte & 0x7F) < ' ' || byte == 0x7F;
        if (control && c != '\t' && c != '\n' && c != '\r') return std::nullopt;
        if (byte < 0x80) {
            out += c;
        } else {
            out += static_cast<char>(0xC0 | (byte >> 6));
            out += static_cast<char>(0x80 | (byte & 0x3F));
        }
    }
    return out;
}

}  // namespace gateway
