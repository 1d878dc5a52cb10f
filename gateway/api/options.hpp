// GET /v1/options says what can be sold, with every family's value query in one shape; without parameters it says what
// can be asked for.
#pragma once

#include "api/request_rules.hpp"
#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "families/product.hpp"
#include "flow/options_cache.hpp"
#include "http/server/message.hpp"

#include <vector>

namespace gateway {

class OptionsApi {
  public:
    // `products` are those that the store lists. Every reference must outlive the api and its routes.
    OptionsApi(std::vector<Product> products, OptionsCache& cache, const Terminals& terminals, Clock& clock)
        : products_(std::move(products)), cache_(cache), terminals_(terminals), clock_(clock) {}

    boost::asio::awaitable<http::Response> ask(http::Request& request);
    // Replaces the list of products.
    void reload(std::vector<Product> products) { products_ = std::move(products); }

  private:
    http::Response failure_answer(const http::Request& request, const OptionsQuestion& question,
                                  const OptionsCache::Unavailable& silence) const;
    ResultOrResponse<OptionsQuestion> read(const http::Request& request, const Terminal& terminal) const;

    std::vector<Product> products_;
    OptionsCache& cache_;
    const Terminals& terminals_;
    Clock& clock_;
};

}  // namespace gateway
