// Which keys are taken: by a sale, or by a cancel that came before a sell with the key. Called on the journal's thread,
// within its transaction.
#pragma once

#include "base/error.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/unreadable_sales.hpp"

#include <optional>
#include <string_view>

namespace gateway {

class KeysTable {
  public:
    KeysTable(sqlite::Database& database, UnreadableSales& unreadable);

    // errc::sale_unreadable where a sale has the key whose id cannot be read.
    Result<KeyState> find(std::string_view terminal, std::string_view key);
    Result<bool> is_cancelled(std::string_view terminal, std::string_view key);
    // Takes the key unless it is taken, and gives its state.
    Result<KeyState> cancel(std::string_view terminal, std::string_view key, WallTime at);

  private:
    UnreadableSales& unreadable_;
    sqlite::Statement sale_, cancelled_, any_cancelled_, insert_;
    // Most stores never cancel a key: whether there is one is asked once.
    std::optional<bool> there_are_cancelled_;
};

}  // namespace gateway
