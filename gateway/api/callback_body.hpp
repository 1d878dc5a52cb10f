// A callback's body ("Callback body").
#pragma once

#include "sale/machine.hpp"

#include <optional>
#include <string_view>

namespace gateway {

// What the body says; nothing where it is not JSON or a required field is missing or has no possible value. Fields that
// the provider adds are none of our business.
std::optional<CalledBack> read_callback(std::string_view body);

}  // namespace gateway
