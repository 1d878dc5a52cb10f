// The movement day of a sale: the one that it belongs to in the books. It is told once, when the status becomes final,
// and never changes. Sales that became final by a version that told none are given theirs from their history.
#pragma once

#include "sale/machine.hpp"
#include "sale/sale.hpp"

namespace gateway {

// The date in the rules' zone of `final_at`, when the status became final by our clock; or, where the rules say so, of
// the time that the provider gave the request, if it gave one that can be read.
Day movement_day(const Rules& rules, const TransactionDetails& details, WallTime final_at);

// Whether a sale is final whose latest attempt is in this state.
bool is_final_in(AttemptState state) noexcept;

}  // namespace gateway
