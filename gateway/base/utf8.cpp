#include "base/utf8.hpp"

#include "base/ascii.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace gateway {
namespace {

bool continues(unsigned char byte) noexcept {
    return (byte & 0xC0) == 0x80;
}

constexpr std::string_view little_endian_mark = "\xFF\xFE";
constexpr std::string_view big_endian_mark = "\xFE\xFF";

// Converts a text that begins with one of these marks. Returns nothing if the text contains half a character.
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
        append_code_point(out, static_cast<std::int32_t>(point));
    }
    return out;
}

}  // namespace

CodePoint first_code_point(std::string_view text) noexcept {
    utf8proc_int32_t point = -1;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &point);
    return length > 0 ? CodePoint{point, static_cast<std::size_t>(length)} : CodePoint();
}

void append_code_point(std::string& out, std::int32_t point) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length = utf8proc_encode_char(point, bytes.data());
    out.append(bytes.begin(), bytes.begin() + length);
}

std::size_t utf8_before_fault(std::string_view text) noexcept {
    auto rest = text;
    while (!rest.empty()) {
        rest.remove_prefix(length_before(rest, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }));
        if (rest.empty()) break;
        const auto point = first_code_point(rest);
        if (point.value < 0) break;
        rest.remove_prefix(point.bytes);
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
        append_code_point(out, static_cast<std::int32_t>(point));
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
