// Random numbers in the form in which everything except base/system sees them. No std::*_distribution is used, because
// standard libraries differ in them, and a seed must replay exactly.
#pragma once

#include "base/check.hpp"
#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gateway {

class Random {
  public:
    virtual ~Random() = default;
    virtual void fill(std::span<std::byte> bytes) = 0;

    std::uint64_t next() {
        std::uint64_t value = 0;
        fill(std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }
    // Returns a whole number in [0, bound). The bias of the remainder is below 2^-32 for every bound that is used here.
    std::uint64_t below(std::uint64_t bound) {
        CHECK(bound > 0);
        return next() % bound;
    }
    // Returns a duration in [0, bound]: "full jitter".
    Duration up_to(Duration bound) {
        return Duration(static_cast<Duration::rep>(below(static_cast<std::uint64_t>(bound.count()) + 1)));
    }
};

}  // namespace gateway
