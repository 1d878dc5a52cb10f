// Whose an idExterno is, and how one of ours can look: what tells which lines of a provider's statement are about sales
// of this journal. Called on the journal's thread.
#pragma once

#include "base/error.hpp"
#include "journal/sqlite/database.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway {

class IdQuery {
  public:
    // The database must outlive it.
    explicit IdQuery(sqlite::Database& database);

    // In the order of the question; nothing for one that no sale has, or whose sale's id cannot be read.
    Result<std::vector<std::optional<SaleId>>> owners(const std::vector<std::string>& id_externos);
    // Every prefix that an idExterno may have; "" among them where some may have none.
    Result<std::vector<std::string>> prefixes();

  private:
    sqlite::Statement owner_, prefixes_;
};

}  // namespace gateway
