// The words that wait for the gateway that carries their sale: one row each, taken away by the record that it leads to.
#pragma once

#include "journal/journal.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"
#include "sale/machine.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::postgres {

// What a word says, as the JSON of its column. Only what is asked or told from outside is left for another gateway: an
// answer, or a time that has come, is the business of the one that carries the sale.
std::string event_text(const Event& event);
// Returns nothing, and counts that, where it makes no sense.
std::optional<Event> read_event(std::string_view text, rows::FieldReader& fields);

namespace words {

// Returns its number. errc::not_found where there is no such sale.
Job<std::int64_t> leave(Tx& tx, LeftWord word);
// Returns those of sales that the run carries, and of those that no living run does, oldest first. They are told to
// nobody: what comes of a word is recorded, and that proves it.
Job<std::vector<LeftWord>> waiting_for(Tx& tx, std::string run);
Job<bool> is_waiting(Tx& tx, std::int64_t number);

}  // namespace words
}  // namespace gateway::postgres
