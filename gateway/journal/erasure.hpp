// The erasure of old personal fields. It goes through the sales in the order of their ids, a limited number at a time,
// and remembers how far it came. A sale that was open when it passed, or that something personal was written to
// afterwards, is put off: the erasure comes back to it. Called on the journal's thread, within its transaction.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/journal.hpp"
#include "journal/sqlite/database.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gateway {

class Erasure {
  public:
    explicit Erasure(sqlite::Database& database);

    // To be called by every operation that writes personal fields of a sale.
    Result<void> written(std::string_view sale);

    // Erases some of what is older than `cutoff`.
    Result<Erased> erase_some(WallTime cutoff, WallTime now);

  private:
    Result<std::string> done_until();
    Result<Erased> erase_next(WallTime cutoff);
    Result<Erased> erase_postponed(WallTime cutoff, WallTime now);
    Result<void> erase(const std::string& sale);
    Result<bool> erase_notes_on_days(WallTime cutoff);

    sqlite::Statement done_until_, is_sale_, set_done_until_, next_;
    sqlite::Statement postponed_, postpone_, postpone_late_, meet_postponed_, postponed_done_;
    sqlite::Statement erase_sale_, erase_callbacks_, erase_notes_, erase_findings_, erase_findings_without_sale_;
    sqlite::Database& database_;
    // How far the erasure has come, or had where the commit failed: then some sales are put off for nothing.
    std::optional<std::string> passed_;
    // The last sale that the erasure came back to, until it has been through all of them.
    std::string came_back_to_;
};

}  // namespace gateway
