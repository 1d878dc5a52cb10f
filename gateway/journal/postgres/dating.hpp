// Gives the sales that became final by a version without movement days theirs, the newest first, a limited number at a
// time and by one gateway at a time.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"
#include "sale/machine.hpp"

#include <string>

namespace gateway::postgres {

class Dating {
  public:
    // Both must outlive it.
    Dating(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    Awaited<Dated> some(const std::string& run, const Rules& rules);

  private:
    struct Looked;
    Awaited<Looked> work(Transaction& transaction, const std::string& run, const Rules& rules);

    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
