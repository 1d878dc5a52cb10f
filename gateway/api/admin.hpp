// What the operator and the monitoring ask: is it alive, is it ready, how is it doing.
#pragma once

#include "api/exposition.hpp"
#include "api/health.hpp"
#include "base/clock.hpp"
#include "flow/attention_list.hpp"
#include "flow/seller.hpp"
#include "http/server/router.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

#include <functional>
#include <string>

namespace gateway {

class AdminApi {
  public:
    // Adds to the metrics what parts that this room does not know have to say.
    using Others = std::function<void(Exposition&)>;

    // Every reference must outlive the api and its routes.
    AdminApi(Seller& seller, Journal& journal, const TokenKeeper& tokens, Health& health,
             const AttentionList& attention, const Metrics& metrics, Others others, Clock& clock);

    void add_to(http::Router& router);

  private:
    boost::asio::awaitable<http::Response> ready(http::Request& request);
    std::string metrics() const;

    Seller& seller_;
    Journal& journal_;
    const TokenKeeper& tokens_;
    Health& health_;
    const AttentionList& attention_;
    const Metrics& metrics_;
    const Others others_;
    Clock& clock_;
};

}  // namespace gateway
