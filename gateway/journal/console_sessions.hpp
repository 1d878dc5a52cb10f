// The table of those who are signed in at a console. Everything but the digest is encrypted with the journal's key, so
// that nobody begins a session by writing into the table.
#pragma once

#include "journal/kept_sessions.hpp"
#include "journal/tx.hpp"

#include <string_view>
#include <vector>

namespace gateway::console_sessions {

// Returns the sessions of a gateway. One that cannot be read has its digest only.
Job<std::vector<KeptSession>> load(Tx& tx, std::string_view gateway);
Job<void> change(Tx& tx, std::string_view gateway, const SessionChanges& changes);

}  // namespace gateway::console_sessions
