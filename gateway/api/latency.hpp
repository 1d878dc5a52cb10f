// GET /v1/latency says how long the provider took in each minute of the last hour, and since when that is known.
#pragma once

#include "base/clock.hpp"
#include "base/run_moment.hpp"
#include "flow/metrics.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"

#include <boost/asio/awaitable.hpp>

namespace gateway {

class LatencyApi {
  public:
    // Every reference must outlive the api and its route. The api is made when the gateway starts.
    LatencyApi(Metrics& metrics, Journal& journal, const Clock& clock)
        : metrics_(metrics),
          journal_(journal),
          clock_(clock),
          started_(clock),
          started_at_(metrics.recent_exchanges.run_time(started_)),
          known_since_(started_at_) {}

    boost::asio::awaitable<http::Response> latency(http::Request& request);

  private:
    // Takes the exchanges from before the start out of the journal, once. Where several gateways share the journal it
    // takes nothing, because their exchanges are not told apart there.
    boost::asio::awaitable<Result<void>> look_back();
    boost::asio::awaitable<void> take(SaleId sale, WallTime from);

    Metrics& metrics_;
    Journal& journal_;
    const Clock& clock_;
    const RunMoment started_;
    // Both are in the run's time, because the exchanges are kept by it.
    const WallTime started_at_;
    WallTime known_since_;
    bool looked_back_ = false;
};

}  // namespace gateway
