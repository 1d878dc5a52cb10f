// Gives the sales that became final by an earlier version their movement days, the newest first, a limited number at a
// time, and remembers how far it came. The time is told by the history of each.
#pragma once

#include "base/error.hpp"
#include "journal/journal.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"
#include "sale/machine.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace gateway::dating {

// How many sales one call looks at.
constexpr std::size_t sales_at_once = 200;

// Goes on with a limited number of sales.
Job<Dated> date_some(Tx& tx, const Rules& rules);

// The movement day of a sale that an earlier version decided: a row of n, id, estabelecimento, status, updated_at,
// story, facts. Nothing where it is not final; errc::sale_unreadable where this program cannot have written the row.
Result<std::optional<Day>> day_of_old_sale(const Row& row, const Rules& rules, rows::FieldReader& fields);

// When a sale became final, by its history: the first time that its latest attempt was in a state in which the sale is.
// Nothing where the history does not tell.
std::optional<WallTime> final_time(const History& history);

}  // namespace gateway::dating
