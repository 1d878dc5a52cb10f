// Amounts, as terminals and the provider write them. Inside the gateway an amount is Cents; on the way to the provider
// it is a string of integer cents ("General rules", 5).
#pragma once

#include "sale/sale.hpp"

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// The largest amount of one sale: 999.999,99. The smallest is one cent.
constexpr Cents max_valor{99'999'999};

// Whether it can be the amount of a sale.
constexpr bool is_sellable(Cents amount) noexcept {
    return amount >= Cents{1} && amount <= max_valor;
}

// A string of digits that says 0 to max_valor. Zeros in front are allowed, as tills write amounts in a fixed width, up
// to the twelve digits that card messages have.
std::optional<Cents> cents_from_digits(std::string_view text) noexcept;

// A decimal with a comma, 0 to max_valor: "49,90", "49,9", "49", "1.049,90". A dot is only ever a thousands separator,
// and only where a comma follows, because "1.049" alone may be either.
std::optional<Cents> cents_from_decimal(std::string_view text) noexcept;

// The same with exactly two digits behind the comma, as documented of `valorProdutoParceiro` ("Health"): without the
// comma these are cents, and any other form may mean an amount a hundred times as large.
std::optional<Cents> cents_from_two_decimals(std::string_view text) noexcept;

// `valor` of a sell: a JSON integer or a string of digits, 1 to max_valor.
std::optional<Cents> sellable_from_json(const boost::json::value& value) noexcept;

// As the provider takes it: "1099".
std::string digits_of(Cents amount);

// As people read it: "R$ 1.049,90".
std::string money_text(Cents amount);
// The same in a column of amounts: "1.049,90".
std::string amount_text(Cents amount);

}  // namespace gateway
