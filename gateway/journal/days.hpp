// Gives the sales of days and of closes in pages. Each looks at a limited number of rows, because the thread that reads
// them also writes the sales. What a day costs to read grows with its own sales only.
//
// A sale that cannot be read is left out of its page, which says how many there are, and is marked for a person.
#pragma once

#include "base/calendar.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <cstddef>
#include <string_view>

namespace gateway::days {

// One page looks at so many sales: some milliseconds of work.
constexpr std::size_t rows_per_page = 500;
// One page looks at so many days without a sale.
constexpr std::size_t days_per_page = 1'000;

// Orders by day, establishment and id. `after` is as in Journal; fails with errc::malformed where no page gave it.
Job<DayPage> of_days(Tx& tx, const DayFilter& filter, std::string_view after);
// Orders by id.
Job<DayPage> of_close(Tx& tx, const CloseKey& key, std::string_view after);

}  // namespace gateway::days
