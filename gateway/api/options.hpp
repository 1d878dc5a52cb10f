// GET /v1/options: what can be sold, every family's value query in one shape.
#pragma once

#include "api/request_rules.hpp"
#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "flow/options_cache.hpp"
#include "http/server/router.hpp"

namespace gateway {

struct OptionsApiOptions {
    Duration wait{15'000};  // for the provider, where the caller does not say
};

class OptionsApi {
  public:
    // Every reference must outlive the api and its routes.
    OptionsApi(OptionsApiOptions options, OptionsCache& cache, const Terminals& terminals, Clock& clock);

    void add_to(http::Router& router);

  private:
    boost::asio::awaitable<http::Response> ask(http::Request& request);
    ResultOrResponse<OptionsQuestion> read(const http::Request& request, const Terminal& terminal) const;

    const OptionsApiOptions options_;
    OptionsCache& cache_;
    const Terminals& terminals_;
    Clock& clock_;
};

}  // namespace gateway
