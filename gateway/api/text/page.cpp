#include "api/text/page.hpp"

#include "base/calendar.hpp"
#include "base/in_words.hpp"
#include "base/json_members.hpp"
#include "base/utf8.hpp"
#include "base/wall_time.hpp"
#include "families/money.hpp"
#include "paper/columns.hpp"
#include "reconcile/csv_line.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace gateway::text {
namespace {

// Longer lines of prose are hard to read, however wide the terminal is.
constexpr std::size_t widest_prose = 100;

constexpr std::string_view nothing = "-";

// A terminal could obey these characters, they have no meaning here, or they end a line.
constexpr std::array hidden{UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CF, UTF8PROC_CATEGORY_CN, UTF8PROC_CATEGORY_CO,
                            UTF8PROC_CATEGORY_CS, UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP};

bool is_shown(utf8proc_int32_t point) {
    return std::ranges::find(hidden, utf8proc_category(point)) == hidden.end();
}

std::string in_style(bool colours, std::string_view code, std::string_view text) {
    return colours ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace

std::string Page::bold(std::string_view text) const {
    return in_style(colours, "1", text);
}
std::string Page::faint(std::string_view text) const {
    return in_style(colours, "2", text);
}
std::string Page::alarming(std::string_view text) const {
    return in_style(colours, "1;33", text);
}

std::string Page::paragraph(std::string_view title, std::string_view text, std::size_t indent) const {
    const auto head = "  " + faint(padded(std::string(title), indent - 2));
    return hanging(head, indent, text, std::min(columns, widest_prose));
}

std::string Page::time(WallTime at) const {
    return is_english() ? to_local_text(at) : to_local_receipt(at);
}

std::string Page::time(const boost::json::object& object, std::string_view name) const {
    if (const auto at = time_in(object, name)) return time(*at);
    const auto text = text_in(object, name);
    return text.empty() ? std::string(nothing) : printable(text);
}

std::string Page::time_beside(const boost::json::object& object, std::string_view name, std::string_view other) const {
    const auto text = time(object, name);
    constexpr std::size_t date = std::string_view("0000-00-00 ").size();
    const bool same_day = text.size() > date && other.substr(0, date) == std::string_view(text).substr(0, date);
    return same_day ? text.substr(date) : text;
}

std::string Page::day(std::string_view text) const {
    const auto day = parse_day(text);
    return day ? day_text(*day, words.language()) : printable(text);
}

std::string Page::length(Duration length) const {
    const auto seconds = std::max<std::int64_t>(length.count() / 1000, 0);
    constexpr std::int64_t minute = 60;
    constexpr std::int64_t hour = 60 * minute;
    constexpr std::int64_t one_day = 24 * hour;
    if (seconds >= one_day)
        return say("text.length_days", {{"count", seconds / one_day}, {"hours", seconds % one_day / hour}});
    if (seconds >= hour) return fmt::format("{} h {} min", seconds / hour, seconds % hour / minute);
    return seconds >= minute ? fmt::format("{} min", seconds / minute) : fmt::format("{} s", seconds);
}

std::string Page::bytes(std::int64_t bytes) const {
    auto text = bytes_in_words(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
    if (!is_english()) std::ranges::replace(text, '.', ',');
    return text;
}

std::string Page::cause(std::string_view detail) const {
    if (is_english()) return printable(detail);
    for (const std::string_view begins : {"the answer was lost: ", "nothing was sent: "})
        if (detail.starts_with(begins)) detail.remove_prefix(begins.size());
    if (constexpr std::string_view answers = "it answers "; detail.starts_with(answers)) {
        detail.remove_prefix(answers.size());
        return say("text.answers", {{"status", printable(detail.substr(0, detail.find_first_of(",: ")))}});
    }
    const auto has_words = [&](std::string_view text) { return words.has(fmt::format("detail.{}", text)); };
    // The word files have no words for what stands behind a colon.
    const auto head = detail.substr(0, detail.find(": "));
    return printable(words.word("detail", !has_words(detail) && has_words(head) ? head : detail));
}

std::string Page::mark(std::string_view code) const {
    return is_english() ? printable(code) : printable(words.word("mark", code));
}

std::string amount_of(const boost::json::object& object) {
    const auto valor = number_in(object, "valor");
    return valor ? money_text(Cents{*valor}) : std::string(nothing);
}

std::string printable(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const auto [point, bytes] = first_code_point(text);
        if (point >= 0 && is_shown(point))
            shown += text.substr(0, bytes);
        else
            shown += '?';
        text.remove_prefix(bytes);
    }
    return shown;
}

std::string cut_to(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
    std::string cut(text.substr(0, fitting_length(text, std::max<std::size_t>(columns, 2) - 1)));
    while (cut.ends_with(' '))
        cut.pop_back();
    return cut + "…";
}

std::string padded(std::string text, std::size_t columns) {
    const auto taken = columns_of(text);
    return text.append(columns - std::min(taken, columns), ' ');
}

std::string padded_left(std::string text, std::size_t columns) {
    const auto taken = columns_of(text);
    return text.insert(0, columns - std::min(taken, columns), ' ');
}

std::string hanging(std::string_view head, std::size_t head_columns, std::string_view text, std::size_t columns) {
    std::string lines(head);
    std::size_t column = head_columns;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const auto width = columns_of(word);
        if (column > head_columns && column + 1 + width > columns) {
            lines += '\n' + std::string(head_columns, ' ');
            column = head_columns;
        } else if (column > head_columns) {
            lines += ' ';
            ++column;
        }
        lines += word;
        column += width;
    }
    return lines + '\n';
}

}  // namespace gateway::text
