// Reads amounts as a statement writes them. The result is whole cents or an error: there is no rounding and no
// tolerance.
#pragma once

#include "reconcile/statement_format.hpp"
#include "sale/sale.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace gateway {

// No network turns over an amount with more digits on one day, and sums of so many digits fit by far. Leading zeros,
// which fill a fixed width, do not count.
constexpr std::size_t max_statement_digits = 14;

// In a row, an amount with fewer than two decimals is in another unit. In a header, a total may be written in that way.
enum class Decimals { two, up_to_two };

// Reads an amount without a sign. The error is to follow the text in quotes: "has three decimals". Groups of three
// digits may be separated by a point if the decimals follow a comma, and by a comma if they follow a point.
boost::system::result<Cents, std::string> statement_amount(std::string_view text, AmountUnit unit, Decimals decimals);

// Returns the unit in which the text says exactly this amount, and nothing if there is none. If there are several, as
// there are for 0, it is the first one.
std::optional<AmountUnit> unit_by_agreement(std::string_view text, Cents amount);

}  // namespace gateway
