// Who does what one gateway does for all that share the journal: the run in one row, for as long as it has not ended.
#pragma once

#include "journal/postgres/sale_rows.hpp"

#include <string>

namespace gateway::postgres {

// Whether the run may do it, from now on until it ends. To be asked in the transaction that does it: no other run can
// take it over meanwhile.
Awaited<bool> take_upkeep(Transaction& transaction, const std::string& run);

}  // namespace gateway::postgres
