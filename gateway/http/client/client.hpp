// The way to the provider: one request, one answer, one deadline. https_transport.hpp is the real one; the simulation
// has another.
#pragma once

#include "base/clock.hpp"
#include "base/reply.hpp"
#include "base/secret.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace gateway::http {

struct ClientRequest {
    bool post = false;   // else GET
    std::string target;  // path and query, percent-encoded
    std::string label;   // for logs and metrics: "tv solicitar"; never customers' data
    std::string accept = "application/json";
    std::string_view content_type;  // of the body; a literal
    std::string request_id;         // sent as X-Request-Id where not empty
    Secret authorization;           // value of the Authorization header; empty: none
    Secret body;
    // Asked right before the first byte leaves, for a wait for a token or a connection may have been long: where it
    // says no, nothing leaves. Empty: it always shall.
    std::function<bool()> wanted;
};

class Client {
  public:
    virtual ~Client() = default;
    // Never throws for what the network does: that is the Reply's kind. Says nothing_sent only where that is certain;
    // with errc::not_wanted where the request was not wanted any more.
    // Follows no redirect, tries nothing twice on its own once a byte may have left.
    virtual boost::asio::awaitable<Reply> exchange(const ClientRequest& request, Instant deadline) = 0;
    // Why the other side could not be reached when that was tried last, for people; empty where it could, or where
    // nobody knows.
    virtual std::string trouble() const { return {}; }
};

}  // namespace gateway::http
