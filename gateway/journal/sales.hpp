// Keeps the sales, one row each, with the attempts and the history in the row, so that a step of a sale writes one row.
// Further tables have the names of all attempts and the notes of decisions by hand.
//
// A row that this program cannot have written makes its sale unreadable (errc::sale_unreadable). That sale is marked;
// every other sale goes on.
#pragma once

#include "base/random.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"
#include "sale/machine.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway::sales {

// Says who records: the run of a gateway that owns the sale, and the two counters in the sale's row as it knows
// them. The term moves with the owner, the step with each record. A gateway that is alone on its journal has no run.
struct Owner {
    std::string run;
    std::int64_t term = 1;
    std::int64_t step = 0;

    bool is_alone() const noexcept { return run.empty(); }
};

struct Begun {
    KeyState state;
    bool is_begun = false;  // by this call, or by an earlier one that ended unknown
    std::int64_t term = 1;
};

// Does what Journal::begin() says. `duplicate_hash` is set where the sale has a duplicate_check; see duplicates.hpp.
// Fails with errc::not_owned where the run is over.
Job<Begun> begin(Tx& tx, const Owner& by, const Sale& sale, const std::optional<std::string>& duplicate_hash);
// Fails with errc::not_owned where the run does not own the sale in this term and at this step.
Job<void> record(Tx& tx, const Owner& by, const Sale& sale, const Change& change, const Attempt* fresh,
                 const HistoryEntry& entry);
// Counts one more printed receipt and adds `line`, which tells of it, to the history, unless the history is long.
// Returns how many receipts were printed before. Fails with errc::not_found where there is no such sale.
Job<std::int64_t> count_receipt(Tx& tx, SaleId id, const std::string& line);
// Adds `line` to the history. Fails with errc::not_found where there is no such sale, or where its history has no room
// left.
Job<void> note_receipt(Tx& tx, SaleId id, const std::string& line);

// Reads the sale in a row. Returns nothing where it cannot be read; it is then marked.
Job<std::optional<Sale>> read(Tx& tx, Rows::One row);
Job<std::optional<Sale>> find(Tx& tx, SaleId id);
// Fails with errc::not_found where there is no such sale.
Job<Sale> reread(Tx& tx, SaleId id);
Job<SalePage> list(Tx& tx, const SaleFilter& filter);
Job<AdoptedSales> unfinished(Tx& tx);
Job<OpenPage> open(Tx& tx, const std::optional<std::string>& estabelecimento, const std::string& after);
Job<History> history(Tx& tx, SaleId id);
// Returns the length of the history in characters; nothing where there is no such sale, or its history is no text.
Job<std::optional<std::int64_t>> history_length(Tx& tx, SaleId id);

}  // namespace gateway::sales
