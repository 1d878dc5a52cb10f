// What an operator asks of a database, and does in it, without a gateway: which gateways it knows, which sales need a
// person, and that it goes on with what is there after it has lost what it had acknowledged (tally.hpp).
#pragma once

#include "base/clock.hpp"
#include "journal/journal.hpp"
#include "journal/postgres/session.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway::postgres {

struct KnownGateway {
    enum class State { runs, stands_still, stopped };

    std::string name;
    State state = State::stopped;
    std::optional<WallTime> began_at{};  // its latest run, by its own clock; nothing: only sales know of it
    std::int64_t carries = 0;            // sales that are not settled
    std::vector<std::string> waiting{};  // the ids of the sales that wait for it
};

// Gives them by their names. It looks twice, for as long as a gateway that lives cannot stand still.
Awaited<std::vector<KnownGateway>> known_gateways(Session& uncounted, Clock& clock);

// Forgets the runs of this gateway that have ended.
Awaited<void> forget_gateway(Session& session, const std::string& name);

// The sales that need a person, oldest first, with the callbacks that came; no key is needed. It waits for no standby,
// so that whether one has what was read is for the caller to find out. The error is a sentence for the operator. `url`:
// where the journal is.
boost::asio::awaitable<boost::system::result<std::vector<MarkedSale>, std::string>> read_marked_sales(
    Session& session, const std::string& url);

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

// Tells what mark_restored() would meet, and changes nothing.
boost::asio::awaitable<boost::system::result<MarkedRestored, std::string>> look_at_loss(Session& uncounted);

}  // namespace gateway::postgres
