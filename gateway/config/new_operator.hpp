// Makes the lines of the configuration file for a person who may sign in at the console.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Says what is wrong with a password; nothing where it will do. Only its length is checked, because length makes
// guessing hopeless.
std::optional<std::string_view> password_trouble(const Secret& password) noexcept;

// Returns "[[operators]]" and the lines below it. `name` must be a valid name, `role` look or settle. Takes a tenth of
// a second.
std::string operator_lines(std::string_view name, std::string_view role, const Secret& password, Random& random);

}  // namespace gateway
