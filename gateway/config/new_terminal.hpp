// A terminal that did not exist before: its key, and its lines for the configuration file.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"

#include <string>
#include <string_view>

namespace gateway {

// Whether it can be a terminal's name: 1 to 64 letters, digits, dots, - and _.
bool is_terminal_id(std::string_view id) noexcept;

struct NewTerminal {
    Secret key;         // for the terminal, and kept nowhere else
    std::string lines;  // "[[terminals]]" and what stands below it
};

// `id` must be one.
NewTerminal make_terminal(std::string_view id, Random& random);

}  // namespace gateway
