#include "paper/printed_line.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <utf8proc.h>

namespace gateway {
namespace {

enum class Sign { printed, space, line_break, unseen };

Sign sign_of(utf8proc_int32_t point) noexcept {
    if (point == '\t') return Sign::space;
    constexpr utf8proc_int32_t next_line = 0x85;
    if ((point >= '\n' && point <= '\r') || point == next_line) return Sign::line_break;  // \n, \v, \f and \r
    const auto category = utf8proc_category(point);
    if (category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP) return Sign::line_break;
    const bool is_unseen = category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF;
    return is_unseen ? Sign::unseen : Sign::printed;
}

// Tells whether the byte may begin a character that is not printed: a control character, or any first byte of UTF-8
// except that of the letters of Western Europe.
constexpr auto may_be_unseen = [](char c) noexcept {
    constexpr char of_letters = '\xC3';
    return is_control(c) | (static_cast<unsigned char>(c) >= 0xC0 && c != of_letters);
};

}  // namespace

std::string take_printed_line(std::string_view& text) {
    std::string line;
    while (!text.empty()) {
        const auto [point, bytes] = first_code_point(text);
        const auto character = text.substr(0, bytes);
        text.remove_prefix(bytes);
        if (point < 0) continue;  // the byte is no text at all
        const auto sign = sign_of(point);
        if (sign == Sign::line_break) break;
        if (sign == Sign::printed) line += character;
        if (sign == Sign::space) line += ' ';
    }
    return line;
}

std::string printed_line(std::string_view text) {
    auto line = take_printed_line(text);
    while (!text.empty())
        line.append(" ").append(take_printed_line(text));
    return line;
}

bool is_printed_as_it_is(std::string_view text) noexcept {
    return length_before(text, may_be_unseen) == text.size();
}

}  // namespace gateway
