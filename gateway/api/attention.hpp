// GET /v1/attention lists the sales that need a person, with what is known of each, what is not, and what to do. It
// says nothing of a customer, and nothing of what was bought.
#pragma once

#include "base/clock.hpp"
#include "flow/seller.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"

#include <string>
#include <utility>

namespace gateway {

class AttentionApi {
  public:
    // `open_sales_end` is the time after which the provider cancels an open sale by itself; 0: it is not known that it
    // does. `provider_phone` may be empty. The journal and the seller must outlive the api and its route.
    AttentionApi(Journal& journal, const Seller& seller, Duration open_sales_end, std::string provider_phone = {})
        : journal_(journal),
          seller_(seller),
          open_sales_end_(open_sales_end),
          provider_phone_(std::move(provider_phone)) {}

    boost::asio::awaitable<http::Response> list(http::Request& request);

  private:
    std::optional<WallTime> end_of(const MarkedSale& sale) const;
    std::optional<LastError> last_error(const MarkedSale& sale) const;

    Journal& journal_;
    const Seller& seller_;
    const Duration open_sales_end_;
    const std::string provider_phone_;
};

}  // namespace gateway
