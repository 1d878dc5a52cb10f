// The idempotency keys: in one table a key is taken by a sale or by a cancel, so that a sell at one gateway and a
// cancel at another cannot both have it. Beside them, whose an idExterno is.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway::postgres {

class KeysTable {
  public:
    // It must outlive the table.
    explicit KeysTable(Storage& storage) : storage_(storage) {}

    Awaited<KeyState> cancel(const std::string& terminal, const std::string& key);
    Awaited<KeyState> find(const std::string& terminal, const std::string& key);
    // As Journal says.
    Awaited<std::vector<std::optional<SaleId>>> owners(const std::vector<std::string>& id_externos);
    Awaited<std::vector<std::string>> prefixes();

  private:
    Storage& storage_;
};

}  // namespace gateway::postgres
