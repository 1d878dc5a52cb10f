#include "families/plain_text.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <algorithm>

namespace gateway {
namespace {

// The control characters are C0, DEL, and C1, which UTF-8 writes as C2 80 to C2 9F.
bool has_control_character(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7F) return true;
        if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    }
    return false;
}

}  // namespace

bool is_plain_text(std::string_view text, std::size_t max_length) noexcept {
    return !text.empty() && is_utf8(text) && utf8_length(text) <= max_length && !has_control_character(text);
}

bool is_name(std::string_view text) noexcept {
    return is_plain_text(text, max_name_length);
}

std::optional<std::int64_t> number_from_digits(std::string_view text, std::size_t max_digits) noexcept {
    if (!is_digits(text) || text.size() > std::min(max_digits, max_number_digits)) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text)
        value = value * 10 + (c - '0');
    return value;
}

bool is_dot_segment(std::string_view text) noexcept {
    return text == "." || text == "..";
}

std::string encoded_segment(std::string_view text) {
    const bool dots = is_dot_segment(text);
    std::string encoded;
    for (const char c : text) {
        if (is_unreserved(c) && !dots)
            encoded += c;
        else
            append_percent_encoded(encoded, c);
    }
    return encoded;
}

void add_to_query(std::string& query, std::string_view name, std::string_view value) {
    query.append(query.empty() ? "?" : "&").append(name).append("=");
    for (const char c : value) {
        if (is_unreserved(c))
            query += c;
        else
            append_percent_encoded(query, c);
    }
}

}  // namespace gateway
