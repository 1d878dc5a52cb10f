// GET /v1/terminals lists every terminal of the configuration, with when it called last, and what it sold last.
#pragma once

#include "api/terminal_calls.hpp"
#include "api/terminals.hpp"
#include "base/clock.hpp"
#include "base/run_moment.hpp"
#include "http/server/message.hpp"
#include "journal/journal.hpp"

#include <map>
#include <string>

namespace gateway {

class TerminalListApi {
  public:
    // Every reference must outlive the api and its route. The api is made when the gateway starts, and sees the calls
    // since then.
    TerminalListApi(const Terminals& terminals, const SeenCalls& seen, Journal& journal, const Clock& clock)
        : terminals_(terminals), seen_(seen), journal_(journal), since_(clock) {}

    boost::asio::awaitable<http::Response> list(http::Request& request);

  private:
    // Looks, once, for the last sale of terminals that have not sold since the start, among the newest sales from
    // before it.
    boost::asio::awaitable<Result<void>> look_back();
    boost::asio::awaitable<std::optional<Sale>> last_sale(const std::string& terminal);

    const Terminals& terminals_;
    const SeenCalls& seen_;
    Journal& journal_;
    const RunMoment since_;
    bool looked_back_ = false;
    std::map<std::string, SaleId> sold_before_;
};

}  // namespace gateway
