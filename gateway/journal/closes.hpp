// The closes: one row each, numbered within its establishment. A close is made in two steps: begin() fixes, by its row,
// what is in it; finish() writes what that came to.
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

// Whoever closes a day of the establishment holds these words, and whoever gives a sale of it its movement day.
std::string days_of(std::string_view estabelecimento);

// The close's row, made now where the day has none. errc::close_unreadable where it has one that cannot be read.
Job<Close> begin(Tx& tx, const CloseKey& key, WallTime at, std::string_view by);
// Writes the totals and the digest, unless they are there. errc::not_found where there is no such close.
Job<void> finish(Tx& tx, const Close& close);
// Newest day first.
Job<std::vector<Close>> list(Tx& tx, const CloseFilter& filter);
// As Journal::forgotten_days().
Job<std::vector<Day>> forgotten_days(Tx& tx, std::string_view estabelecimento, Day from, Day to);

// For a sale that is given its movement day now: the first later day that is not closed, where that one is.
Job<std::optional<Day>> late_day(Tx& tx, std::string_view estabelecimento, Day day);

}  // namespace gateway::closes
