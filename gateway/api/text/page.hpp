// A page is what a person is shown at a terminal: it knows the language and how wide a line may be, and makes text fit
// for both. Whatever came from elsewhere (a product's name, a note, the provider's words) passes printable(), because a
// terminal obeys control characters.
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

    // Returns the text as it is, or with more weight where there are colours.
    std::string bold(std::string_view text) const;
    std::string faint(std::string_view text) const;
    std::string alarming(std::string_view text) const;

    // Returns prose beside its title, as in "  known         The eSIM is …", in lines of at most 100 columns.
    std::string paragraph(std::string_view title, std::string_view text, std::size_t indent = 16) const;

    // Returns "2026-11-22 17:05:03", in Portuguese "22/11/2026 17:05:03", in the store's time.
    std::string time(WallTime at) const;
    // Returns the time that a member says; the text itself where it is no time, and a dash where it is empty.
    std::string time(const boost::json::object& object, std::string_view name) const;
    // Does the same, but leaves the date out where it is that of `other`.
    std::string time_beside(const boost::json::object& object, std::string_view name, std::string_view other) const;
    // Returns "2026-11-22", in Portuguese "22/11/2026"; the text itself where it is no day.
    std::string day(std::string_view text) const;
    // Returns, for example, "3 days 4 h", "5 h 12 min", "12 min" or "40 s".
    std::string length(Duration length) const;
    // Returns, for example, "9.0 MB", in Portuguese "9,0 MB".
    std::string bytes(std::int64_t bytes) const;

    // Says why something at the provider failed. The gateway writes that in English; a Portuguese page has its own
    // words where there are any.
    std::string cause(std::string_view detail) const;
    // Names the mark of a sale: by its code in English, in a sentence in Portuguese.
    std::string mark(std::string_view code) const;
};

// Returns the amount in the member "valor", as "R$ 49,90"; a dash where there is none.
std::string amount_of(const boost::json::object& object);

// Returns the text on one line, with a ? for each character that cannot be looked at, because it controls the terminal,
// changes the direction, has no width or has no meaning.
std::string printable(std::string_view text);

// Returns the text in at most so many columns, with … where some of it is left out.
std::string cut_to(std::string_view text, std::size_t columns);
// Returns the text with spaces behind it (or before it) up to so many columns.
std::string padded(std::string text, std::size_t columns);
std::string padded_left(std::string text, std::size_t columns);

// Returns a first line that begins with `head`, which is `head_columns` wide, and below it what does not fit beside
// that, with as much space before it. A word that is longer than a line is not broken.
std::string hanging(std::string_view head, std::size_t head_columns, std::string_view text, std::size_t columns);

}  // namespace gateway::text
