// What the operator and the service's watchers ask: is it alive, is it ready. The numbers are metrics_page's.
#pragma once

#include "api/health.hpp"
#include "http/server/router.hpp"

namespace gateway {

class AdminApi {
  public:
    // `health` must outlive the api and its routes.
    explicit AdminApi(Health& health) : health_(health) {}

    void add_to(http::Router& router);

  private:
    boost::asio::awaitable<http::Response> ready(http::Request& request);

    Health& health_;
};

}  // namespace gateway
