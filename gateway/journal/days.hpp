// The sales of days and of closes, in pages: each looks at a limited number of rows, because the thread that reads them
// also writes the sales. What a day costs to read is what the day has.
//
// A sale that cannot be read is left out of its page, which says how many there are. It is marked for a person.
#pragma once

#include "base/calendar.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <cstddef>
#include <string_view>

namespace gateway::days {

// How many sales one page looks at: some milliseconds of work.
constexpr std::size_t rows_per_page = 500;
// How many days without a sale one page looks at.
constexpr std::size_t days_per_page = 1'000;

// By day, then by establishment, then by id. `after` as in Journal; errc::malformed where it is none of a page's.
Job<DayPage> of_days(Tx& tx, const DayFilter& filter, std::string_view after);
// By id.
Job<DayPage> of_close(Tx& tx, const CloseKey& key, std::string_view after);

}  // namespace gateway::days
