#include "families/tax_number.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway {
namespace {

char check_digit(std::string_view before, std::size_t heaviest) noexcept {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto from_the_right = before.size() - 1 - i;
        sum += static_cast<std::size_t>(before[i] - '0') * (2 + from_the_right % (heaviest - 1));
    }
    const std::size_t rest = sum % 11;
    return static_cast<char>('0' + (rest < 2 ? 0 : 11 - rest));
}

std::size_t places_of(std::string_view shape) noexcept {
    return static_cast<std::size_t>(std::ranges::count(shape, '0'));
}

}  // namespace

std::optional<std::string> without_punctuation(std::string_view text, std::string_view shape) {
    if (text.size() == places_of(shape)) return std::string(text);
    if (text.size() != shape.size()) return std::nullopt;
    std::string characters;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (shape[i] == '0')
            characters += text[i];
        else if (text[i] != shape[i])
            return std::nullopt;
    }
    return characters;
}

std::string punctuated(std::string_view characters, std::string_view shape) {
    CHECK(characters.size() == places_of(shape));
    std::string text(shape);
    for (char& c : text) {
        if (c != '0') continue;
        c = characters.front();
        characters.remove_prefix(1);
    }
    return text;
}

bool ends_with_check_digits(std::string_view characters, std::size_t heaviest) noexcept {
    if (characters.size() < 3) return false;
    const auto first = characters.size() - 2;
    return characters.find_first_not_of(characters.front()) != std::string_view::npos &&
           characters[first] == check_digit(characters.substr(0, first), heaviest) &&
           characters[first + 1] == check_digit(characters.substr(0, first + 1), heaviest);
}

}  // namespace gateway
