// GET /v1/latency: how long the provider took, minute by minute, in the last hour.
#pragma once

#include "base/clock.hpp"
#include "flow/metrics.hpp"
#include "http/server/router.hpp"

namespace gateway {

class LatencyApi {
  public:
    // Both must outlive the api and its route.
    LatencyApi(const Metrics& metrics, const Clock& clock) : metrics_(metrics), clock_(clock) {}

    void add_to(http::Router& router);

  private:
    const Metrics& metrics_;
    const Clock& clock_;
};

}  // namespace gateway
