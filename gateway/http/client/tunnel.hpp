// Leads through an HTTP proxy. The proxy is asked to connect to an origin (CONNECT; RFC 9110, section 9.3.6), and once
// it agrees it passes the bytes of both sides on. Everything that is sent to the origin, TLS included, comes after
// that.
#pragma once

#include "base/secret.hpp"
#include "http/client/addresses.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace gateway::http {

class Connection;

struct Proxy {
    std::string url;   // as configured, for people
    std::string host;  // a name, or an address without brackets
    std::uint16_t port = 0;
    Secret authorization;  // the value of Proxy-Authorization; empty if there is none
};

struct Tunnel {
    bool stands = false;
    bool answered = false;  // the proxy answered, whatever it said
    std::string why;        // says, for people, why it does not stand
};

// Opens a tunnel on a connection to the proxy, within the deadline that was set for the connection. The proxy looks up
// the origin's name. A proxy that sends more than its answer is refused: an origin does not speak before it is asked,
// so these bytes belong to nobody.
boost::asio::awaitable<Tunnel> open_tunnel(Connection& connection, const Proxy& proxy, const Origin& origin);

}  // namespace gateway::http
