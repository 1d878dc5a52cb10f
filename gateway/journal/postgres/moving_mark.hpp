// The marks of sales-gateway copy-journal in a journal on PostgreSQL, as its gateways meet them:
// journal/moving_mark.hpp.
#pragma once

#include "journal/moving_mark.hpp"
#include "journal/postgres/session.hpp"

#include <boost/system/result.hpp>

#include <string>

namespace gateway::postgres {

// Held by a transaction for as long as the journal is being copied.
inline constexpr Statement hold_copying{
    "hold_copying", "SELECT pg_try_advisory_xact_lock(hashtextextended('sales-gateway copy-journal', 0))"};

// What its mark says against using the journal, in words; empty: nothing. `url`: where it is, without a password.
Awaited<std::string> why_not_to_start(Transaction& transaction, const std::string& url);

// Why no gateway starts on the journal, in words; or that it cannot be read.
boost::asio::awaitable<boost::system::result<void, std::string>> may_start(Session& session, const std::string& url);

}  // namespace gateway::postgres
