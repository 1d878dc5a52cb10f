// Answers what the operator and the service's watchers ask: whether the gateway is alive, and whether it is ready.
// metrics_page has the numbers.
#pragma once

#include "api/health.hpp"
#include "http/server/message.hpp"

namespace gateway {

class AdminApi {
  public:
    // `health` must outlive the api and its routes.
    explicit AdminApi(Health& health) : health_(health) {}

    boost::asio::awaitable<http::Response> alive(http::Request& request);
    boost::asio::awaitable<http::Response> ready(http::Request& request);

  private:
    Health& health_;
};

}  // namespace gateway
