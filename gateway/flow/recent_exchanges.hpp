// The exchanges with the provider in the last hour, minute by minute: what a person looks at who asks whether it is
// slow just now.
#pragma once

#include "base/clock.hpp"
#include "base/histogram.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace gateway {

class RecentExchanges {
  public:
    static constexpr std::size_t kept = 60;

    struct Minute {
        std::chrono::sys_time<std::chrono::minutes> at{};
        Histogram took;
        std::uint64_t unknown = 0;  // of these: without a usable answer
    };

    // One that is older than what is kept in its place is left out.
    void add(WallTime at, Duration took, bool unknown);
    // Those that had any, oldest first.
    std::vector<Minute> minutes(WallTime now) const;

  private:
    std::array<Minute, kept> minutes_{};  // each at its number modulo their count
};

}  // namespace gateway
