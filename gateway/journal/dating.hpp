// Gives the sales that became final by an earlier version their movement days, the newest first, a limited number at a
// time, and remembers how far it came. The history of each sale tells the time.
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

// One call looks at so many sales.
constexpr std::size_t sales_at_once = 200;

// Goes on with a limited number of sales.
Job<Dated> date_some(Tx& tx, const Rules& rules);

// Returns the movement day of a sale that an earlier version decided, from a row of n, id, estabelecimento, status,
// updated_at, story, facts; nothing where the sale is not final. Fails with errc::sale_unreadable where this program
// cannot have written the row.
Result<std::optional<Day>> day_of_old_sale(const Row& row, const Rules& rules, rows::FieldReader& fields);

// Finds in its history when a sale became final: the first time that its latest attempt was in a state in which the
// sale is final. Returns nothing where the history does not tell.
std::optional<WallTime> final_time(const History& history);

}  // namespace gateway::dating
