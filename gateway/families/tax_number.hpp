// The Brazilian tax numbers, CPF and CNPJ, are punctuated and checked by one rule. A shape shows how a number is
// punctuated, with a 0 for each of its characters: "000.000.000-00".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Returns the characters that stand where the shape has a 0; nothing for a text of another shape. A text without any
// punctuation, which has as many characters as the shape has zeros, is returned as it is.
std::optional<std::string> without_punctuation(std::string_view text, std::string_view shape);

// Returns the characters in the shape, which has as many zeros.
std::string punctuated(std::string_view characters, std::string_view shape);

// Tells whether the last two of some digits and capital letters are the check digits of those before them. Each counts
// as its ASCII code less 48; their sum, weighted 2, 3, … from the right, is taken modulo 11. After the heaviest weight
// the weights begin again at 2. Equal characters pass the arithmetic, but belong to nobody.
bool ends_with_check_digits(std::string_view characters, std::size_t heaviest) noexcept;

}  // namespace gateway
