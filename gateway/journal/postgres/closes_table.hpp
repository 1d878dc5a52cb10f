// The closes: one row each, numbered within its establishment. Whoever closes a day holds the establishment's lock
// alone, and whoever gives a sale of it its movement day holds it too: a sale is in the close, or finds it.
//
// A row that this program cannot have written is left out and counted. Its day is closed all the same.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway::postgres {

class ClosesTable {
  public:
    // Both must outlive it.
    ClosesTable(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    // As Journal says.
    Awaited<Close> begin(const CloseKey& key, WallTime at, const std::string& by);
    Awaited<void> finish(const Close& close);
    Awaited<std::vector<Close>> list(const CloseFilter& filter);
    Awaited<std::vector<Day>> forgotten_days(const std::string& estabelecimento, Day from, Day to);

  private:
    Awaited<Rows> row_of(Transaction& transaction, const CloseKey& key, WallTime at, const std::string& by);
    void count_unreadable(const Row& row);

    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
