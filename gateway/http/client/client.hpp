// The way to another machine's HTTP interface, in two steps: reserve a connection, then send one request on it. What
// has to be asked between the two (whether the request is still wanted, say) is asked by the caller, after every wait
// but that for the answer. https_client.hpp is the real one; the simulation has another.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/reply.hpp"
#include "base/secret.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gateway::http {

struct ClientRequest {
    bool post = false;   // else GET
    std::string target;  // path and query, percent-encoded
    std::string label;   // for logs and metrics: "tv solicitar"; never customers' data
    std::string accept = "application/json";
    std::string accept_language{};  // empty: not sent
    std::string_view content_type;  // of the body; a literal
    std::string request_id;         // sent as X-Request-Id where not empty
    Secret authorization;           // value of the Authorization header; empty: none
    Secret body;
    std::optional<std::size_t> answer_limit;  // of the answer's body, in bytes; nothing: as for every answer
};

// A connection that is held for one request. Destroyed before that was sent, it gives the connection back.
class Reservation {
  public:
    Reservation() = default;
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    virtual ~Reservation() = default;

    // Called once; the reservation must live until it ends. Never throws for what the network does: that is the Reply's
    // kind. Says nothing_sent only where that is certain; with errc::stale_connection where a connection that had stood
    // idle turned out to be closed, so that another one can be reserved. Follows no redirect, tries nothing twice.
    virtual boost::asio::awaitable<Reply> send(ClientRequest request, Instant deadline) = 0;
};

class Client {
  public:
    virtual ~Client() = default;
    // A connection that is known to be alive. errc::unreachable, errc::timed_out or errc::shutting_down where there is
    // none.
    virtual boost::asio::awaitable<Result<std::unique_ptr<Reservation>>> reserve(Instant deadline) = 0;
    // Why the other side could not be reached when that was tried last, for people; empty where it could, or where that
    // is not known.
    virtual std::string trouble() const { return {}; }
};

// Reserves and sends, for requests about which nothing needs to be asked in between. `client` must live until it ends.
boost::asio::awaitable<Reply> exchange(Client& client, ClientRequest request, Instant deadline);

}  // namespace gateway::http
