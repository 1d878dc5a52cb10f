#include "paper/code_page.hpp"

#include "base/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <span>

namespace gateway {
namespace {

using Point = char32_t;

// These are the signs of each page from 0x80 on, in order. A 0 stands where the page has no sign, or one that is not a
// letter: a space that does not break, or a hyphen that may be left out.
constexpr Point cp860_signs[] =
    U"ÇüéâãàÁçêÊèÍÔìÃÂÉÀÈôõòÚùÌÕÜ¢£Ù₧ÓáíóúñÑªº¿Ò¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
    U"αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\0";
constexpr Point cp850_signs[] =
    U"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀"
    U"ÓßÔÒõÕµþÞÚÛÙýÝ¯´\0±‗¾¶§÷¸°¨·¹³²■\0";
constexpr Point wpc1252_signs[] =
    U"€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ\0¡¢£¤¥¦§¨©ª«¬\0®¯°±²³´µ¶·¸¹º»¼½¾¿"
    U"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";

constexpr unsigned first_sign = 0x80;
constexpr std::size_t signs_of_a_page = 128;
using Signs = std::span<const Point, signs_of_a_page>;

template <std::size_t Size>
constexpr Signs signs_in(const Point (&literal)[Size]) {
    static_assert(Size == signs_of_a_page + 1, "a page has 128 signs, and the literal ends with a zero");
    return Signs(literal, signs_of_a_page);
}

// Returns the signs of a page of bytes, which UTF-8 is not.
Signs signs_of(CodePage page) noexcept {
    switch (page) {
        case CodePage::cp850: return signs_in(cp850_signs);
        case CodePage::wpc1252: return signs_in(wpc1252_signs);
        case CodePage::utf_8:
        case CodePage::cp860: break;
    }
    return signs_in(cp860_signs);
}

// Unicode has no plainer form for these signs, so we spell them.
struct Spelling {
    Point sign;
    std::string_view text;
};
constexpr std::array spellings{
    Spelling{U'\u00A0', " "}, Spelling{U'\u00AD', ""}, Spelling{U'€', "EUR"}, Spelling{U'ß', "ss"},
    Spelling{U'ẞ', "SS"},     Spelling{U'æ', "ae"},    Spelling{U'Æ', "AE"},  Spelling{U'œ', "oe"},
    Spelling{U'Œ', "OE"},     Spelling{U'ø', "o"},     Spelling{U'Ø', "O"},   Spelling{U'ł', "l"},
    Spelling{U'Ł', "L"},      Spelling{U'đ', "d"},     Spelling{U'Đ', "D"},   Spelling{U'ð', "d"},
    Spelling{U'Ð', "D"},      Spelling{U'þ', "th"},    Spelling{U'Þ', "Th"},  Spelling{U'ı', "i"},
    Spelling{U'©', "(c)"},    Spelling{U'®', "(R)"},   Spelling{U'×', "x"},   Spelling{U'÷', "/"},
    Spelling{U'⁄', "/"},      Spelling{U'−', "-"},     Spelling{U'‐', "-"},   Spelling{U'‑', "-"},
    Spelling{U'‒', "-"},      Spelling{U'–', "-"},     Spelling{U'—', "-"},   Spelling{U'―', "-"},
    Spelling{U'‘', "'"},      Spelling{U'’', "'"},     Spelling{U'‚', "'"},   Spelling{U'‹', "'"},
    Spelling{U'›', "'"},      Spelling{U'′', "'"},     Spelling{U'´', "'"},   Spelling{U'“', "\""},
    Spelling{U'”', "\""},     Spelling{U'„', "\""},    Spelling{U'«', "\""},  Spelling{U'»', "\""},
    Spelling{U'″', "\""},     Spelling{U'•', "*"},     Spelling{U'·', "*"},   Spelling{U'§', "S"},
    Spelling{U'→', "->"},     Spelling{U'←', "<-"},    Spelling{U'≥', ">="},  Spelling{U'≤', "<="},
    Spelling{U'°', "o"},      Spelling{U'₹', "Rs"},    Spelling{U'£', "GBP"}, Spelling{U'¥', "JPY"},
};

bool is_printable_ascii(Point sign) noexcept {
    return sign >= 0x20 && sign < 0x7F;
}

bool has(Signs signs, Point sign) noexcept {
    return is_printable_ascii(sign) || (sign != 0 && std::ranges::find(signs, sign) != signs.end());
}

// Passes each sign of the text to `take`. A replacement character stands for every byte that is not UTF-8.
template <class Take>
void each_sign(std::string_view text, const Take& take) {
    while (!text.empty()) {
        const auto [point, bytes] = first_code_point(text);
        take(static_cast<Point>(point < 0 ? 0xFFFD : point));
        text.remove_prefix(bytes);
    }
}

// Returns the text with each letter and its accents as one sign, as the pages have them. Returns the text itself if it
// is not UTF-8.
std::string composed(std::string_view text) {
    utf8proc_uint8_t* made = nullptr;
    const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &made, options);
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
    if (length < 0) return std::string(text);
    return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)};
}

// Appends what stands for a sign that Unicode cannot take apart any further.
void append_plain(std::string& text, Point sign, Signs signs) {
    if (has(signs, sign)) return append_code_point(text, static_cast<std::int32_t>(sign));
    const auto* const known = std::ranges::find(spellings, sign, &Spelling::sign);
    if (known != spellings.end())
        text += known->text;
    else if (utf8proc_charwidth(static_cast<utf8proc_int32_t>(sign)) > 0)
        text += '?';  // a sign without a width of its own, such as an accent, is left out
}

void append_spelled(std::string& text, Point sign, Signs signs) {
    const bool is_known = std::ranges::find(spellings, sign, &Spelling::sign) != spellings.end();
    if (has(signs, sign) || is_known) return append_plain(text, sign, signs);
    std::array<utf8proc_int32_t, 32> parts{};  // the longest compatibility form of any sign has 18
    int boundary = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(sign), parts.data(), parts.size(),
                                static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT), &boundary);
    if (count < 1 || count > static_cast<utf8proc_ssize_t>(parts.size())) return append_plain(text, sign, signs);
    for (const auto part : std::span(parts).first(static_cast<std::size_t>(count)))
        append_plain(text, static_cast<Point>(part), signs);
}

// Tells whether a printer may take the sign for a command: a control character of ASCII or of ISO 6429.
bool is_control_sign(Point sign) noexcept {
    return sign < 0x20 || (sign >= 0x7F && sign < 0xA0);
}

}  // namespace

std::optional<CodePage> parse_code_page(std::string_view name) noexcept {
    if (name == "utf-8") return CodePage::utf_8;
    if (name == "cp860") return CodePage::cp860;
    if (name == "cp850") return CodePage::cp850;
    if (name == "wpc1252") return CodePage::wpc1252;
    return std::nullopt;
}

std::string_view charset_of(CodePage page) noexcept {
    switch (page) {
        case CodePage::utf_8: break;
        case CodePage::cp860: return "IBM860";
        case CodePage::cp850: return "IBM850";
        case CodePage::wpc1252: return "windows-1252";
    }
    return "utf-8";
}

std::optional<std::uint8_t> CodePageNumbers::of(CodePage page) const noexcept {
    switch (page) {
        case CodePage::utf_8: break;
        case CodePage::cp860: return cp860;
        case CodePage::cp850: return cp850;
        case CodePage::wpc1252: return wpc1252;
    }
    return std::nullopt;
}

std::string spelled(std::string_view text, CodePage page) {
    if (page == CodePage::utf_8 || std::ranges::all_of(text, [](char c) { return is_printable_ascii(Point(c)); }))
        return std::string(text);
    std::string spelling;
    each_sign(composed(text), [&](Point sign) { append_spelled(spelling, sign, signs_of(page)); });
    return spelling;
}

std::string encoded(std::string_view text, CodePage page) {
    std::string bytes;
    each_sign(spelled(text, page), [&](Point sign) {
        if (is_control_sign(sign))
            bytes += '?';
        else if (page == CodePage::utf_8)
            append_code_point(bytes, static_cast<std::int32_t>(sign));
        else if (is_printable_ascii(sign))
            bytes += static_cast<char>(sign);
        else
            bytes += static_cast<char>(
                first_sign + static_cast<unsigned>(std::ranges::find(signs_of(page), sign) - signs_of(page).begin()));
    });
    return bytes;
}

}  // namespace gateway
