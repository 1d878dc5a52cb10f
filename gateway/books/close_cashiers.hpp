// Sums up by cashier what is in a close. This is not kept with the close, which never changes, because the cashiers'
// names are erased with the sales' other personal fields.
#pragma once

#include "base/error.hpp"
#include "journal/journal.hpp"
#include "reconcile/totals.hpp"

#include <boost/asio/awaitable.hpp>

namespace gateway {

// What nobody was named for, or whose name was erased, is under an empty name. An error is the journal's.
boost::asio::awaitable<Result<GroupedTotals>> sum_by_cashier(const CloseKey& key, Journal& journal);

}  // namespace gateway
