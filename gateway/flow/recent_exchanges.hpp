// The exchanges with the provider in the last hour, minute by minute: what a person looks at who asks whether it is
// slow just now.
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
        std::uint64_t unknown = 0;  // of these: without a usable answer
    };

    // What the wall clock would show at that moment if nobody had set it since the first moment that was ever given
    // here: minutes are counted by this, so that an hour stays one.
    WallTime run_time(const RunMoment& at);
    // Gives what the wall clock, as it is set now, calls such a time.
    WallTime as_set_now(WallTime run_time) const;

    void add(const RunMoment& at, Duration took, bool unknown) { add_at(run_time(at), took, unknown); }
    // One that is older than what is kept in its place is left out.
    void add_at(WallTime run_time, Duration took, bool unknown);
    // Gives the minutes that had any, oldest first. Their times are told as the clock is set now.
    std::vector<Minute> minutes(const RunMoment& now);

  private:
    std::array<Minute, kept> minutes_{};  // each at its number modulo their count, by the run's time
    std::optional<RunMoment> first_{};
    WallTime first_told_{};  // of that moment, when it was given
};

}  // namespace gateway
