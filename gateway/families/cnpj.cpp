#include "families/cnpj.hpp"

#include "base/ascii.hpp"
#include "families/tax_number.hpp"

#include <algorithm>

namespace gateway {
namespace {

constexpr std::string_view cnpj_shape = "00.000.000/0000-00";
constexpr std::size_t heaviest_of_cnpj = 9;

constexpr bool is_digit_or_capital(char c) noexcept {
    return is_digit(c) || is_upper(c);
}

}  // namespace

std::optional<std::string> formatted_cnpj(std::string_view text) {
    auto characters = without_punctuation(text, cnpj_shape);
    if (!characters) return std::nullopt;
    for (char& c : *characters)
        c = to_upper(c);
    if (!std::ranges::all_of(*characters, is_digit_or_capital)) return std::nullopt;
    if (!ends_with_check_digits(*characters, heaviest_of_cnpj)) return std::nullopt;
    return punctuated(*characters, cnpj_shape);
}

}  // namespace gateway
