// Who calls through a proxy that writes X-Forwarded-For. Pure.
#pragma once

#include "http/server/fields.hpp"
#include "net/networks.hpp"

#include <boost/asio/ip/address.hpp>

namespace gateway::http {

// The rightmost address of the X-Forwarded-For fields, all of them one list, that is not a trusted one: each proxy adds
// to the right whom it was called by, and what stands to the left of a stranger is what the stranger said. The leftmost
// where all of them are trusted. Where something stands in the list that is no address, what is to the left of it is
// not looked at. `peer` itself where it is not trusted or says nothing.
boost::asio::ip::address caller_of(const Fields& fields, const boost::asio::ip::address& peer, const Networks& trusted);

}  // namespace gateway::http
