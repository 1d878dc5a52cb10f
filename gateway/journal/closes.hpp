// The closes have one row each, numbered within their establishment. A close is made in two steps: begin() fixes, by
// the row, what is in the close; finish() writes what that came to.
//
// A row that this program cannot have written is left out and counted. Its day is closed all the same.
#pragma once

#include "base/calendar.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::closes {

// A job that closes a day of the establishment, or gives a sale of it its movement day, holds the lock of this name.
std::string days_of(std::string_view estabelecimento);

// Returns the day's close, made now where there is none. Fails with errc::close_unreadable where it is unreadable.
Job<Close> begin(Tx& tx, const CloseKey& key, WallTime at, std::string_view by);
// Writes the totals and the digest, unless they are there. Fails with errc::not_found where there is no such close.
Job<void> finish(Tx& tx, const Close& close);
// Gives the newest day first.
Job<std::vector<Close>> list(Tx& tx, const CloseFilter& filter);
// Does what Journal::forgotten_days() says.
Job<std::vector<Day>> forgotten_days(Tx& tx, std::string_view estabelecimento, Day from, Day to);

// For a sale that gets its movement day now: returns the first later day that is not closed, where its own day is.
Job<std::optional<Day>> late_day(Tx& tx, std::string_view estabelecimento, Day day);

}  // namespace gateway::closes
