// The callbacks as they came, and which sale a callback's secret belongs to.
#pragma once

#include "base/secret.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gateway::postgres {

class CallbacksTable {
  public:
    // Both must outlive it.
    CallbacksTable(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    Awaited<std::optional<SaleId>> find_sale(const std::string& secret);
    Awaited<void> insert(SaleId sale, std::string_view kind, bool valid, const Secret& body);
    // {at, kind, valid, body}, oldest first.
    Awaited<boost::json::array> list(SaleId sale);

  private:
    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
