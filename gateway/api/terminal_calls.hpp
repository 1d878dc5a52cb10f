// What is seen of each terminal's calls since the start: from where and with what it called last, and what it was
// refused. For a person who asks whether a till is alive, and why it does not sell.
#pragma once

#include "base/clock.hpp"
#include "base/run_moment.hpp"
#include "http/server/message.hpp"
#include "sale/sale.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

struct TerminalCalls {
    std::optional<RunMoment> last_at;
    boost::asio::ip::address address;
    std::string client;                           // its User-Agent, cut; empty: it sends none
    std::optional<WallTime> certificate_ends_at;  // of the one that it showed
    std::uint64_t refused = 0;                    // answers of 400 to 499
    std::optional<RunMoment> refused_at;
    unsigned refused_with = 0;  // the last of these
    std::optional<SaleId> last_sale;
};

// Callers whose key let nobody in.
struct UnknownCalls {
    std::uint64_t count = 0;
    std::optional<RunMoment> last_at;
    std::string last_address;
};

class SeenCalls {
  public:
    void note(const http::Request& request, const http::Response& answer, RunMoment now);
    void note_unknown(const http::Request& request, RunMoment now);

    // Null where it has not called.
    const TerminalCalls* of(const std::string& terminal) const;
    const UnknownCalls& unknown() const noexcept { return unknown_; }

  private:
    std::map<std::string, TerminalCalls> terminals_;  // of the configuration, so that they are no more than these
    UnknownCalls unknown_;
};

}  // namespace gateway
