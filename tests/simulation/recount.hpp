// Counts again what a journal says in more than one place: its rows, histories, keys and counters must agree.
#pragma once

#include <string>

namespace gateway::simulation {

class SqlReader;

// Returns in words what does not agree in a journal at rest; empty: all of it agrees. `shared` says whether it is the
// journal of several gateways. No row may have been damaged.
std::string recount(SqlReader& reader, bool shared);

}  // namespace gateway::simulation
