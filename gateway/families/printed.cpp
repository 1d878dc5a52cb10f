#include "families/printed.hpp"

#include "base/ascii.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gateway {
namespace {

namespace json = boost::json;

// The documented shapes are two levels deep. The bound is needed here too, because other code than a parser may build
// values.
constexpr int max_depth = 16;
// A '>' is looked for only so far after its '<', so that many of them cost nothing. Without it the '<' is text.
constexpr std::size_t max_tag_length = 200;
// "&#x10FFFF;" and every known name are shorter.
constexpr std::size_t max_entity_length = 12;
constexpr std::string_view account_number_placeholder = "%%ACCOUNTNUMBER%%";

const json::value* find_below(const json::value& value, std::string_view name, int depth) noexcept {
    if (depth == 0) return nullptr;
    const json::value* found = nullptr;
    if (const auto* object = value.if_object()) {
        found = object->if_contains(name);
        for (auto at = object->begin(); found == nullptr && at != object->end(); ++at)
            found = find_below(at->value(), name, depth - 1);
    } else if (const auto* array = value.if_array()) {
        for (auto at = array->begin(); found == nullptr && at != array->end(); ++at)
            found = find_below(*at, name, depth - 1);
    }
    return found;
}

// Only what is surely HTML is taken for HTML: a code such as "<A1>" is something that a customer has paid for.
constexpr std::array<std::string_view, 27> html_tags{
    "a",    "b", "big", "body", "br", "center", "div",  "em", "font", "h1",     "h2",    "h3", "h4", "hr",
    "html", "i", "li",  "ol",   "p",  "small",  "span", "td", "tr",   "strong", "table", "u",  "ul"};
constexpr std::array<std::string_view, 6> line_ends{"br", "/p", "/div", "/li", "/tr", "hr"};

struct Tag {
    std::size_t length = 0;  // 0 if no tag begins here
    bool ends_line = false;
};

Tag tag_at(std::string_view rest) {
    if (!rest.starts_with('<')) return {};
    const auto end = rest.substr(0, max_tag_length).find('>');
    if (end == std::string_view::npos) return {};
    const auto inside = to_lower(rest.substr(1, end - 1));
    const auto word = std::string_view(inside).substr(0, inside.find_first_of(" /\t\r\n", 1));
    const auto name = word.substr(word.starts_with('/') ? 1 : 0);
    if (std::find(html_tags.begin(), html_tags.end(), name) == html_tags.end()) return {};
    return {end + 1, std::find(line_ends.begin(), line_ends.end(), word) != line_ends.end()};
}

// HTML has these names for the characters from U+00A0 on.
constexpr std::array<std::string_view, 96> latin1_names{
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

struct NamedCharacter {
    std::string_view name;
    utf8proc_int32_t point;
};
constexpr std::array named_characters{
    NamedCharacter{"amp", '&'},      NamedCharacter{"lt", '<'},        NamedCharacter{"gt", '>'},
    NamedCharacter{"quot", '"'},     NamedCharacter{"apos", '\''},     NamedCharacter{"euro", 0x20AC},
    NamedCharacter{"ndash", 0x2013}, NamedCharacter{"mdash", 0x2014},  NamedCharacter{"lsquo", 0x2018},
    NamedCharacter{"rsquo", 0x2019}, NamedCharacter{"ldquo", 0x201C},  NamedCharacter{"rdquo", 0x201D},
    NamedCharacter{"bull", 0x2022},  NamedCharacter{"hellip", 0x2026}, NamedCharacter{"trade", 0x2122}};

// Returns the character that "eacute", "#233" or "#xE9" stands for, or nothing if it stands for none.
std::optional<utf8proc_int32_t> point_of(std::string_view name) noexcept {
    if (name.starts_with('#')) {
        name.remove_prefix(1);
        const bool hex = name.starts_with('x') || name.starts_with('X');
        if (hex) name.remove_prefix(1);
        utf8proc_int32_t point = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), point, hex ? 16 : 10);
        const bool right = error == std::errc() && end == name.data() + name.size() && !name.starts_with('-');
        return right && utf8proc_codepoint_valid(point) ? std::optional(point) : std::nullopt;
    }
    const auto* const known = std::ranges::find(named_characters, name, &NamedCharacter::name);
    if (known != named_characters.end()) return known->point;
    const auto* const latin1 = std::ranges::find(latin1_names, name);
    if (latin1 == latin1_names.end()) return std::nullopt;
    return static_cast<utf8proc_int32_t>(0xA0 + (latin1 - latin1_names.begin()));
}

struct Entity {
    std::size_t length = 0;  // 0 if no entity begins here
    std::string text;
};

// Reads the entity at the front. One for a control character is left as it is, but one for a line break or a tab
// becomes a space. One for an invisible character is removed.
Entity entity_at(std::string_view rest) {
    if (!rest.starts_with('&')) return {};
    const auto end = rest.substr(0, max_entity_length).find(';');
    if (end == std::string_view::npos) return {};
    const auto point = point_of(rest.substr(1, end - 1));
    if (!point) return {};
    constexpr utf8proc_int32_t no_break_space = 0xA0;
    if (*point == no_break_space || *point == '\t' || *point == '\n' || *point == '\r') return {end + 1, " "};
    const auto category = utf8proc_category(*point);
    if (category == UTF8PROC_CATEGORY_CC) return {};
    if (category == UTF8PROC_CATEGORY_CF) return {end + 1, ""};
    if (category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP) return {end + 1, " "};
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length = utf8proc_encode_char(*point, bytes.data());
    return {end + 1, std::string(bytes.begin(), bytes.begin() + length)};
}

// Returns the text as people read it: a tag that ends a line becomes a line break, other tags are removed, and entities
// become what they stand for.
std::string without_html(std::string_view text) {
    std::string plain;
    for (;;) {
        const auto* const next = std::ranges::find_if(text, [](char c) { return c == '<' || c == '&'; });
        plain.append(text.begin(), next);
        text.remove_prefix(static_cast<std::size_t>(next - text.begin()));
        if (text.empty()) return plain;
        std::size_t used = 1;
        if (const auto tag = tag_at(text); tag.length > 0) {
            used = tag.length;
            if (tag.ends_line) plain += '\n';
        } else if (const auto entity = entity_at(text); entity.length > 0) {
            used = entity.length;
            plain += entity.text;
        } else {
            plain += text.front();
        }
        text.remove_prefix(used);
    }
}

// Passes every string and number in the value that is not empty to `take`, in order.
template <class Take>
void each_text(const json::value& value, const Take& take, int depth = max_depth) {
    if (depth == 0) return;
    if (const auto* object = value.if_object()) {
        for (const auto& field : *object)
            each_text(field.value(), take, depth - 1);
    } else if (const auto* array = value.if_array()) {
        for (const auto& element : *array)
            each_text(element, take, depth - 1);
    } else if (const auto* text = value.if_string()) {
        if (!text->empty()) take(std::string_view(*text));
    } else if (const auto* number = value.if_double()) {
        if (std::isfinite(*number)) take(fmt::format("{}", *number));  // JSON would write 1.05E1
    } else if (value.is_number()) {
        take(json::serialize(value));
    }
}

}  // namespace

const json::value* find_field(const json::value& value, std::string_view name) noexcept {
    return find_below(value, name, max_depth);
}

std::string field_text(const json::value& value, std::string_view name) {
    std::string joined;
    const auto* const field = find_field(value, name);
    if (field == nullptr) return joined;
    each_text(*field, [&joined](std::string_view text) {
        if (!joined.empty()) joined += ' ';
        joined += text;
    });
    return joined;
}

void append_messages(std::vector<std::string>& lines, const json::value& value) {
    each_text(value, [&lines](std::string_view text) {
        if (auto plain = without_html(text); !plain.empty()) lines.push_back(std::move(plain));
    });
}

void append_messages(std::vector<std::string>& lines, const json::value& value, std::string_view name) {
    if (const auto* field = find_field(value, name)) append_messages(lines, *field);
}

void append_labelled(std::vector<std::string>& lines, std::string_view label, std::string_view text) {
    if (text.empty()) return;
    auto& line = lines.emplace_back();
    line.reserve(label.size() + 2 + text.size());
    line.append(label).append(": ").append(text);
}

std::vector<std::string> lines_or_all(std::vector<std::string> lines, const json::value& value) {
    if (lines.empty()) append_messages(lines, value);
    return lines;
}

bool is_unfilled(std::string_view text) noexcept {
    return text.find(account_number_placeholder) != std::string_view::npos;
}

std::string fill_account_number(std::string text, std::string_view token) {
    if (token.empty()) return text;
    for (auto at = text.find(account_number_placeholder); at != std::string::npos;
         at = text.find(account_number_placeholder, at + token.size()))
        text.replace(at, account_number_placeholder.size(), token);
    return text;
}

}  // namespace gateway
