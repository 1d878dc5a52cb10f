// Lists the sales of days and of closes in pages. Each page looks at a limited number of rows, because the thread that
// reads them also writes the sales. The cost of reading a day grows only with that day's own sales.
//
// A sale that cannot be read is left out of its page and marked for a person. The page says how many there are.
#pragma once

#include "base/calendar.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <cstddef>
#include <string_view>

namespace gateway::days {

// One page looks at this many sales, which is some milliseconds of work.
constexpr std::size_t rows_per_page = 500;
// One page looks at this many days without a sale.
constexpr std::size_t days_per_page = 1'000;

// Lists sales in the order of day, establishment and id. Journal::sales_of_days() says what `after` is. Fails with
// errc::malformed where `after` does not come from an earlier page.
Job<DayPage> of_days(Tx& tx, const DayFilter& filter, std::string_view after);
// Lists sales in the order of their ids.
Job<DayPage> of_close(Tx& tx, const CloseKey& key, std::string_view after);

}  // namespace gateway::days
