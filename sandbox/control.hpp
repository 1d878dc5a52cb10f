// The sandbox's own addresses, under /sandbox/, with which a test or a person steers the sandbox and looks into its
// books. They are no part of the provider's interface, need no token, and change no sale.
//
//   GET  /sandbox/catalogue              what is sold, and with which values
//   GET  /sandbox/outcomes               the cents table, as text
//   GET  /sandbox/personality            what it does where the document leaves it open: see personality.hpp
//   GET  /sandbox/faults                 the rules, with how often each was used
//   PUT  /sandbox/faults                 replaces them: see faults.hpp
//   DELETE /sandbox/faults               no rules
//   GET  /sandbox/transactions           the books; ?idExterno= ?status= ?family= ?history=no
//   GET  /sandbox/statement              what the provider says of a day, as a file: see statement_query.hpp
//   GET  /sandbox/list                   the same as a JSON array
//   GET  /sandbox/requests               how many requests came, and which departed from the interface
//   GET  /sandbox/callbacks              those that are still to be sent
//   GET  /sandbox/held                   requests that are still to arrive
//   POST /sandbox/held/release           lets them arrive now; ?idExterno=
//   POST /sandbox/tokens/expire          revokes every token
//   POST /sandbox/reset                  empty books, no rules, nothing under way; tokens stay
#pragma once

#include "sandbox/model.hpp"

#include <optional>

namespace gateway::sandbox {

// Returns nothing where the address is not one of the sandbox's own.
std::optional<Answer> control(Model& model, const Call& call, WallTime now);

}  // namespace gateway::sandbox
