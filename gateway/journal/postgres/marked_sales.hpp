// The sales that need a person, as journal/marked_sales.hpp has them, from a database that is only read: no key is
// needed, and no gateway.
#pragma once

#include "journal/journal.hpp"
#include "journal/postgres/session.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <vector>

namespace gateway::postgres {

// All of them, oldest first, with the callbacks that came, for a look without a gateway. It waits for no standby, so
// that whether one has what was read is for the caller to find out. The error is a sentence for the operator. `url`:
// where the journal is.
boost::asio::awaitable<boost::system::result<std::vector<MarkedSale>, std::string>> read_marked_sales(
    Session& session, const std::string& url);

}  // namespace gateway::postgres
