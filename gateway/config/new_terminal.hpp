// Makes a new terminal: its key, and its lines for the configuration file.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Tells whether the text can be a terminal's name: 1 to 64 letters, digits, dots, hyphens and underscores.
bool is_terminal_id(std::string_view id) noexcept;

struct NewTerminal {
    Secret key;         // for the terminal; it is kept nowhere else
    std::string lines;  // "[[terminals]]" and the lines below it
};

// `id` must be a terminal's name.
NewTerminal make_terminal(std::string_view id, Random& random);

}  // namespace gateway
