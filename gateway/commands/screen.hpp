// The terminal that a command runs at, and who sits before it.
#pragma once

#include "base/language.hpp"
#include "base/secret.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace gateway {

// Where a command's answer goes.
struct Screen {
    std::size_t columns = 10'000;  // no line of the gateway's is longer, and no terminal wider
    bool colours = false;
};

// Standard output: COLUMNS or what the terminal says; colours on a terminal, unless NO_COLOR is set.
Screen screen_of_standard_output();
// Whether a person sits at standard input who can be asked.
bool can_be_asked();
// Who runs this: who called sudo, else the login name; empty where the system does not know.
std::string operator_name();

// Portuguese where LC_ALL, LC_MESSAGES or LANG says so, the first of them that says anything; English otherwise.
Language language_of_environment();

// Asks the person at the terminal, who sees nothing of what is typed; where there is none, it is the next line of
// standard input. Nothing where there is none of these.
std::optional<Secret> ask_password(const std::string& question);

}  // namespace gateway
