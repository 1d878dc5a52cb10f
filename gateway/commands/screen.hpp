// Where a command's answer goes, and text made fit for it. Whatever came from elsewhere (a product's name, a note, the
// provider's words) passes printable(): a terminal obeys control characters.
#pragma once

#include "base/language.hpp"
#include "base/secret.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

struct Screen {
    std::size_t columns = std::numeric_limits<std::size_t>::max();  // no limit where it is no terminal
    bool colours = false;

    // The text as it is, or with more weight where there are colours.
    std::string bold(std::string_view text) const;
    std::string faint(std::string_view text) const;
    std::string alarming(std::string_view text) const;
};

// Standard output: COLUMNS or what the terminal says; colours on a terminal, unless NO_COLOR is set.
Screen screen_of_standard_output();
// Whether a person sits at standard input who can be asked.
bool can_be_asked();
// Who runs this: who called sudo, else the login name; empty where the system does not know.
std::string operator_name();

// Portuguese where LC_ALL, LC_MESSAGES or LANG says so, the first of them that says anything; English otherwise.
Language language_of_environment();

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
// "  known         The eSIM is …": prose beside its title, in so many columns with the space around it.
constexpr std::size_t title_columns = 16;
std::string paragraph(const Screen& screen, std::string_view title, std::string_view text,
                      std::size_t columns = title_columns);

// Asks the person at the terminal, who sees nothing of what is typed; where there is none, it is the next line of
// standard input. Nothing where there is none of these.
std::optional<Secret> ask_password(const std::string& question);

}  // namespace gateway
