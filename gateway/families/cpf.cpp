#include "families/cpf.hpp"

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "families/plain_text.hpp"

namespace gateway {
namespace {

constexpr std::size_t cpf_length = 11;
constexpr std::string_view formatted_shape = "000.000.000-00";

// Computes the check digit of the digits before it: their sum, weighted 2, 3, … from the right, modulo 11.
char check_digit(std::string_view digits) noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < digits.size(); ++i)
        sum += static_cast<std::size_t>(digits[i] - '0') * (digits.size() + 1 - i);
    const std::size_t rest = sum % 11;
    return static_cast<char>('0' + (rest < 2 ? 0 : 11 - rest));
}

}  // namespace

std::optional<std::string> cpf_digits(std::string_view text) {
    if (text.size() == cpf_length && is_digits(text)) return std::string(text);
    if (text.size() != formatted_shape.size()) return std::nullopt;
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (formatted_shape[i] == '0')
            digits += text[i];
        else if (text[i] != formatted_shape[i])
            return std::nullopt;
    }
    return is_digits(digits) ? std::optional(digits) : std::nullopt;
}

bool has_right_check_digits(std::string_view digits) noexcept {
    if (digits.size() != cpf_length || !is_digits(digits)) return false;
    if (digits.find_first_not_of(digits.front()) == std::string_view::npos) return false;
    return digits[9] == check_digit(digits.substr(0, 9)) && digits[10] == check_digit(digits.substr(0, 10));
}

std::string formatted_cpf(std::string_view digits) {
    CHECK(digits.size() == cpf_length);
    std::string text(formatted_shape);
    for (char& c : text) {
        if (c != '0') continue;
        c = digits.front();
        digits.remove_prefix(1);
    }
    return text;
}

}  // namespace gateway
