// A moment of this run, as people are told of it.
#pragma once

#include "base/clock.hpp"

#include <chrono>

namespace gateway {

// The clock that nobody sets keeps it. What is told of it is right as soon as the wall clock is, however wrong that one
// was at the moment itself. What the journal keeps is of the wall clock alone, because it outlives the run.
class RunMoment {
  public:
    // Now. The clock must outlive it.
    explicit RunMoment(const Clock& clock) : clock_(&clock), since_boot_(since_boot()), told_(clock.wall()) {}

    // When it was, by the wall clock as that is set now. As long as nobody sets that, the answer is the same each time.
    WallTime wall() const {
        const auto at = clock_->wall() - ago();
        if (std::chrono::abs(at - told_) >= is_set_by) told_ = at;
        return told_;
    }
    Duration ago() const { return std::chrono::floor<Duration>(since_boot() - since_boot_); }
    Duration since(const RunMoment& other) const noexcept {
        return std::chrono::floor<Duration>(since_boot_ - other.since_boot_);
    }
    bool is_before(const RunMoment& other) const noexcept { return since_boot_ < other.since_boot_; }

  private:
    // The two clocks are not read at once. Who sets one sets it by more.
    static constexpr Duration is_set_by{1'000};

    std::chrono::nanoseconds since_boot() const { return clock_->now().time_since_epoch() + clock_->slept(); }

    const Clock* clock_;
    std::chrono::nanoseconds since_boot_;
    mutable WallTime told_;
};

}  // namespace gateway
