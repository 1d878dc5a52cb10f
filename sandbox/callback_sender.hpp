// This sends one callback: a POST over HTTP, or over HTTPS where the address says so, on a connection of its own. The
// gateway's own client cannot leave a certificate unverified, and it must not learn to.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/deadlines.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace gateway::sandbox {

struct CallbackSenderOptions {
    std::string ca_file;                       // empty: the system's authorities
    bool verify = true;                        // the receiver's certificate is verified; off only for trying things out
    Duration time = std::chrono::seconds(10);  // for the whole exchange
};

class CallbackSender {
  public:
    // This throws boost::system::system_error where the CA file cannot be read. `clock` must outlive the sender.
    CallbackSender(boost::asio::any_io_executor executor, CallbackSenderOptions options, Clock& clock);
    ~CallbackSender() { deadlines_->stop(); }
    CallbackSender(const CallbackSender&) = delete;
    CallbackSender& operator=(const CallbackSender&) = delete;

    // Returns the status of the receiver's answer, or errc::malformed, errc::unreachable or errc::connection_lost.
    boost::asio::awaitable<Result<int>> post(std::string url, std::string body);

  private:
    boost::asio::any_io_executor executor_;
    CallbackSenderOptions options_;
    Clock& clock_;
    const std::shared_ptr<Deadlines> deadlines_;
    boost::asio::ssl::context tls_;
};

}  // namespace gateway::sandbox
