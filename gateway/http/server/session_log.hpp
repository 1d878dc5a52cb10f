// Writes what a session says in the log about the requests that it answers and refuses: which, to whom and why. Nothing
// of what was sent is written.
#pragma once

#include "http/server/listener.hpp"

#include <boost/asio/ip/address.hpp>

#include <exception>
#include <string_view>

namespace gateway::http {

// Logs that an exception has ended a session.
void log_failure(const Listener& listener, const std::exception& failure);
// `caller` is the address that the request is from.
void log_answer(Listener& listener, const boost::asio::ip::address& caller, const Request& request,
                const Response& response);
// `request_id` is empty if there was no request.
void log_refusal(Listener& listener, const boost::asio::ip::address& caller, std::string_view request_id,
                 std::string_view reason);
// Logs that a handshake has just failed. If the caller says that it is because of our certificate, that is counted and
// has no line of its own.
void log_failed_tls(Listener& listener, const boost::asio::ip::address& caller);

}  // namespace gateway::http
