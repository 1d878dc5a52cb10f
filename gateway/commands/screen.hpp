// Knows the terminal at which a command runs, and the person who sits before it.
#pragma once

#include "base/language.hpp"
#include "base/secret.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace gateway {

// Says where a command's answer goes.
struct Screen {
    std::size_t columns = 10'000;  // no line of the gateway's is longer, and no terminal wider
    bool colours = false;
};

// Returns what standard output is: as wide as COLUMNS or the terminal says, with colours on a terminal unless NO_COLOR
// is set.
Screen screen_of_standard_output();
// Tells whether a person sits at standard input who can be asked.
bool can_be_asked();
// Returns the name of the person who runs this: of the one who called sudo, else the login name; empty where the system
// does not know.
std::string operator_name();

// Returns Portuguese where LC_ALL, LC_MESSAGES or LANG says so; the first of them that says anything counts, and
// LANGUAGE before it, unless it says C or POSIX. Otherwise returns English.
Language language_of_environment();

// Asks the person at the terminal, who sees nothing of what is typed. Without a terminal it reads the next line of
// standard input. Returns nothing where there is neither.
std::optional<Secret> ask_password(const std::string& question);

}  // namespace gateway
