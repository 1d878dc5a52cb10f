// The Brazilian tax number of a person: nine digits and two check digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// The eleven digits of "000.000.000-00" or "00000000000"; nothing of any other text.
std::optional<std::string> cpf_digits(std::string_view text);

// Whether the check digits of eleven digits are right. Eleven equal digits satisfy the arithmetic and belong to nobody.
bool has_right_check_digits(std::string_view digits) noexcept;

// "000.000.000-00" of eleven digits.
std::string formatted_cpf(std::string_view digits);

}  // namespace gateway
