// Carries one callback: a POST over HTTP, or over HTTPS where the address says so, on a connection of its own.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>

#include <string>

namespace gateway::sandbox {

struct CallbackSenderOptions {
    std::string ca_file;                       // empty: the system's
    bool verify = true;                        // the receiver's certificate; off only for trying things out
    Duration time = std::chrono::seconds(10);  // for all of it
};

class CallbackSender {
  public:
    // Throws boost::system::system_error where the CA file cannot be read.
    CallbackSender(boost::asio::any_io_executor executor, CallbackSenderOptions options);

    // The status that the receiver answered with.
    boost::asio::awaitable<Result<int>> post(std::string url, std::string body);

  private:
    boost::asio::any_io_executor executor_;
    CallbackSenderOptions options_;
    boost::asio::ssl::context tls_;
};

}  // namespace gateway::sandbox
