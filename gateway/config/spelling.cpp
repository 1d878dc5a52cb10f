#include "config/spelling.hpp"

#include "base/ascii.hpp"
#include "base/told.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace gateway {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Three rows of the usual table are enough, because a swap looks two rows back.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, last);
        std::swap(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known) {
    // With a third of its letters wrong, a word is still a typing mistake; with more, it is another word.
    std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::string_view nearest;
    for (const auto candidate : known) {
        if (const auto distance = edit_distance(word, candidate); distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
    const auto nearest = nearest_word(word, known);
    return nearest.empty() ? std::string() : "; " + fmt::format(told("did you mean \"{}\"?"), nearest);
}

namespace {

std::string_view line_of(std::string_view text, std::size_t number) {
    for (; number > 1 && text.find('\n') != text.npos; --number)
        text.remove_prefix(text.find('\n') + 1);
    auto line = text.substr(0, text.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

struct Character {
    std::int32_t point = 0;
    std::size_t number = 0;  // in its line, from 1 on

    std::string code() const { return fmt::format("U+{:04X}", point); }
};

// Tells whether the character is what a word processor makes of a quote, or looks like one.
bool is_typographic_quote(std::int32_t point) {
    constexpr std::array quotes{0x60,   0xAB,   0xB4,   0xBB,   0x2018, 0x2019, 0x201A, 0x201B, 0x201C,
                                0x201D, 0x201E, 0x201F, 0x2032, 0x2033, 0x2039, 0x203A, 0xFF02, 0xFF07};
    return std::ranges::find(quotes, point) != quotes.end();
}

std::vector<std::int32_t> points_of(std::string_view text) {
    std::vector<std::int32_t> points;
    while (!text.empty()) {
        const auto point = first_code_point(text);
        if (point.value < 0) break;
        points.push_back(point.value);
        text.remove_prefix(point.bytes);
    }
    return points;
}

bool is_control_point(std::int32_t point) {
    return (point < 0x20 && point != '\t') || point == 0x7f;
}

// This is what a TOML parser finds on its way through a line.
struct LineFacts {
    std::optional<Character> control;        // the first control character
    std::optional<Character> typographic;    // the first quote of a word processor that stands outside of a text
    std::optional<Character> strange;        // the first other character outside of a text that is not ASCII
    std::optional<Character> closing_quote;  // a quote of a word processor in the text that is not closed
    std::optional<char> open;                // the quote of a text that is not closed
    bool escaped_quote = false;              // that text has a quote behind a backslash
    bool has_backslash = false;              // a text between double quotes has one
    std::optional<std::size_t> equals;       // where the first = stands outside of a text
    std::int32_t last = 0;                   // the last character that is neither blank nor in a comment
};

LineFacts look_at(std::string_view line) {
    LineFacts facts;
    bool escapes = false;
    for (std::size_t at = 0, number = 1; at < line.size(); ++number) {
        const auto point = first_code_point(line.substr(at));
        if (point.value < 0) break;
        const Character one{.point = point.value, .number = number};
        if (is_control_point(one.point) && !facts.control) facts.control = one;
        if (facts.open) {
            if (is_typographic_quote(one.point) && one.point > 0x7f) facts.closing_quote = one;
            if (escapes && one.point == '"') facts.escaped_quote = true;
            const bool closes = !escapes && one.point == *facts.open;
            escapes = !escapes && *facts.open == '"' && one.point == '\\';
            facts.has_backslash = facts.has_backslash || escapes;
            if (closes) facts.open.reset(), facts.closing_quote.reset(), facts.escaped_quote = false;
        } else if (one.point == '#') {
            break;
        } else if (one.point == '"' || one.point == '\'') {
            facts.open = static_cast<char>(one.point);
        } else if (one.point == '=' && !facts.equals) {
            facts.equals = at;
        } else if (is_typographic_quote(one.point) && !facts.typographic) {
            facts.typographic = one;
        } else if (one.point > 0x7f && !facts.strange) {
            facts.strange = one;
        }
        if (one.point != ' ' && one.point != '\t') facts.last = one.point;
        at += point.bytes;
    }
    return facts;
}

// This is the key of a line, and its value as far as it goes.
struct Parts {
    std::string key;
    std::string_view value;
    bool is_list = false;  // the value is a list, or the line continues one

    // Shows how the value has to be written, with this quote.
    std::string pattern(char quote) const {
        return is_list ? fmt::format("{0} = [{1}…{1}, {1}…{1}]", key, quote) : fmt::format("{0} = {1}…{1}", key, quote);
    }
    std::string_view ends() const { return is_list ? told("at both ends of each text") : told("at both ends"); }
};

Parts parts_of(std::string_view line, std::optional<std::size_t> equals) {
    Parts parts{.key = "key", .value = trim(line)};
    if (!equals) return parts;
    parts.value = trim(line.substr(*equals + 1));
    parts.is_list = parts.value.starts_with('[');
    const auto key = trim(line.substr(0, *equals));
    const bool plain = !key.empty() && std::ranges::all_of(key, [](char c) {
        return is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
    });
    if (plain) parts.key = key;
    return parts;
}

// Reads a line without =, which may continue a list that begins above it.
Parts parts_below(std::string_view text, std::size_t number) {
    auto below = parts_of(line_of(text, number), std::nullopt);
    while (--number > 0) {
        const auto line = line_of(text, number);
        const auto facts = look_at(line);
        if (facts.last == ']') break;
        if (!facts.equals) continue;
        const auto above = parts_of(line, facts.equals);
        if (above.is_list) below.key = above.key;
        below.is_list = above.is_list;
        break;
    }
    return below;
}

std::string about_quotes(const LineFacts& facts, const Parts& parts) {
    const auto instead =
        fmt::format(told("write {} with the plain quote (U+0022) {}"), parts.pattern('"'), parts.ends());
    if (facts.typographic)
        return fmt::format(
            told("its character {} is {}, a quote as a word processor makes it, which TOML does not know: {}"),
            facts.typographic->number, facts.typographic->code(), instead);
    if (facts.closing_quote)
        return fmt::format(
            told("a text begins with {} and has {}, a quote as a word processor makes it, as character {}, "
                 "which does not close it: {}"),
            *facts.open, facts.closing_quote->code(), facts.closing_quote->number, instead);
    if (facts.escaped_quote)
        return fmt::format(
            told("a text has no closing quote, because a backslash makes the quote behind it a part of the "
                 "text: write {} with single quotes, or two backslashes for each"),
            parts.pattern('\''));
    return fmt::format(told("a text has no closing quote: write {} with {} {}, on one line"),
                       parts.pattern(*facts.open), *facts.open, parts.ends());
}

std::string about_section(std::string_view line, const SyntaxError& error) {
    if (error.description.find("redefine") != error.description.npos)
        return fmt::format(told(
            "a section of this name stands above already: put its keys below that one, or, where it begins an entry "
            "of a list, write its name in double brackets each time, as in [[terminals]]"));
    const bool is_list = line.starts_with("[[");
    return fmt::format(told("a section's name has no closing bracket, or something stands behind it: write {}"),
                       is_list ? told("[[name]]") : told("[name]"));
}

std::string about_missing_equals(std::string_view line) {
    for (const std::string_view mark : {"//", ";", "--", "/*", "<!--"})
        if (line.starts_with(mark)) return fmt::format(told("a comment begins with #: write # in front of the line"));
    if (line.ends_with(']') && line.find('[') == line.npos)
        return fmt::format(told("a section's name has no opening bracket: write [name]"));
    if (line.find(':') != line.npos)
        return fmt::format(told("there is a : and no = between key and value: write key = value"));
    return fmt::format(
        told("there is no = in it: write key = value, or [name] for a section, or # in front of a comment"));
}

std::string about_value(const Parts& parts, const SyntaxError& error) {
    const auto& key = parts.key;
    const auto value = parts.value;
    const auto lower = to_lower(value.substr(0, value.find_first_of(" \t#")));
    if (value.empty() || value.starts_with('#'))
        return fmt::format(told("{0} has no value: write it behind the =, or put # in front of the line"), key);
    if (value.starts_with('=')) return fmt::format(told("there is more than one =: write {} = value"), key);
    for (const auto* yes : {"true", "yes", "on"})
        if (lower == yes) return fmt::format(told("write {} = true"), key);
    for (const auto* no : {"false", "no", "off"})
        if (lower == no) return fmt::format(told("write {} = false"), key);
    if (error.description.find("leading zero") != error.description.npos)
        return fmt::format(told("a number begins with 0: write {} = without it, or {} where it is a text"), key,
                           parts.pattern('"'));
    if (value.starts_with('"') || value.starts_with('\''))
        return fmt::format(told("something stands behind the value of {}: a text has one pair of quotes, and a comment "
                                "begins with #"),
                           key);
    return fmt::format(told("{} of {} is neither a number nor true or false, and a text stands in quotes: write {}"),
                       parts.is_list ? told("an entry") : told("the value"), key, parts.pattern('"'));
}

}  // namespace

std::optional<std::string> doubt_about_text(std::string_view text) {
    const auto content = trim(text);
    if (content == "…" || content == "...")
        return fmt::format(told("is the example's placeholder: write the value itself"));
    const auto points = points_of(content);
    const auto is_odd = [](std::int32_t point) { return point > 0x7f && is_typographic_quote(point); };
    const auto quotes = std::ranges::count_if(points, is_odd);
    if (quotes == 0) return std::nullopt;
    // A quote at the end may belong to one inside the text, as in a store's name: Loja “Sol”.
    const bool begins = is_odd(points.front());
    if (!begins && (quotes > 1 || !is_odd(points.back()))) return std::nullopt;
    return fmt::format(
        told("{} with U+{:04X}, a quote as a word processor makes it, which counts as a part of the value: delete it, "
             "unless it belongs there"),
        begins ? told("begins") : told("ends"), begins ? points.front() : points.back());
}

std::string syntax_in_words(std::string_view text, const SyntaxError& error) {
    const auto says = [&](std::string_view words) { return error.description.find(words) != error.description.npos; };
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return fmt::format(told("the file is in UTF-16: save it as UTF-8 or plain text"));
    if (says("utf-8")) return fmt::format(told("its character {} is not UTF-8: save the file as UTF-8"), error.column);
    const auto line = line_of(text, error.line);
    const auto facts = look_at(line);
    const auto parts = facts.equals ? parts_of(line, facts.equals) : parts_below(text, error.line);
    const auto content = trim(line);
    if (facts.control)
        return fmt::format(told("it has {}, which cannot be seen, as its character {}: delete it"),
                           facts.control->code(), facts.control->number);
    if (facts.typographic || (facts.open && !says("end-of-file"))) return about_quotes(facts, parts);
    if (says("end-of-file"))
        return fmt::format(told("a text that begins here or above is never closed: write \"\"\" behind it"));
    if (facts.strange)
        return fmt::format(
            told("it has {} as its character {}, outside of a text: delete it, or put the text in quotes"),
            facts.strange->code(), facts.strange->number);
    // A value was expected where the key of the next line stands.
    const bool in_a_list = says("parsing value") && facts.equals && error.column <= *facts.equals;
    if (in_a_list || says("array: expected"))
        return fmt::format(told(
            "a list that begins here or above has no closing ], or lacks a comma between two entries: write [\"…\", "
            "\"…\"]"));
    if (says("inline table"))
        return fmt::format(told(
            "a table in braces has no closing }}, or stands on more than one line: write it as a section of its own"));
    if (facts.has_backslash && (says("escape") || says("unicode scalar")))
        return fmt::format(
            told("a backslash between double quotes begins a special character: write {} with single quotes, or two "
                 "backslashes for each"),
            parts.pattern('\''));
    if (!facts.equals && parts.is_list) return about_value(parts, error);
    if (!facts.equals && content.starts_with('[')) return about_section(content, error);
    if (!facts.equals) return about_missing_equals(content);
    if (says("redefine")) return fmt::format(told("{} stands above already: delete one of the two"), parts.key);
    if (trim(line.substr(0, *facts.equals)).empty())
        return fmt::format(told("there is no key in front of the =: write key = value"));
    if (parts.key == "key")
        return fmt::format(
            told("what stands in front of the = is no key: write key = value, the key in letters, digits, _ and -"));
    return about_value(parts, error);
}

}  // namespace gateway
