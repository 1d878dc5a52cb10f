// GET /v1/status: what a till shows a cashier before money changes hands.
#pragma once

#include "api/health.hpp"
#include "api/terminals.hpp"
#include "http/server/router.hpp"

#include <string>

namespace gateway {

class StatusApi {
  public:
    // Every reference must outlive the api and its routes. `version` is the program's.
    StatusApi(Health& health, const Terminals& terminals, std::string version);

    void add_to(http::Router& router);

  private:
    boost::asio::awaitable<http::Response> status(http::Request& request);

    Health& health_;
    const Terminals& terminals_;
    const std::string version_;
};

}  // namespace gateway
