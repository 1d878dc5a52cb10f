// What the operator and the monitoring ask: is it alive, is it ready, how is it doing.
#pragma once

#include "api/exposition.hpp"
#include "base/clock.hpp"
#include "flow/attention_list.hpp"
#include "flow/seller.hpp"
#include "http/server/router.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gateway {

class AdminApi {
  public:
    // Adds to the metrics what parts that this room does not know have to say.
    using Others = std::function<void(Exposition&)>;

    // Every reference must outlive the api and its routes.
    AdminApi(Seller& seller, Journal& journal, const TokenKeeper& tokens, const AttentionList& attention,
             const Metrics& metrics, Others others, Clock& clock);

    void add_to(http::Router& router);

    // Recovery is under way: what was open is known. Not ready before.
    void set_recovered() { recovered_ = true; }
    // Why no sale can be taken now, a sentence each; empty: it is ready.
    std::vector<std::string> not_ready() const;

  private:
    http::Response ready(const http::Request& request) const;
    std::string metrics() const;

    Seller& seller_;
    Journal& journal_;
    const TokenKeeper& tokens_;
    const AttentionList& attention_;
    const Metrics& metrics_;
    const Others others_;
    Clock& clock_;
    bool recovered_ = false;
};

}  // namespace gateway
