// Amounts as a statement writes them. Whole cents come out, or what is wrong: there is no rounding and no tolerance.
#pragma once

#include "reconcile/statement_format.hpp"
#include "sale/sale.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace gateway {

// More digits than the turnover of any network on one day has; sums of that many digits fit by far. Zeros in front,
// which fill a fixed width, do not count.
constexpr std::size_t max_statement_digits = 14;

// Fewer decimals than two are an amount of another unit in a row, and a way to write a total in a header.
enum class Decimals { two, up_to_two };

// The amount, without a sign; or what is wrong with it, to follow the text in quotes: "has three decimals". Thousands
// may be set apart in threes, by the one of comma and point that does not part the decimals.
boost::system::result<Cents, std::string> statement_amount(std::string_view text, AmountUnit unit, Decimals decimals);

// The unit in which the text says exactly this amount; nothing where there is none. Of several, as there are for 0, the
// first.
std::optional<AmountUnit> unit_by_agreement(std::string_view text, Cents amount);

}  // namespace gateway
