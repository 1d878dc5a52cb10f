// GET /v1/status gives what a till shows a cashier before money changes hands.
#pragma once

#include "api/health.hpp"
#include "api/terminals.hpp"
#include "http/server/message.hpp"

#include <string>

namespace gateway {

class StatusApi {
  public:
    // Every reference must outlive the api and its routes. `version` is that of the program.
    StatusApi(Health& health, const Terminals& terminals, std::string version);

    boost::asio::awaitable<http::Response> status(http::Request& request);

  private:
    Health& health_;
    const Terminals& terminals_;
    const std::string version_;
};

}  // namespace gateway
