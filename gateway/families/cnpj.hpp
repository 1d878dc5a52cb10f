// A CNPJ is the Brazilian tax number of a store. It has twelve characters, digits or (from July 2026) also capital
// letters, and two check digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns the number as "12.345.678/0001-95", and nothing for a text that is no CNPJ, or has wrong check digits. It may
// be given with or without this punctuation, and with small letters.
std::optional<std::string> formatted_cnpj(std::string_view text);

}  // namespace gateway
