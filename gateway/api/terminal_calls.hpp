// Keeps what is seen of each terminal's calls since the start: from where and with what it called last, and what it was
// refused. It is for a person who asks whether a till is alive, and why it does not sell.
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
    std::optional<WallTime> certificate_ends_at;  // when the certificate ends that it showed
    std::uint64_t refused = 0;                    // how many answers had a status of 400 to 499
    std::optional<RunMoment> refused_at;
    unsigned refused_with = 0;  // the status of the last of these
    std::optional<SaleId> last_sale;
};

// Counts callers whose key let nobody in.
struct UnknownCalls {
    std::uint64_t count = 0;
    std::optional<RunMoment> last_at;
    std::string last_address;
};

class SeenCalls {
  public:
    void note(const http::Request& request, const http::Response& answer, RunMoment now);
    void note_unknown(const http::Request& request, RunMoment now);

    // Returns null where the terminal has not called.
    const TerminalCalls* of(const std::string& terminal) const;
    const UnknownCalls& unknown() const noexcept { return unknown_; }

  private:
    std::map<std::string, TerminalCalls> terminals_;  // only those of the configuration, which bounds them
    UnknownCalls unknown_;
};

}  // namespace gateway
