// A connection shows of the other side, before anything is asked for, addresses, the versions of TLS, the chain of
// certificates with what can be pinned, and how far its clock is from ours.
#pragma once

#include "base/clock.hpp"
#include "http/client/addresses.hpp"
#include "http/client/tls_client.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::probe {

struct CertificateFacts {
    std::string subject;
    std::optional<WallTime> ends;
    std::string pin;  // SHA-256 of its public key, as provider.pinned_key has it
};

struct PeerFacts {
    std::string trouble;  // in words; where it is not empty the rest may be missing
    std::vector<std::string> addresses;
    std::string tls;  // the version and the cipher that both sides agree on
    // The other side takes some of the versions that a gateway speaks, and refuses others.
    std::vector<std::string> tls_taken;
    std::vector<std::string> tls_refused;
    std::vector<CertificateFacts> chain;
    std::optional<Duration> clock_ahead;  // the other side's, of ours
};

struct Peer {
    std::string name;  // for people: "vendas"
    http::Origin origin;
    std::shared_ptr<const http::TlsClient> tls;
};

// The clock must live until it ends.
boost::asio::awaitable<PeerFacts> look_at_peer(boost::asio::any_io_executor executor, const Peer& peer, Clock& clock);

// Returns the value of the first field of this name in an answer's head; empty where there is none. Pure.
std::string_view field_in_head(std::string_view head, std::string_view name);

}  // namespace gateway::probe
