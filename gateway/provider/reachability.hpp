// What the log is told while something cannot be reached: that it began and why, from time to time that it goes on,
// soon that there is another reason, and that it is over; not every failure of every sale.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gateway::http {

class Outage {
  public:
    // `what` names what cannot be reached. `log` must outlive the calls.
    Outage(std::string what, Log& log) : what_(std::move(what)), log_(log) {}

    void failed(std::string_view why, Instant now);
    void over(Instant now);
    // The reason of the last failure; empty where all is well.
    const std::string& reason() const noexcept { return reason_; }

  private:
    const std::string what_;
    Log& log_;
    std::uint64_t failures_ = 0;  // since it began; 0: all is well
    Instant began_{};
    Instant told_{};
    std::string why_;  // as it was told
    std::string reason_;
};

}  // namespace gateway::http
