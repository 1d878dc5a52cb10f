// GET /metrics gives what a monitoring system reads: the numbers of every part, in the Prometheus text format.
#pragma once

#include "api/exposition.hpp"
#include "api/health.hpp"
#include "base/clock.hpp"
#include "flow/attention_list.hpp"
#include "flow/metrics.hpp"
#include "flow/seller.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

#include <functional>
#include <string>

namespace gateway {

class MetricsPage {
  public:
    // Adds to the page what parts have to say that this room does not know.
    using Others = std::function<void(Exposition&)>;

    // Every reference must outlive the page and its route.
    MetricsPage(const Seller& seller, const Journal& journal, const TokenKeeper& tokens, Health& health,
                AttentionList& attention, const Metrics& metrics, Others others, const Clock& clock);

    boost::asio::awaitable<http::Response> page(http::Request& request);

  private:
    std::string text() const;

    const Seller& seller_;
    const Journal& journal_;
    const TokenKeeper& tokens_;
    Health& health_;
    AttentionList& attention_;
    const Metrics& metrics_;
    const Others others_;
    const Clock& clock_;
};

}  // namespace gateway
