// The callbacks as they came, and which sale a callback's secret belongs to. Called on the journal's thread, within its
// transaction.
#pragma once

#include "base/error.hpp"
#include "journal/field_cipher.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/unreadable_sales.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

class CallbacksTable {
  public:
    CallbacksTable(sqlite::Database& database, FieldCipher& cipher, UnreadableSales& unreadable);

    Result<std::optional<SaleId>> find_sale(std::string_view secret);
    Result<void> insert(SaleId sale, std::string_view kind, bool valid, const Secret& body, WallTime at);
    // {at, kind, valid, body}, oldest first.
    Result<boost::json::array> list(SaleId sale);

  private:
    FieldCipher& cipher_;
    UnreadableSales& unreadable_;
    sqlite::Statement sale_, insert_, list_;
    std::string buffer_;  // of what is encrypted for one statement, until that has run
};

}  // namespace gateway
