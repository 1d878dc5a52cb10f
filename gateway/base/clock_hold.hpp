// Holds the clock while one thing is handled: whoever hands events out (sockets that are ready, steps that are durable)
// makes a ClockHold for each, and SystemClock, which is asked for the time fifty times in a sale, asks the operating
// system once in each. A handler that measured how long it takes itself would measure nothing; none does.
#pragma once

#include "base/clock.hpp"

namespace gateway {

// For this thread, until it is gone. One inside another changes nothing, so that time never goes back.
class ClockHold {
  public:
    // More often than one event asks. Whoever takes up ten thousand sales in one go does not do so all at one time.
    static constexpr unsigned asks_per_reading = 64;

    ClockHold() noexcept : outer_(in_force) {
        if (outer_ == nullptr) in_force = this;
    }
    ClockHold(const ClockHold&) = delete;
    ClockHold& operator=(const ClockHold&) = delete;
    ~ClockHold() { in_force = outer_; }

    // Null where the clock runs.
    static ClockHold* current() noexcept { return in_force; }

    // What the clocks say, read by `read` when it is not known or no longer true enough.
    template <class Read>
    Instant now(Read read) {
        return now_.ask(read);
    }
    template <class Read>
    WallTime wall(Read read) {
        return wall_.ask(read);
    }

  private:
    template <class Time>
    struct Reading {
        template <class Read>
        Time ask(Read read) {
            if (asked++ % asks_per_reading == 0) time = read();
            return time;
        }
        Time time;
        unsigned asked = 0;
    };

    static inline constinit thread_local ClockHold* in_force = nullptr;

    ClockHold* outer_;
    Reading<Instant> now_;
    Reading<WallTime> wall_;
};

}  // namespace gateway
