// Tells the movement day of a sale: the day that it belongs to in the books. The day is fixed when the status becomes
// final, and never changes. Sales that became final under a version without movement days get theirs from their
// history.
#pragma once

#include "sale/machine.hpp"
#include "sale/sale.hpp"

namespace gateway {

// Returns the date, in the rules' zone, of `final_at`, the moment by our clock when the status became final. If the
// rules say so, it is the date of the time that the provider gave to the request, if that time can be read and is
// plausible.
Day movement_day(const Rules& rules, const TransactionDetails& details, WallTime final_at);

// Tells whether a sale is final if its latest attempt is in this state.
bool is_final_in(AttemptState state) noexcept;

}  // namespace gateway
