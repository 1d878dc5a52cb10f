// Tells which keys of terminals are taken: by a sale, or by a cancel that came before a sell with the key. Tells also
// whose an idExterno is, and how one of ours can look, by which the lines of a provider's statement are known that are
// about sales of this journal.
#pragma once

#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::keys {

// Fails with errc::sale_unreadable where a sale has the key whose id cannot be read.
Job<KeyState> find(Tx& tx, std::string_view terminal, std::string_view key);
// Takes the key unless it is taken, and gives its state.
Job<KeyState> cancel(Tx& tx, std::string_view terminal, std::string_view key);

// Answers in the order of the question: nothing for one that no sale has, or whose sale's id cannot be read.
Job<std::vector<std::optional<SaleId>>> owners(Tx& tx, const std::vector<std::string>& id_externos);
// Gives every prefix that an idExterno may have; "" is among them where some may have none.
Job<std::vector<std::string>> prefixes(Tx& tx);
// Keeps a prefix that an idExterno may have from now on, before the first one has it: by the prefixes a reader of the
// provider's books knows which idExternos may be ours. Nothing is kept of "".
Job<void> note_prefix(Transaction& tx, std::string_view prefix, WallTime at);

}  // namespace gateway::keys
