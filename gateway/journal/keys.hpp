// Tells which keys of terminals are taken: by a sale, or by a cancel that came before any sell with the key. Tells also
// which sale an idExterno belongs to, and which prefixes our idExternos can have, so that the lines of a provider's
// statement that are about sales of this journal are recognised.
#pragma once

#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::keys {

// Returns the state of the key. Fails with errc::sale_unreadable where a sale has the key and the sale's id cannot be
// read.
Job<KeyState> find(Tx& tx, std::string_view terminal, std::string_view key);
// Cancels the key unless it is taken already, and returns its state.
Job<KeyState> cancel(Tx& tx, std::string_view terminal, std::string_view key);

// Returns the sales in the order of the idExternos: nothing for one that no sale has, or whose sale's id cannot be
// read.
Job<std::vector<std::optional<SaleId>>> owners(Tx& tx, const std::vector<std::string>& id_externos);
// Returns every prefix that an idExterno may have; "" is among them where some may have no prefix.
Job<std::vector<std::string>> prefixes(Tx& tx);
// Keeps a prefix before the first idExterno has it. A reader of the provider's statements knows by the prefixes which
// idExternos may be ours. Does nothing for "".
Job<void> note_prefix(Transaction& tx, std::string_view prefix, WallTime at);

}  // namespace gateway::keys
