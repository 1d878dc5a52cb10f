// Counts what one connection costs, on the account of the caller that it serves: the connection itself, and the bytes
// that are kept for it. A proxy's connection serves one caller after the other.
#pragma once

#include "http/server/listener.hpp"

#include <boost/asio/ip/address.hpp>

namespace gateway::http {

class Account {
  public:
    // The listener must outlive it.
    Account(Listener& listener, const boost::asio::ip::address& caller);
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;
    ~Account();

    const boost::asio::ip::address& caller() const noexcept { return caller_; }
    // After this the connection counts for this caller. Returns false, which is logged, if the caller has as many
    // connections as it may have.
    bool move_to(const boost::asio::ip::address& caller);
    // Says how many bytes are kept now. Returns false, which is logged, if that is too much.
    bool keep(std::size_t bytes);
    std::size_t kept() const noexcept { return kept_; }

  private:
    void close();

    Listener& listener_;
    boost::asio::ip::address caller_;
    Listener::Caller* counts_;
    std::size_t kept_ = 0;  // a part of the caller's bytes
};

}  // namespace gateway::http
