// The sales of days and of closes, in pages, each of a limited number of rows.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <string>

namespace gateway::postgres {

class DayQuery {
  public:
    // Both must outlive it.
    DayQuery(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    // By day, then by establishment, then by id. `after` as in Journal.
    Awaited<DayPage> of_days(const DayFilter& filter, const std::string& after);
    // By id.
    Awaited<DayPage> of_close(const CloseKey& key, const std::string& after);

  private:
    Awaited<DayPage> page_of(const Rows& found, const std::optional<SaleFilter::Among>& among);

    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
