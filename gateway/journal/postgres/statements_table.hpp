// The statements that were read: one row each. Of a day the last one counts. A row that this program cannot have
// written is left out and counted.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway::postgres {

class StatementsTable {
  public:
    // Both must outlive it.
    StatementsTable(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    // The newest of these bytes, read in this way.
    Awaited<std::optional<KeptStatement>> find(const std::string& digest, const std::string& reading);
    // The newest of this source; of any, where that is empty.
    Awaited<std::optional<KeptStatement>> last(const std::string& source);
    Awaited<std::vector<KeptStatement>> list(std::optional<std::int64_t> before, std::size_t limit);
    // The same statement with its id, and with that of the one that it replaces. One gateway at a time keeps one.
    Awaited<KeptStatement> insert(Transaction& transaction, KeptStatement statement);

  private:
    std::vector<KeptStatement> readable(const Rows& found);
    Awaited<std::optional<KeptStatement>> newest(Statement statement, Parameters parameters);

    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
