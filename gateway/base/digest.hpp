// SHA-256, as 64 lower-case hex digits.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

std::string sha256_hex(std::string_view data);
// Compares in a time that does not depend on where the two differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

}  // namespace gateway
