// Keeps the closes, one row each, numbered within their establishment. A close is made in two steps: begin() makes the
// row, which fixes the sales that are in the close; finish() writes their totals.
//
// A row that this program cannot have written is left out and counted. Its day counts as closed all the same.
#pragma once

#include "base/calendar.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::closes {

// Returns the name of the lock for the days of an establishment. A job that closes a day, or that gives a sale its
// movement day, takes this lock first.
std::string days_of(std::string_view estabelecimento);

// Returns the day's close, and makes it where there is none yet. Fails with errc::close_unreadable where its row cannot
// be read.
Job<Close> begin(Tx& tx, const CloseKey& key, WallTime at, std::string_view by);
// Writes the totals and the digest, unless they are there. Fails with errc::not_found where there is no such close.
Job<void> finish(Tx& tx, const Close& close);
// Lists the closes that the filter selects, the newest day first.
Job<std::vector<Close>> list(Tx& tx, const CloseFilter& filter);
// Does what Journal::forgotten_days() says.
Job<std::vector<Day>> forgotten_days(Tx& tx, std::string_view estabelecimento, Day from, Day to);

// Returns nothing where `day` is not closed. Otherwise the sale that gets this movement day now is late, and the result
// is the first later day that is not closed.
Job<std::optional<Day>> late_day(Tx& tx, std::string_view estabelecimento, Day day);

}  // namespace gateway::closes
