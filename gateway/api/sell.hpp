// POST /v1/sell sells in one call.
#pragma once

#include "api/rate_limiter.hpp"
#include "api/request_rules.hpp"
#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "flow/options_cache.hpp"
#include "flow/seller.hpp"
#include "http/server/message.hpp"
#include "sale/machine.hpp"

#include <string>
#include <unordered_map>

namespace gateway {

struct SellApiOptions {
    Duration sell_wait{25'000};
    std::int64_t per_terminal_rate = 50;  // sells a second
};

class SellApi {
  public:
    // Every reference must outlive the api and its routes.
    SellApi(SellApiOptions options, const Rules& rules, Seller& seller, OptionsCache& cache, const Terminals& terminals,
            Clock& clock);

    boost::asio::awaitable<http::Response> sell(http::Request& request);

  private:
    // Returns the sale, begun or known, or the answer that says why there is none.
    boost::asio::awaitable<ResultOrResponse<SellResult>> begin(http::Request& request, Instant deadline);
    // Reads the body into `sell`, whose digest stays empty where there is no JSON object. Returns the answer that says
    // what is wrong with it, if anything is.
    std::optional<http::Response> read(http::Request& request, const Terminal& terminal, SellOrder& sell) const;
    boost::asio::awaitable<ResultOrResponse<SellResult>> unless_known(const SellOrder& order, http::Response refusal);
    boost::asio::awaitable<FieldErrors> compare_with_offer(SellOrder& asked, OptionsQuestion question,
                                                           Instant deadline);
    boost::asio::awaitable<http::Response> answer(http::Request& request, SellResult sold, Instant deadline);
    RateLimiter& rate_of(const std::string& terminal);

    const SellApiOptions options_;
    const Rules& rules_;
    Seller& seller_;
    OptionsCache& cache_;
    const Terminals& terminals_;
    Clock& clock_;
    std::unordered_map<std::string, RateLimiter> rates_;
};

}  // namespace gateway
