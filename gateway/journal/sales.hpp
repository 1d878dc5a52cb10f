// The sales, one row each with its attempts and its history in it, so that a step of a sale writes one row; beside them
// the names of all attempts and the notes of decisions by hand.
//
// A row that this program cannot have written makes its sale unreadable (errc::sale_unreadable), and marks it; every
// other sale goes on.
#pragma once

#include "base/random.hpp"
#include "journal/journal.hpp"
#include "journal/tx.hpp"
#include "sale/machine.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway::sales {

// As Journal says. `random` is needed for a sale with a duplicate_check.
Job<KeyState> begin(Tx& tx, const Sale& sale, Random* random);
Job<void> record(Tx& tx, const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry);
// One more receipt was printed, `line` tells of it; how many there had been before. The line is left out of a long
// history. errc::not_found where there is no such sale.
Job<std::int64_t> count_receipt(Tx& tx, SaleId id, const std::string& line);
// `line` goes into the history however long that is; errc::not_found where it has no room, or there is no such sale.
Job<void> note_receipt(Tx& tx, SaleId id, const std::string& line);

Job<std::optional<Sale>> find(Tx& tx, SaleId id);
// errc::not_found where there is no such sale.
Job<Sale> reread(Tx& tx, SaleId id);
Job<SalePage> list(Tx& tx, const SaleFilter& filter);
Job<AdoptedSales> unfinished(Tx& tx);
Job<OpenPage> open(Tx& tx, const std::optional<std::string>& estabelecimento, const std::string& after);
Job<boost::json::array> history(Tx& tx, SaleId id);
// In characters; nothing where there is no such sale, or its history is no text.
Job<std::optional<std::int64_t>> history_length(Tx& tx, SaleId id);

}  // namespace gateway::sales
