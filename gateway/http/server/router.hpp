// Which handler answers which verb and path; 404 and 405 are decided here and nowhere else.
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

// Who may call a route: those whom the router's filter lets pass, or everybody, whom it is not asked about.
enum class Access { filtered, everybody };

class Router {
  public:
    // `pattern` is literal segments, "{name}" for one segment that is not empty, and "{name...}" at the end for all the
    // rest, one segment or more; for example "/v1/sales/{id}/confirm". Request::parameter has "{name}" decoded. It has
    // "{name...}" as it stands in Request::path, still encoded: decoded, a slash that was sent as %2F could no longer
    // be told from one that separates.
    //
    // Of several patterns that match path and verb the one with the earlier literal wins. HEAD is answered by GET's
    // handler unless it has one of its own.
    void add(verb method, std::string pattern, Handler handler, Access access = Access::filtered);

    // For a route that is there: how long a body may be, in bytes, instead of what its listener says.
    void set_body_limit(verb method, std::string_view pattern, std::size_t bytes);
    // That of the request's route; nothing where it has none of its own, or where the caller is not invited to send a
    // body: room beyond the listener's own limit is not for strangers.
    std::optional<std::size_t> body_limit(const Request& request) const;

    // What all requests of a listener have in common, but those of routes that are everybody's. Runs before routing, so
    // that an unauthorised caller learns nothing about which other paths exist; the handler that it is given is all of
    // the routing, 404 and 405 included, for this request and for others that the filter makes.
    using Filter = std::function<boost::asio::awaitable<Response>(Request&, const Handler&)>;
    void set_filter(Filter filter);

    // Requests that name another host are answered 421, before the filter and before it is asked who may call their
    // routes. Without it every host will do.
    void set_hosts(Hosts hosts);

    // Asked of a caller that waits to be told to send its body (Expect: 100-continue), with what its head says. One
    // that is not invited is answered at once, without a body, and its connection is closed. Without it all are
    // invited, and to routes that are everybody's they are all the same.
    using Invitation = std::function<bool(const Request&)>;
    void set_invitation(Invitation invitation);
    bool invites(const Request& request) const;

    // The pattern of the route that the request is for, no matter who may call it; empty where there is none.
    std::string_view pattern_of(const Request& request) const;

    // The answer to the request: the handler's, or 421, or 404, or 405 with Allow. The router must outlive it.
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
