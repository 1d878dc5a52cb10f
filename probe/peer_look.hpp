// A connection shows the addresses of the other side, its versions of TLS, and its chain of certificates with what can
// be pinned, before anything is asked for.
#pragma once

#include "base/clock.hpp"
#include "http/client/addresses.hpp"
#include "http/client/client.hpp"
#include "http/client/tls_client.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>
#include <string>
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
};

struct Peer {
    std::string name;  // for people: "vendas"
    http::Origin origin;
    std::shared_ptr<const http::TlsClient> tls;
    http::Client* client = nullptr;  // which speaks with it
};

// The clock must live until the look ends.
boost::asio::awaitable<PeerFacts> look_at_peer(boost::asio::any_io_executor executor, const Peer& peer, Clock& clock);

}  // namespace gateway::probe
