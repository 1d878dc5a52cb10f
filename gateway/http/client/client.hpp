// The way to another machine's HTTP interface has two steps: reserve a connection, then send one request on it. Between
// the two the caller asks what has to be asked, for example whether the request is still wanted. At that point only the
// answer is still to be waited for. https_client.hpp is the real client; the simulation has another one.
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
    bool post = false;   // true for POST, false for GET
    std::string target;  // path and query, percent-encoded
    std::string label;   // "tv solicitar", for logs and metrics; never customers' data
    std::string accept = "application/json";
    std::string accept_language{};  // empty if it is not to be sent
    std::string_view content_type;  // the type of the body; a literal
    std::string request_id;         // sent as X-Request-Id unless it is empty
    Secret authorization;           // the value of the Authorization header; empty if there is none
    Secret body;
    // This is the limit for the answer's body, in bytes. If it is not set, the limit for every answer is used.
    std::optional<std::size_t> answer_limit;
};

// Holds a connection for one request. If it is destroyed before that was sent, it gives the connection back.
class Reservation {
  public:
    Reservation() = default;
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    virtual ~Reservation() = default;

    // May be called once; the reservation must live until the call ends. It never throws for anything that the network
    // does: the Reply's kind says that. It says nothing_sent only if that is certain. It says so with
    // errc::stale_connection if a connection that had been idle turned out to be closed, so that another one can be
    // reserved. It follows no redirect and tries nothing twice.
    virtual boost::asio::awaitable<Reply> send(ClientRequest request, Instant deadline) = 0;
};

class Client {
  public:
    virtual ~Client() = default;
    // Reserves a connection that is known to be alive. It fails with errc::unreachable, errc::timed_out or
    // errc::shutting_down.
    virtual boost::asio::awaitable<Result<std::unique_ptr<Reservation>>> reserve(Instant deadline) = 0;
    // Says, for people, why the other side could not be reached when that was last tried. The text is empty if it could
    // be reached, or if that is not known.
    virtual std::string trouble() const { return {}; }
};

// Reserves and sends, for requests about which nothing needs to be asked in between. `client` must live until it ends.
boost::asio::awaitable<Reply> exchange(Client& client, ClientRequest request, Instant deadline);

}  // namespace gateway::http
