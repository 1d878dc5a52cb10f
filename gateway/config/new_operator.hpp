// A person who may sign in at the console: the lines for the configuration file.
#pragma once

#include "base/random.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// What is wrong with a password; nothing where it will do. Length is what makes guessing hopeless.
std::optional<std::string_view> password_trouble(const Secret& password) noexcept;

// "[[operators]]" and what stands below it. `name` must be a name, `role` look or settle. Takes a tenth of a second.
std::string operator_lines(std::string_view name, std::string_view role, const Secret& password, Random& random);

}  // namespace gateway
