// Without a gateway an operator asks a database which gateways it knows and which sales need a person, and lets it go
// on with what is there after it has lost what it had acknowledged (acknowledged_commits.hpp).
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
    std::optional<WallTime> began_at{};  // when its latest run began, by its own clock; nothing: only sales know of it
    std::int64_t open_sales = 0;         // sales that are not settled
    std::vector<std::string> waiting{};  // the ids of the sales that wait for it
};

// Returns the gateways by their names. It looks twice, with so much time between that a living gateway renews its
// lease.
Awaited<std::vector<KnownGateway>> known_gateways(Session& uncounted, Clock& clock);

// Forgets the runs of this gateway that have ended, and who was signed in at its console unless it runs.
Awaited<void> forget_gateway(Session& session, const std::string& name);

// Reads the sales that need a person, the oldest first, with the callbacks that came. No key is needed. The call does
// not wait for a standby; the caller finds out whether one has what was read. The error is a sentence for the operator.
// `url` says where the journal is.
boost::asio::awaitable<boost::system::result<std::vector<MarkedSale>, std::string>> read_marked_sales(
    Session& session, const std::string& url);

struct MarkedRestored {
    std::int64_t sales = 0;
    std::int64_t open = 0;    // how many of the sales are not settled
    std::int64_t unsure = 0;  // how many of the sales a person is asked to look at
    std::string lost_by{};    // the gateway that had noticed a loss; empty: none had
};

// Does everything in one transaction, during which no gateway records anything: ends every run, takes every open sale
// from its gateway and leaves it to the provider (after_restore.hpp), removes the token, and begins a new series of
// closes and a new count of commits. Gateways that are running begin anew by themselves. The error is in words.
boost::asio::awaitable<boost::system::result<MarkedRestored, std::string>> mark_restored(Session& uncounted,
                                                                                         WallTime now);

// Returns what mark_restored() would find, and changes nothing.
boost::asio::awaitable<boost::system::result<MarkedRestored, std::string>> look_at_loss(Session& uncounted);

}  // namespace gateway::postgres
