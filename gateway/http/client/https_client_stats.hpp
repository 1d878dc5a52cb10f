// What a transport can tell the monitoring about its connections.
#pragma once

#include "http/client/circuit.hpp"

#include <cstddef>
#include <cstdint>

namespace gateway::http {

struct HttpsClientStats {
    std::size_t open = 0;  // connections that exist, whatever they are doing
    std::size_t idle = 0;
    std::size_t connecting = 0;
    std::size_t waiting = 0;  // exchanges, for a connection
    std::uint64_t opened = 0;
    std::uint64_t handshakes_full = 0;
    std::uint64_t handshakes_resumed = 0;
    std::uint64_t reused = 0;  // exchanges on a connection that had carried one before
    Circuit::State circuit = Circuit::State::closed;
};

}  // namespace gateway::http
