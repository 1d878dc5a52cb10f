// Counts again what a journal says in more than one place: its rows, histories, keys and counters must agree.
#pragma once

#include <span>
#include <string>

namespace gateway::simulation {

class SqlReader;

struct Recount {
    bool of_shared_journal_only;
    const char* what;    // does not agree, in words
    const char* query;   // finds a row where it does not agree
    const char* breaks;  // is a statement after which it does not agree, for the check of this check
};
std::span<const Recount> recounts();

// Returns in words what does not agree in a journal at rest; empty: all of it agrees. `shared` says whether it is the
// journal of several gateways. No row may have been damaged. `reader` reads a copy that is thrown away, and `broken` is
// the recount that is made to disagree first; nullptr: none is.
std::string recount(SqlReader& reader, bool shared, const Recount* broken);

}  // namespace gateway::simulation
