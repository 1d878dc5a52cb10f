// Limits how often something may happen, with a bucket of tokens that fills at a steady rate.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <cstdint>

namespace gateway {

class RateLimiter {
  public:
    // Allows `rate_per_s` a second on average, and as many at once.
    RateLimiter(std::int64_t rate_per_s, Instant now)
        : interval_(std::chrono::nanoseconds(std::chrono::seconds(1)) / std::max<std::int64_t>(rate_per_s, 1)),
          burst_(std::chrono::seconds(1)),
          free_at_(now) {}

    // Takes a token. Returns false where there is none.
    bool take(Instant now) {
        // This is the time up to which tokens are spent. Each token moves it an interval further, and it is at most a
        // burst ahead of now.
        const auto next = std::max(free_at_, now) + interval_;
        if (next - now > burst_) return false;
        free_at_ = next;
        return true;
    }
    // Gives the token back for something that turned out not to have happened.
    void give_back() { free_at_ -= interval_; }

  private:
    std::chrono::nanoseconds interval_;
    std::chrono::nanoseconds burst_;
    Instant free_at_;
};

}  // namespace gateway
