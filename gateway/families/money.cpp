#include "families/money.hpp"

#include "base/in_words.hpp"
#include "families/plain_text.hpp"

#include <boost/json.hpp>

namespace gateway {
namespace {

constexpr std::size_t max_amount_digits = 12;

std::optional<std::int64_t> number(std::string_view digits) noexcept {
    return number_from_digits(digits, max_amount_digits);
}

std::optional<Cents> within_limits(std::int64_t cents) noexcept {
    return cents >= 0 && cents <= max_valor.value ? std::optional(Cents{cents}) : std::nullopt;
}

// Reads whole units: plain digits, or groups of three after the first one ("1.049").
std::optional<std::int64_t> units(std::string_view text) noexcept {
    const auto first_dot = text.find('.');
    if (first_dot == std::string_view::npos) return number(text);
    if (first_dot > 3 || text.size() > max_amount_digits) return std::nullopt;
    auto value = number(text.substr(0, first_dot));
    for (text.remove_prefix(std::min(first_dot, text.size())); value && !text.empty(); text.remove_prefix(4)) {
        if (text.size() < 4 || text.front() != '.') return std::nullopt;
        const auto group = number(text.substr(1, 3));
        value = group ? std::optional(*value * 1000 + *group) : std::nullopt;
    }
    return value;
}

}  // namespace

std::optional<Cents> cents_from_digits(std::string_view text) noexcept {
    const auto value = number(text);
    return value ? within_limits(*value) : std::nullopt;
}

std::optional<Cents> cents_from_decimal(std::string_view text) noexcept {
    const auto comma = text.find(',');
    if (comma == std::string_view::npos) {
        const auto whole = number(text);
        return whole ? within_limits(*whole * 100) : std::nullopt;
    }
    const auto whole = units(text.substr(0, comma));
    const auto decimals = text.substr(comma + 1);
    const auto part = decimals.size() <= 2 ? number(decimals) : std::nullopt;
    if (!whole || !part) return std::nullopt;
    return within_limits(*whole * 100 + (decimals.size() == 1 ? *part * 10 : *part));
}

std::optional<Cents> cents_from_two_decimals(std::string_view text) noexcept {
    const bool has_two = text.size() > 3 && text[text.size() - 3] == ',';
    return has_two ? cents_from_decimal(text) : std::nullopt;
}

std::optional<Cents> sellable_from_json(const boost::json::value& value) noexcept {
    std::optional<Cents> amount;
    if (const auto* text = value.if_string()) amount = cents_from_digits({text->data(), text->size()});
    if (const auto* integer = value.if_int64()) amount = Cents{*integer};
    return amount && is_sellable(*amount) ? amount : std::nullopt;
}

std::string digits_of(Cents amount) {
    return std::to_string(amount.value);
}

std::string money_text(Cents amount) {
    return money_in_words(amount.value);
}

std::string amount_text(Cents amount) {
    auto text = money_text(amount);
    return text.erase(0, text.find(' ') + 1);
}

}  // namespace gateway
