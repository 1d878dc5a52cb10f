// Holds the clock while one thing is handled: whoever hands events out (sockets that are ready, steps that are durable)
// makes a ClockHold for each, and SystemClock asks the operating system once in it, however often it is asked itself. A
// handler that measured how long it takes itself would measure nothing; none does.
#pragma once

#include "base/clock.hpp"

#include <optional>
#include <utility>

namespace gateway {

// For this thread, until it is gone; the innermost one counts.
class ClockHold {
  public:
    ClockHold() noexcept : outer_(std::exchange(innermost, this)) {}
    ClockHold(const ClockHold&) = delete;
    ClockHold& operator=(const ClockHold&) = delete;
    ~ClockHold() { innermost = outer_; }

    // Null where the clock runs.
    static ClockHold* current() noexcept { return innermost; }

    // As they were when they were first asked for.
    std::optional<Instant> now;
    std::optional<WallTime> wall;

  private:
    static inline constinit thread_local ClockHold* innermost = nullptr;

    ClockHold* outer_;
};

}  // namespace gateway
