// Chance, as everything but base/system sees it. No std::*_distribution: they differ between standard libraries, and a
// seed must replay exactly.
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
    // A whole number in [0, bound). The bias of the remainder is below 2^-32 for every bound used here.
    std::uint64_t below(std::uint64_t bound) {
        CHECK(bound > 0);
        return next() % bound;
    }
    // A duration in [0, bound]: "full jitter".
    Duration up_to(Duration bound) {
        return Duration(static_cast<Duration::rep>(below(static_cast<std::uint64_t>(bound.count()) + 1)));
    }
};

}  // namespace gateway
