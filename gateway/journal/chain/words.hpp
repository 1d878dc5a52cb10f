// The words that wait for the gateway that carries their sale: one row each, taken away by the record that it leads to.
#pragma once

#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gateway::postgres::words {

// Its number. errc::not_found where there is no such sale.
Job<std::int64_t> leave(Tx& tx, LeftWord word);
// Oldest first: of sales that the run carries, and of those that no living run does. Told to nobody: what comes of a
// word is recorded, and that proves it.
Job<std::vector<LeftWord>> waiting_for(Tx& tx, std::string run);
Job<bool> is_waiting(Tx& tx, std::int64_t number);

}  // namespace gateway::postgres::words
