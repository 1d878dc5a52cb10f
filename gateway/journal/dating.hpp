// Gives the sales that became final by an earlier version their movement days, the newest first, a limited number at a
// time, and remembers how far it came. The time is told by the history of each. Called on the journal's thread, within
// its transaction.
#pragma once

#include "base/error.hpp"
#include "journal/closes_table.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/rows.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/unreadable_sales.hpp"
#include "sale/machine.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gateway {

class Dating {
  public:
    // How many sales one call looks at.
    static constexpr std::size_t sales_at_once = 200;

    // Every reference must outlive it.
    Dating(sqlite::Database& database, FieldCipher& cipher, ClosesTable& closes, UnreadableSales& unreadable);

    // Goes on with a limited number of sales.
    Result<Dated> some(const Rules& rules);

  private:
    struct Found;

    Result<std::int64_t> done_down_to();
    Result<void> date(const Found& sale);

    FieldCipher& cipher_;
    ClosesTable& closes_;
    UnreadableSales& unreadable_;
    sqlite::Statement done_down_to_, newest_, next_, set_day_, set_done_;
};

// The movement day of a sale that an earlier version decided: a row of n, id, estabelecimento, status, updated_at,
// story, facts. Nothing where it is not final; errc::sale_unreadable where this program cannot have written the row.
Result<std::optional<Day>> day_of_old_sale(const Row& row, const Rules& rules, rows::FieldReader& fields);

// When a sale became final, by its history: the first time that its latest attempt was in a state in which the sale is.
// Nothing where the history does not tell.
std::optional<WallTime> final_time(std::string_view history);

}  // namespace gateway
