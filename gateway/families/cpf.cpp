#include "families/cpf.hpp"

#include "base/ascii.hpp"
#include "families/tax_number.hpp"

namespace gateway {
namespace {

constexpr std::size_t cpf_length = 11;
constexpr std::string_view cpf_shape = "000.000.000-00";
// A CPF is too short for its weights to begin again.
constexpr std::size_t heaviest_of_cpf = 11;

}  // namespace

std::optional<std::string> cpf_digits(std::string_view text) {
    auto digits = without_punctuation(text, cpf_shape);
    return digits && is_digits(*digits) ? std::move(digits) : std::nullopt;
}

bool has_right_check_digits(std::string_view digits) noexcept {
    return digits.size() == cpf_length && is_digits(digits) && ends_with_check_digits(digits, heaviest_of_cpf);
}

std::string formatted_cpf(std::string_view digits) {
    return punctuated(digits, cpf_shape);
}

}  // namespace gateway
