// GET /v1/status of the admin listener says how the gateway is, to the operator who asks in the night. It has in one
// answer what /readyz says to machines, and /metrics in numbers.
#pragma once

#include "api/health.hpp"
#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "base/run_moment.hpp"
#include "books/day_books.hpp"
#include "flow/attention_list.hpp"
#include "flow/seller.hpp"
#include "http/server/repeated_calls.hpp"
#include "http/server/router.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gateway {

class OperatorStatusApi {
  public:
    using Hammerers = std::function<std::vector<http::Hammering>()>;

    // Every reference must outlive the api and its routes, and so must what `hammering` uses, which returns the callers
    // that are refused again and again. `version` is that of the program, which has been started now.
    OperatorStatusApi(Health& health, const Seller& seller, const Journal& journal, const TokenKeeper& tokens,
                      AttentionList& attention, const Terminals& terminals, DayBooks& books, Hammerers hammering,
                      std::string version, Clock& clock);

    boost::asio::awaitable<http::Response> status(http::Request& request);
    // From then on, every answer of the router that the journal, or a sale in it, cannot be used says why, and what to
    // do; and a caller that asks for text is answered with it.
    void add_filter_to(http::Router& router) const;

  private:
    boost::asio::awaitable<http::Response> explain(http::Request& request, const http::Handler& next) const;

    Health& health_;
    const Seller& seller_;
    const Journal& journal_;
    const TokenKeeper& tokens_;
    AttentionList& attention_;
    const Terminals& terminals_;
    DayBooks& books_;
    const Hammerers hammering_;
    const std::string version_;
    const Clock& clock_;
    const RunMoment started_;
};

}  // namespace gateway
