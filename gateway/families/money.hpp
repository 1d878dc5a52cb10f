// Reads and writes amounts in the forms that terminals and the provider use. Inside the gateway an amount is Cents; on
// the way to the provider it is a string of integer cents ("General rules", 5).
#pragma once

#include "sale/sale.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// The largest amount of one sale is 999.999,99. The smallest is one cent.
constexpr Cents max_valor{99'999'999};

// Tells whether the amount can be the amount of a sale.
constexpr bool is_sellable(Cents amount) noexcept {
    return amount >= Cents{1} && amount <= max_valor;
}

// Reads a string of digits that says 0 to max_valor cents. Leading zeros are allowed, up to the twelve digits of card
// messages, because tills write amounts with a fixed width.
std::optional<Cents> cents_from_digits(std::string_view text) noexcept;

// Reads a decimal with a comma, 0 to max_valor: "49,90", "49,9", "49", "1.049,90". A dot is always a thousands
// separator, and is allowed only where a comma follows, because "1.049" alone could mean either.
std::optional<Cents> cents_from_decimal(std::string_view text) noexcept;

// Does the same, but requires exactly two digits after the comma, as the document says of `valorProdutoParceiro`
// ("Health"). Without the comma the digits would be cents, and any other form could mean an amount a hundred times as
// large.
std::optional<Cents> cents_from_two_decimals(std::string_view text) noexcept;

// Reads `valor` of a sell: a JSON integer or a string of digits, 1 to max_valor.
std::optional<Cents> sellable_from_json(const boost::json::value& value) noexcept;

// Returns the amount as the provider takes it: "1099".
std::string digits_of(Cents amount);

// Returns the amount as people read it: "R$ 1.049,90".
std::string money_text(Cents amount);
// Returns the amount for a column of amounts: "1.049,90".
std::string amount_text(Cents amount);

}  // namespace gateway
