// Time, as everything but base/system sees it. The simulation puts a clock of its own behind this interface and jumps
// from one timer to the next, so nothing else in the gateway may ask the operating system for the time.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string_view>

namespace gateway {

// A point on the steady clock: for deadlines and durations. Means nothing once the machine has started again.
using Instant = std::chrono::steady_clock::time_point;
// A point on the wall clock, in UTC: for people, for the provider, and for the journal. May jump.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;

// A wall clock that is off by so much, or was set by so much, is not believed to know what day it is.
constexpr Duration unbelievable_difference = std::chrono::hours(24);

// One coroutine at a time waits for it: until a time comes, or until notify() is called.
class Timer {
  public:
    enum class Wake { timeout, notified };

    virtual ~Timer() = default;
    // Ends at `when` or at notify(), whichever is first. A notify() that met no wait ends the next wait at
    // once; several of those count as one.
    virtual boost::asio::awaitable<Wake> wait_until(Instant when) = 0;
    virtual void notify() = 0;
};

class Clock {
  public:
    virtual ~Clock() = default;
    virtual Instant now() const = 0;
    virtual WallTime wall() const = 0;
    // For how long the machine has slept since it started: now() stands still meanwhile.
    virtual Duration slept() const { return Duration(0); }
    // Names the run of the machine that now() belongs to: in processes that say the same, the same Instant means the
    // same moment. Empty: not known.
    virtual std::string_view boot() const { return {}; }
    virtual std::unique_ptr<Timer> make_timer() = 0;

    boost::asio::awaitable<void> sleep_until(Instant when) {
        const auto timer = make_timer();
        co_await timer->wait_until(when);
    }
    boost::asio::awaitable<void> sleep_for(Duration length) { return sleep_until(now() + length); }
};

// The next of the moments that lie so far apart. Parts that look after something now and then and wait for these wake
// together, so that a machine at rest is woken once for all of them.
constexpr Instant next_beat(Instant now, Duration apart) {
    return now - now.time_since_epoch() % apart + apart;
}

// For waits that only a notify() ends.
constexpr Instant never = Instant::max();

}  // namespace gateway
