// Gives their movement days to the sales that became final under an earlier version, the newest first. Each call takes
// a limited number of sales, and remembers how far it came. A sale's history tells when it became final.
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

// One call looks at this many sales.
constexpr std::size_t sales_at_once = 200;

// Goes on from where the last call ended, with a limited number of sales.
Job<Dated> date_some(Tx& tx, const Rules& rules);

// Returns the movement day of a sale that an earlier version brought to its end, from a row of n, id, estabelecimento,
// status, updated_at, story, facts. Returns nothing where the sale is not final. Fails with errc::sale_unreadable where
// this program cannot have written the row.
Result<std::optional<Day>> day_of_old_sale(const Row& row, const Rules& rules, rows::FieldReader& fields);

// Finds in a sale's history when the sale became final: at the first entry at which its latest attempt was in a final
// state. Returns nothing where the history does not tell.
std::optional<WallTime> final_time(const History& history);

}  // namespace gateway::dating
