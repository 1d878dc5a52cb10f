// The gateways that the database knows: whether each lives, what it carries, and which sales wait for it to say what it
// may have sent too late.
#pragma once

#include "base/clock.hpp"
#include "journal/postgres/session.hpp"

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

// By their names. It looks twice, for as long as a gateway that lives cannot stand still.
Awaited<std::vector<KnownGateway>> known_gateways(Session& uncounted, Clock& clock);

// Forgets the runs of this gateway that have ended.
Awaited<void> forget_gateway(Session& session, const std::string& name);

}  // namespace gateway::postgres
