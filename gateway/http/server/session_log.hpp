// What a session says in the log of the requests that it answers and refuses: which, to whom and why, and nothing of
// what was sent.
#pragma once

#include "http/server/listener.hpp"

#include <boost/asio/ip/address.hpp>

#include <exception>
#include <string_view>

namespace gateway::http {

// Of a session that an exception has ended.
void log_failure(const Listener& listener, const std::exception& failure);
// `caller` is whom the request is from.
void log_answer(Listener& listener, const boost::asio::ip::address& caller, const Request& request,
                const Response& response);
// `request_id` is empty where there was no request.
void log_refusal(Listener& listener, const boost::asio::ip::address& caller, std::string_view request_id,
                 std::string_view reason);
// A handshake has just failed. Callers who say that it is for our certificate are noted, and have no line each.
void log_failed_tls(Listener& listener, const boost::asio::ip::address& caller);

}  // namespace gateway::http
