// What the operator and the monitoring ask: is it alive, is it ready, how is it doing.
#pragma once

#include "base/clock.hpp"
#include "flow/attention_list.hpp"
#include "flow/seller.hpp"
#include "http/router.hpp"
#include "journal/journal.hpp"
#include "provider/token_keeper.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gateway {

// A number of another part for the metrics: its full name with labels, what it is, and its value now.
struct Gauge {
    std::string name;
    std::string help;
    bool counter = false;
    std::function<double()> value;
};

class AdminApi {
  public:
    // `gauges`: the numbers of parts that this room does not know. Every reference must outlive the api and its routes.
    AdminApi(Seller& seller, Journal& journal, const TokenKeeper& tokens, const AttentionList& attention,
             const Tally& tally, std::vector<Gauge> gauges, Clock& clock);

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
    const Tally& tally_;
    const std::vector<Gauge> gauges_;
    Clock& clock_;
    bool recovered_ = false;
};

}  // namespace gateway
