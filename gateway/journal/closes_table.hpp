// The closes: one row each, numbered within its establishment. A close is made in two steps: begin() fixes, by its row,
// what is in it; finish() writes what that came to. Called on the journal's thread, within its transaction.
//
// A row that this program cannot have written is left out and counted. Its day is closed all the same.
#pragma once

#include "base/calendar.hpp"
#include "base/error.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/unreadable_sales.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway {

class ClosesTable {
  public:
    // Both must outlive it.
    ClosesTable(sqlite::Database& database, UnreadableSales& unreadable);

    // The close's row, made now where the day has none. errc::close_unreadable where it has one that cannot be read.
    Result<Close> begin(const CloseKey& key, WallTime at, const std::string& by);
    // Writes the totals and the digest, unless they are there. errc::not_found where there is no such close.
    Result<void> finish(const Close& close);
    // Newest day first.
    Result<std::vector<Close>> list(const CloseFilter& filter);
    // As Journal::forgotten_days().
    Result<std::vector<Day>> forgotten_days(const std::string& estabelecimento, Day from, Day to);

    // Of a sale that is given its movement day now: the first later day that is not closed, where that one is.
    Result<std::optional<Day>> late_day(const std::string& estabelecimento, Day day);

    // The closes to come belong to a series that no close of this journal has.
    static Result<void> begin_series(sqlite::Database& database);

  private:
    Result<std::optional<Close>> find(const CloseKey& key);
    Result<bool> is_closed(const std::string& estabelecimento, Day day);
    Result<std::int64_t> series();
    Result<std::int64_t> next_number(const std::string& estabelecimento);
    Result<std::string> open_sales(const std::string& estabelecimento);
    void count_unreadable(const Row& row);

    sqlite::Database& database_;
    UnreadableSales& unreadable_;
    sqlite::Statement by_day_, is_closed_, series_, next_number_, open_, insert_, finish_, is_there_, forgotten_;
    std::set<std::string> known_unreadable_;  // by establishment and day: each is counted once
};

}  // namespace gateway
