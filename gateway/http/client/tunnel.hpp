// The way through an HTTP proxy: it is asked to connect to an origin (CONNECT; RFC 9110, section 9.3.6), and from its
// consent on hands on the bytes of both sides. Whatever is sent to the origin, TLS included, comes after that.
#pragma once

#include "base/secret.hpp"
#include "http/client/addresses.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace gateway::http {

class Connection;

struct Proxy {
    std::string url;   // as it is configured, for people
    std::string host;  // a name, or an address without brackets
    std::uint16_t port = 0;
    Secret authorization;  // value of Proxy-Authorization; empty: none
};

struct Tunnel {
    bool stands = false;
    bool answered = false;  // by the proxy, whatever it said
    std::string why;        // it does not stand; for people
};

// On a connection to the proxy, which has a deadline. The name of the origin is the proxy's to look up. Refuses a proxy
// that sends more than its answer: an origin does not speak before it is asked, so these bytes are nobody's.
boost::asio::awaitable<Tunnel> open_tunnel(Connection& connection, const Proxy& proxy, const Origin& origin);

}  // namespace gateway::http
