// What one connection costs: it counts for whom it serves, and so does what is kept for it. A proxy's connection serves
// one caller after the other.
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
    // From here on it is this one's. False, which is logged, where that one has as many connections as it may.
    bool move_to(const boost::asio::ip::address& caller);
    // Says how many bytes are kept now. False, which is logged, where that is too much.
    bool keep(std::size_t bytes);
    std::size_t kept() const noexcept { return kept_; }

  private:
    void close();

    Listener& listener_;
    boost::asio::ip::address caller_;
    Listener::Caller* counts_;
    std::size_t kept_ = 0;  // among the caller's bytes
};

}  // namespace gateway::http
