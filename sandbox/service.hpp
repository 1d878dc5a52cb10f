// This puts the model on the network: it listens for requests, lets late requests arrive in time and sends callbacks.
// It decides nothing; see model.hpp.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "http/server/server.hpp"
#include "sandbox/callback_sender.hpp"
#include "sandbox/model.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <optional>

namespace gateway::sandbox {

struct ServiceOptions {
    boost::asio::ip::tcp::endpoint endpoint;
    std::optional<http::TlsFiles> tls;
    CallbackSenderOptions sender;
};

class Service {
  public:
    // This throws boost::system::system_error where the endpoint cannot be bound or a file cannot be read. Every
    // reference must outlive the service. Destroy it only when the executor's context does not run any more.
    Service(boost::asio::any_io_executor executor, ServiceOptions options, Model& model, Clock& clock, Random& random,
            Log& log);

    boost::asio::ip::tcp::endpoint endpoint() const { return server_->endpoint(); }
    void start();

  private:
    boost::asio::awaitable<http::Response> handle(http::Request& request);
    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> carry(Delivery delivery);
    // The wall clock may be set back, and the model's time must not go back: the model's time starts at the wall
    // clock's and goes on with the steady clock.
    WallTime now() const;

    boost::asio::any_io_executor executor_;
    Model& model_;
    Clock& clock_;
    Log& log_;
    const WallTime wall_at_start_;
    const Instant start_;
    CallbackSender sender_;
    std::unique_ptr<Timer> timer_;
    std::size_t under_way_ = 0;
    std::unique_ptr<http::Server> server_;
};

}  // namespace gateway::sandbox
