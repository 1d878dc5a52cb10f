// A moment of this run in the form in which people are told about it.
#pragma once

#include "base/clock.hpp"

#include <chrono>

namespace gateway {

// The moment is kept by the clock that nobody sets. The time that people are told is therefore right as soon as the
// wall clock is right, however wrong that clock was at the moment itself. What the journal keeps is by the wall clock
// alone, because it outlives the run.
class RunMoment {
  public:
    // Takes the present moment. The clock must outlive this object.
    explicit RunMoment(const Clock& clock) : clock_(&clock), since_boot_(since_boot()), told_(clock.wall()) {}

    // Returns the moment by the wall clock as it is set now. As long as nobody sets that clock, the answer is the same
    // each time.
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
    // The two clocks are not read at the same moment. If somebody sets the clock, it moves by more than this.
    static constexpr Duration is_set_by{1'000};

    std::chrono::nanoseconds since_boot() const { return clock_->now().time_since_epoch() + clock_->slept(); }

    const Clock* clock_;
    std::chrono::nanoseconds since_boot_;
    mutable WallTime told_;
};

}  // namespace gateway
