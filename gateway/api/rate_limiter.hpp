// How often something may happen: a bucket of tokens that fills at a steady rate.
#pragma once

#include "base/clock.hpp"

#include <algorithm>
#include <cstdint>

namespace gateway {

class RateLimiter {
  public:
    // As many a second on average, and as many at once.
    RateLimiter(std::int64_t rate_per_s, Instant now)
        : interval_(std::chrono::nanoseconds(std::chrono::seconds(1)) / std::max<std::int64_t>(rate_per_s, 1)),
          burst_(std::chrono::seconds(1)),
          free_at_(now) {}

    // Takes a token; false where there is none.
    bool take(Instant now) {
        // The time up to which tokens are spent: one lies an interval further on, and at most a burst ahead of now.
        const auto next = std::max(free_at_, now) + interval_;
        if (next - now > burst_) return false;
        free_at_ = next;
        return true;
    }
    // For what turned out not to have happened.
    void give_back() { free_at_ -= interval_; }

  private:
    std::chrono::nanoseconds interval_;
    std::chrono::nanoseconds burst_;
    Instant free_at_;
};

}  // namespace gateway
