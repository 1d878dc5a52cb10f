#include "base/utf8.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
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

void append_point(std::string& out, std::uint32_t point) {
    const auto continued = [&](unsigned shift) { out += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0 | (point >> 6));
        continued(0);
    } else if (point < 0x10000) {
        out += static_cast<char>(0xE0 | (point >> 12));
        continued(6);
        continued(0);
    } else {
        out += static_cast<char>(0xF0 | (point >> 18));
        continued(12);
        continued(6);
        continued(0);
    }
}

constexpr std::string_view little_endian_mark = "\xFF\xFE";
constexpr std::string_view big_endian_mark = "\xFE\xFF";

// Takes a text that begins with one of these marks. Returns nothing where it has half a character.
std::optional<std::string> utf8_from_utf16(std::string_view bytes) {
    const bool little = bytes.starts_with(little_endian_mark);
    if (bytes.size() % 2 != 0) return std::nullopt;
    const auto unit = [&](std::size_t i) -> std::uint32_t {
        const auto byte = [&](std::size_t at) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
        };
        return little ? byte(i + 1) << 8 | byte(i) : byte(i) << 8 | byte(i + 1);
    };
    std::string out;
    for (std::size_t i = 2; i < bytes.size(); i += 2) {
        auto point = unit(i);
        if (point >= 0xD800 && point <= 0xDFFF) {
            const auto low = i + 3 < bytes.size() ? unit(i + 2) : 0;
            if (point >= 0xDC00 || low < 0xDC00 || low > 0xDFFF) return std::nullopt;
            point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
            i += 2;
        }
        append_point(out, point);
    }
    return out;
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

std::optional<std::string> utf8_from_windows_1252(std::string_view bytes) {
    static constexpr std::array<std::uint16_t, 32> from_0x80{
        0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
        0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        const bool control = byte < ' ' || byte == 0x7F;
        if (control && c != '\t' && c != '\n' && c != '\r') return std::nullopt;
        const std::uint32_t point = byte >= 0x80 && byte < 0xA0 ? from_0x80[byte - 0x80] : byte;
        if (point == 0) return std::nullopt;
        append_point(out, point);
    }
    return out;
}

std::string as_utf8(std::string bytes) {
    if (bytes.starts_with(byte_order_mark)) bytes.erase(0, byte_order_mark.size());
    if (is_utf8(bytes)) return bytes;
    const bool is_utf16 = bytes.starts_with(little_endian_mark) || bytes.starts_with(big_endian_mark);
    auto text = is_utf16 ? utf8_from_utf16(bytes) : utf8_from_windows_1252(bytes);
    return text ? std::move(*text) : std::move(bytes);
}

}  // namespace gateway
