// Decides which handler answers which verb and path. Only this decides on 404 and 405.
#pragma once

#include "http/server/hosts.hpp"
#include "http/server/message.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

// The request lives until the answer is there.
using Handler = std::function<boost::asio::awaitable<Response>(Request&)>;

// Says who may call a route: callers whom the router's filter lets pass, or everybody, without the filter.
enum class Access { filtered, everybody };

class Router {
  public:
    // `pattern` consists of literal segments, "{name}" for one segment that is not empty, and "{name...}" at the end
    // for all the rest, one segment or more. An example is "/v1/sales/{id}/confirm". Request::parameter returns
    // "{name}" decoded. It returns "{name...}" as it stands in Request::path, still encoded: if it were decoded, a
    // slash that was sent as %2F could no longer be told from one that separates segments.
    //
    // If several patterns match path and verb, the one with the earlier literal wins. The handler of GET answers HEAD,
    // unless HEAD has its own.
    void add(verb method, std::string pattern, Handler handler, Access access = Access::filtered);

    // Says how long a body of this route, which must exist, may be, in bytes, instead of what its listener says.
    void set_body_limit(verb method, std::string_view pattern, std::size_t bytes);
    // Returns the limit of the request's route. Returns nothing if the route has none of its own, or if the caller is
    // not invited to send a body: strangers get no room beyond the listener's own limit.
    std::optional<std::size_t> body_limit(const Request& request) const;

    // Does what all requests of a listener have in common, except those of routes that everybody may call. It runs
    // before routing, so that an unauthorised caller does not learn which other paths exist. The handler that it gets
    // does all of the routing, 404 and 405 included, for this request and for others that the filter makes.
    using Filter = std::function<boost::asio::awaitable<Response>(Request&, const Handler&)>;
    void set_filter(Filter filter);

    // A request that names another host is answered 421, before the filter and before anything asks who may call its
    // route. Without this, every host is accepted.
    void set_hosts(Hosts hosts);

    // Says whether a caller that waits to be told to send its body (Expect: 100-continue) is invited to, by what its
    // head says. A caller that is not invited is answered at once, without a body, and its connection is closed.
    // Without this function all callers are invited. To routes that everybody may call they are always invited.
    using Invitation = std::function<bool(const Request&)>;
    void set_invitation(Invitation invitation);
    bool invites(const Request& request) const;

    // Returns the pattern of the route that the request is for, though the caller may not call it. It is empty if there
    // is none.
    std::string_view pattern_of(const Request& request) const;

    // Returns the answer to the request: the handler's, or 421, or 404, or 405 with Allow. The router must outlive it.
    boost::asio::awaitable<Response> dispatch(Request& request) const;

  private:
    struct Route {
        verb method;
        std::string pattern;
        Handler handler;
        Access access;
        std::optional<std::size_t> body_limit{};
    };

    bool is_meant(const Request& request) const { return !hosts_ || hosts_->include(request); }
    boost::asio::awaitable<Response> misdirected(Request& request) const;
    boost::asio::awaitable<Response> filtered(Request& request, const Route* found) const;
    boost::asio::awaitable<Response> route(Request& request, const Route* found) const;
    const Route* find(const Request& request) const;
    const Route* find(verb method, std::string_view path) const;
    boost::asio::awaitable<Response> refuse(Request& request) const;

    std::vector<Route> routes_;
    bool has_body_limits_ = false;
    Filter filter_;
    std::optional<Hosts> hosts_;
    Invitation invitation_;
};

}  // namespace gateway::http
