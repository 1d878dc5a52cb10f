// The statements that were read: one row each. Of a day the last one counts. A row that this program cannot have
// written is left out and counted.
#pragma once

#include "journal/journal.hpp"
#include "journal/tx.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gateway::statements {

// The newest of these bytes, read in this way.
Job<std::optional<KeptStatement>> find(Tx& tx, std::string_view digest, std::string_view reading);
// The newest of this source; of any that is about whole days, where that is empty.
Job<std::optional<KeptStatement>> last(Tx& tx, std::string_view source);
// The last one first, those with an id below `before`.
Job<std::vector<KeptStatement>> list(Tx& tx, std::optional<std::int64_t> before, std::size_t limit);

// The same statement with its id, and with that of the one that it replaces.
Job<KeptStatement> insert(Tx& tx, const KeptStatement& statement);

}  // namespace gateway::statements
