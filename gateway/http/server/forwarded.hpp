// Says who calls through a proxy that writes X-Forwarded-For. It is pure.
#pragma once

#include "http/server/fields.hpp"
#include "net/networks.hpp"

#include <boost/asio/ip/address.hpp>

namespace gateway::http {

// Returns the rightmost address in the X-Forwarded-For fields, which together are one list, that is not a trusted one.
// Each proxy adds on the right the address that called it, and what stands left of a stranger is only what the stranger
// said. If all addresses are trusted, it is the leftmost one. What stands left of something that is not an address is
// not looked at. Returns `peer` if it is not trusted or says nothing.
boost::asio::ip::address caller_of(const Fields& fields, const boost::asio::ip::address& peer, const Networks& trusted);

}  // namespace gateway::http
