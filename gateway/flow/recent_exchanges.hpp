// Counts the exchanges with the provider in the last hour by the minute, for a person who asks whether it is slow at
// present.
#pragma once

#include "base/clock.hpp"
#include "base/histogram.hpp"
#include "base/run_moment.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace gateway {

class RecentExchanges {
  public:
    static constexpr std::size_t kept = 60;

    struct Minute {
        WallTime at{};
        Histogram took;
        std::uint64_t unknown = 0;  // how many of these had no usable answer
    };

    // Returns what the wall clock would show at that moment if nobody had set it since the first moment that was given
    // here. Minutes are counted by this time, so that an hour always has sixty.
    WallTime run_time(const RunMoment& at);
    // Returns what the wall clock, as it is set now, calls that time.
    WallTime as_set_now(WallTime run_time) const;

    void add(const RunMoment& at, Duration took, bool unknown) { add_at(run_time(at), took, unknown); }
    // Adds an exchange, unless it is older than the minute that is kept in its place.
    void add_at(WallTime run_time, Duration took, bool unknown);
    // Returns the minutes that had any exchange, the oldest first. Their times are by the wall clock as it is set now.
    std::vector<Minute> minutes(const RunMoment& now);

  private:
    std::array<Minute, kept> minutes_{};  // a minute is at its number modulo `kept`; the numbers count by run_time()
    std::optional<RunMoment> first_{};
    WallTime first_told_{};  // the wall clock's time at that first moment
};

}  // namespace gateway
