// What does not agree with the provider's statements: one row each. The same disagreement of a day is one row for ever,
// whichever statements of the day say it. A row that this program cannot have written is left out and counted.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gateway::postgres {

class FindingsTable {
  public:
    // Both must outlive it.
    FindingsTable(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    // What the statement, which is kept already, makes of the findings: see Journal::keep_statement().
    Awaited<FindingChanges> keep(Transaction& transaction, KeptStatement statement,
                                 const std::vector<Finding>& findings);
    Awaited<std::vector<Finding>> list(const FindingFilter& filter);
    // errc::not_found where there is none that can be read.
    Awaited<Finding> find(std::int64_t number);
    // Closes it unless it is closed.
    Awaited<void> close(std::int64_t number, const Finding::Closed& closed);
    // `settled_at`: it is closed as well, unless it is closed.
    Awaited<void> done(std::int64_t number, const std::string& effect, std::optional<WallTime> settled_at);
    Awaited<std::map<FindingKind, std::int64_t>> count_open();

  private:
    Awaited<void> keep_one(Transaction& transaction, Finding finding, FindingChanges& changes);
    Awaited<void> close_all(Transaction& transaction, const Rows& numbers, FindingEnd as, WallTime at,
                            FindingChanges& changes);
    // What this statement is not about, it says as the one before.
    Awaited<void> carry_over(Transaction& transaction, const KeptStatement& statement);
    // What stood in this day's statement until now, is missing on the day of its sale.
    Awaited<void> miss_again(Transaction& transaction, FindingChanges& changes);
    Awaited<void> miss(Transaction& transaction, Finding missing, WallTime at, FindingChanges& changes);
    Awaited<std::vector<Finding>> found_by(Transaction& transaction, const Rows& numbers);
    std::vector<Finding> readable(const Rows& found);

    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
