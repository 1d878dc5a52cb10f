// The sales on PostgreSQL, one row each with its attempts and its history in it. A step of a sale is one statement: a
// function of the database where it writes more than one row (sql/postgres/ says why).
//
// Who carries a sale is in its row: its owner, and two counters. The term moves with the carrier, the step with each
// record; a record that finds other counters than it knows is another gateway's business.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/sale_rows.hpp"
#include "journal/recorded_step.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway::postgres {

// How a gateway knows a sale that it carries.
struct Carrying {
    std::int64_t term = 1;
    std::int64_t step = 0;
};

struct CarriedSale {
    Sale sale;
    Carrying at;
};

class SalesTable {
  public:
    // Both must outlive it.
    SalesTable(Storage& storage, SaleReader& reader) : storage_(storage), reader_(reader) {}

    struct Begun {
        KeyState state;
        bool is_begun = false;
        Carrying at{};
    };
    // `duplicate_hash` is what a possible duplicate of the sale is known by, if one is to be known. errc::not_carried
    // where the run is over.
    Awaited<Begun> begin(const std::string& run, const Sale& sale, const std::optional<std::string>& duplicate_hash);
    // errc::not_carried where the run does not carry it in this term and at this step.
    Awaited<void> record(const std::string& run, Carrying at, const Sale& sale, const Change& change,
                         const Attempt* fresh, const HistoryEntry& entry);
    // The row as an UPDATE has left it that moved the term. errc::not_carried and errc::not_found as of
    // Journal::reread(). `at` is what it is carried as from now on, also where the row cannot be read.
    Awaited<Sale> reread(const std::string& run, SaleId id, Carrying& at);

    // Whether there is such a sale: why a write to its row met none.
    Awaited<bool> has(SaleId id);

  private:
    Parameters row_of(const std::string& run, const Sale& sale, const std::optional<std::string>& duplicate_hash) const;
    Parameters step_of(const std::string& run, Carrying at, const Sale& sale, const Change& change,
                       const Attempt* fresh, const HistoryEntry& entry) const;

    Storage& storage_;
    SaleReader& reader_;
};

}  // namespace gateway::postgres
