// The statements that were read: one row each. Of a day the last one counts. Called on the journal's thread, within its
// transaction. A row that this program cannot have written is left out and counted.
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

namespace gateway {

class StatementsTable {
  public:
    // Both must outlive it.
    StatementsTable(sqlite::Database& database, UnreadableSales& unreadable);

    // The newest of these bytes, read in this way.
    Result<std::optional<KeptStatement>> find(const std::string& digest, const std::string& reading);
    // The newest of this source; of any, where that is empty.
    Result<std::optional<KeptStatement>> last(const std::string& source);
    Result<std::vector<KeptStatement>> list(std::optional<std::int64_t> before, std::size_t limit);
    // The same statement with its id, and with that of the one that it replaces.
    Result<KeptStatement> insert(KeptStatement statement);

  private:
    Result<std::optional<KeptStatement>> first_readable(sqlite::Statement& rows);
    Result<std::optional<KeptStatement>> next_readable(sqlite::Statement& rows);
    Result<std::optional<std::int64_t>> latest_of(Day day);

    sqlite::Database& database_;
    UnreadableSales& unreadable_;
    sqlite::Statement by_digest_, latest_, last_, list_, insert_;
    std::set<std::int64_t> known_unreadable_;  // each is counted once
};

}  // namespace gateway
