// Time in the form in which everything except base/system sees it. The simulation puts its own clock behind this
// interface and jumps from one timer to the next. Therefore nothing else in the gateway may ask the operating system
// for the time.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string_view>

namespace gateway {

// An Instant is a point on the steady clock, for deadlines and durations. A restart of the machine makes it useless.
using Instant = std::chrono::steady_clock::time_point;
// A WallTime is a point on the wall clock, in UTC, for people, for the provider and for the journal. It may jump.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;

// A wall clock that differs by so much, or was set by so much, is not believed to know which day it is.
constexpr Duration unbelievable_difference = std::chrono::hours(24);

// One coroutine at a time waits for a timer, until a time comes or until notify() is called.
class Timer {
  public:
    enum class Wake { timeout, notified };

    virtual ~Timer() = default;
    // Ends at `when` or at notify(), whichever comes first. If nothing waits at a notify(), the next wait ends at once.
    // Several such calls count as one.
    virtual boost::asio::awaitable<Wake> wait_until(Instant when) = 0;
    virtual void notify() = 0;
};

class Clock {
  public:
    virtual ~Clock() = default;
    virtual Instant now() const = 0;
    virtual WallTime wall() const = 0;
    // Returns how long the machine has slept since it was started. now() stands still while it sleeps.
    virtual Duration slept() const { return Duration(0); }
    // Names the run of the machine that now() belongs to. In processes that return the same name, the same Instant
    // means the same moment. The name is empty if it is not known.
    virtual std::string_view boot() const { return {}; }
    virtual std::unique_ptr<Timer> make_timer() = 0;

    boost::asio::awaitable<void> sleep_until(Instant when) {
        const auto timer = make_timer();
        co_await timer->wait_until(when);
    }
    boost::asio::awaitable<void> sleep_for(Duration length) { return sleep_until(now() + length); }
};

// Returns the next of the moments that are `apart` from each other. Parts that look at something now and then wait for
// these moments and so wake together: a machine at rest is woken once for all of them.
constexpr Instant next_beat(Instant now, Duration apart) {
    return now - now.time_since_epoch() % apart + apart;
}

// This is the deadline of a wait that only a notify() ends.
constexpr Instant never = Instant::max();

}  // namespace gateway
