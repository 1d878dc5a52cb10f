// What does not agree with the provider's statements: one row each. The same disagreement of a day is one row for ever,
// whichever statements of the day say it. Called on the journal's thread, within its transaction.
//
// A row that this program cannot have written is left out and counted.
#pragma once

#include "base/error.hpp"
#include "journal/field_cipher.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/unreadable_sales.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gateway {

class FindingsTable {
  public:
    // Every reference must outlive it.
    FindingsTable(sqlite::Database& database, FieldCipher& cipher, UnreadableSales& unreadable);

    // What the statement, which is kept already, makes of the findings: see Journal::keep_statement().
    Result<FindingChanges> keep(const KeptStatement& statement, const std::vector<Finding>& findings);
    Result<std::vector<Finding>> list(const FindingFilter& filter);
    // Nothing where there is none that can be read.
    Result<std::optional<Finding>> find(std::int64_t number);
    // Closes it unless it is closed.
    Result<void> close(std::int64_t number, const Finding::Closed& closed);
    Result<void> done(std::int64_t number, const std::string& effect);
    Result<std::map<FindingKind, std::int64_t>> count_open();

  private:
    struct Known;

    // What this statement is not about, it says as the one before.
    Result<void> carry_over(const KeptStatement& statement);
    Result<std::optional<Known>> known(const Finding& finding);
    Result<void> keep_one(Finding finding, FindingChanges& changes);
    Result<void> close_all(sqlite::Statement& numbers, FindingEnd as, WallTime at, FindingChanges& changes);
    // What stood in this day's statement until now, is missing on the day of its sale.
    Result<void> miss_again(const KeptStatement& statement, FindingChanges& changes);
    Result<void> miss(std::int64_t number, WallTime at, FindingChanges& changes);
    std::optional<Finding> read(const Row& row);

    sqlite::Database& database_;
    FieldCipher& cipher_;
    UnreadableSales& unreadable_;
    sqlite::Statement known_, insert_, update_, reopen_, carry_, drop_, unsaid_, missing_, gone_, elsewhere_, close_,
        done_, count_;
    std::string buffer_;
    std::set<std::int64_t> known_unreadable_;  // each is counted once
};

}  // namespace gateway
