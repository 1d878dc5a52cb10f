// A CPF is the Brazilian tax number of a person. It has nine digits and two check digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns the eleven digits of "000.000.000-00" or "00000000000", and nothing for any other text.
std::optional<std::string> cpf_digits(std::string_view text);

// Tells whether the check digits of eleven digits are right. Eleven equal digits pass the arithmetic, but belong to
// nobody.
bool has_right_check_digits(std::string_view digits) noexcept;

// Returns eleven digits as "000.000.000-00".
std::string formatted_cpf(std::string_view digits);

}  // namespace gateway
