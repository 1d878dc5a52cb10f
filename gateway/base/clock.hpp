// Time, as everything but base/system sees it. The simulation puts a clock of its own behind this interface and jumps
// from one alarm to the next, so nothing else in the gateway may ask the operating system for the time.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>

namespace gateway {

// A point on the steady clock: for deadlines and durations. Means nothing in another process.
using Instant = std::chrono::steady_clock::time_point;
// A point on the wall clock, in UTC: for people, for the provider, and for the journal. May jump.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;

// Something one coroutine at a time waits on: until a time comes, or until somebody rings.
class Alarm {
  public:
    enum class Wake { time, ring };

    virtual ~Alarm() = default;
    // Ends at `when` or at ring(), whichever is first. A ring() that came while nobody waited ends the next wait at
    // once; several of those count as one.
    virtual boost::asio::awaitable<Wake> wait_until(Instant when) = 0;
    virtual void ring() = 0;
};

class Clock {
  public:
    virtual ~Clock() = default;
    virtual Instant now() const = 0;
    virtual WallTime wall() const = 0;
    virtual std::unique_ptr<Alarm> make_alarm() = 0;

    boost::asio::awaitable<void> sleep_until(Instant when) {
        const auto alarm = make_alarm();
        co_await alarm->wait_until(when);
    }
    boost::asio::awaitable<void> sleep_for(Duration length) { return sleep_until(now() + length); }
};

// For waits that only a ring() ends.
constexpr Instant never = Instant::max();

}  // namespace gateway
