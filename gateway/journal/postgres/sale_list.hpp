// Which sales a list shows, page by page. A page looks at a limited number of rows, and goes to them by the index that
// leaves the fewest: one statement for each.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

namespace gateway::postgres {

class SaleList {
  public:
    // Both must outlive it.
    SaleList(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    Awaited<SalePage> page(const SaleFilter& filter);

  private:
    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
