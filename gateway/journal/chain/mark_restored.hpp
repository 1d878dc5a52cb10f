// What an operator says of a database that does not know all that it had acknowledged (tally.hpp): go on with what is
// there. What it holds open is left to the provider's word and to a person, as of a journal restored from a copy.
#pragma once

#include "journal/postgres/session.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <string>

namespace gateway::postgres {

struct MarkedRestored {
    std::int64_t sales = 0;
    std::int64_t open = 0;    // of those, the ones that are not settled
    std::int64_t unsure = 0;  // of those, the ones that a person is asked to look at
    std::string lost_by{};    // the gateway that had noticed a loss; empty: none had
};

// All in one transaction, beside which no gateway records anything: every run has ended, every open sale is nobody's
// and as after_restore::leave_to_provider() leaves it, there is no token, closes go on in a new series, and what the
// gateways remember of commits counts no more. Gateways that run begin anew by themselves. The error is in words.
boost::asio::awaitable<boost::system::result<MarkedRestored, std::string>> mark_restored(Session& uncounted,
                                                                                         WallTime now);

// What mark_restored() would meet, without doing it.
boost::asio::awaitable<boost::system::result<MarkedRestored, std::string>> look_at_loss(Session& uncounted);

}  // namespace gateway::postgres
