// What a person is shown at a terminal: the language, how wide a line may be, and text made fit for it. Whatever came
// from elsewhere (a product's name, a note, the provider's words) passes printable(): a terminal obeys control
// characters.
#pragma once

#include "base/clock.hpp"
#include "words/words.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gateway::text {

struct Page {
    const Words& words;
    WallTime now;
    std::size_t columns = 80;
    bool colours = false;

    bool is_english() const noexcept { return words.language() == Language::english; }
    std::string say(std::string_view key, std::initializer_list<Words::Value> values = {}) const {
        return words.say(key, values);
    }

    // The text as it is, or with more weight where there are colours.
    std::string bold(std::string_view text) const;
    std::string faint(std::string_view text) const;
    std::string alarming(std::string_view text) const;

    // "  known         The eSIM is …": prose beside its title, in lines that have no more than 100 columns.
    std::string paragraph(std::string_view title, std::string_view text, std::size_t indent = 16) const;

    // "2026-11-22 17:05:03", in Portuguese "22/11/2026 17:05:03": the store's time.
    std::string time(WallTime at) const;
    // The time that a member says. Returns the text itself where it is no time, and a dash where it is empty.
    std::string time(const boost::json::object& object, std::string_view name) const;
    // The same without the date where that is the one of `other`.
    std::string time_beside(const boost::json::object& object, std::string_view name, std::string_view other) const;
    // "2026-11-22", in Portuguese "22/11/2026". Returns the text itself where it is no day.
    std::string day(std::string_view text) const;
    // "3 days 4 h", "5 h 12 min", "12 min", "40 s".
    std::string length(Duration length) const;
    // "9.0 MB", in Portuguese "9,0 MB".
    std::string bytes(std::int64_t bytes) const;

    // Says why something at the provider failed. The gateway writes that in English; where there are words for it, a
    // Portuguese page has these.
    std::string cause(std::string_view detail) const;
    // The mark of a sale: its code in English, a sentence in Portuguese.
    std::string mark(std::string_view code) const;
};

// "R$ 49,90", of the member "valor"; a dash where there is none.
std::string amount_of(const boost::json::object& object);

// The text on one line, with a ? in the place of every character that is no character to look at: of control, of
// direction, without a width, or of no meaning.
std::string printable(std::string_view text);

// The text in at most so many columns, with … where some of it is left out.
std::string cut_to(std::string_view text, std::size_t columns);
// With spaces behind it (or before it) up to so many columns.
std::string padded(std::string text, std::size_t columns);
std::string padded_left(std::string text, std::size_t columns);

// A first line that begins with `head`, which is so many columns wide, and below it what does not fit beside that, with
// as much space before it. A word that is longer than a line is not broken.
std::string hanging(std::string_view head, std::size_t head_columns, std::string_view text, std::size_t columns);

}  // namespace gateway::text
