// The sales that need a person, as journal/marked_sales.hpp has them, from a database that is only read: no key is
// needed, and no gateway.
#pragma once

#include "journal/journal.hpp"
#include "postgres/sale_rows.hpp"

#include <vector>

namespace gateway::postgres {

// All of them, oldest first.
Awaited<std::vector<MarkedSale>> marked_sales(Session& session);
// The same with the callbacks that came.
Awaited<std::vector<MarkedSale>> marked_sales_with_callbacks(Session& session);

}  // namespace gateway::postgres
