// This is an event loop on epoll for one thread. It has only what the rig needs, so that the rig costs less than what
// it measures.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <queue>
#include <vector>

namespace rig {

using Clock = std::chrono::steady_clock;
using Instant = Clock::time_point;

class Poller {
  public:
    class Watcher {
      public:
        Watcher() = default;
        Watcher(const Watcher&) = delete;
        Watcher& operator=(const Watcher&) = delete;
        virtual ~Watcher() = default;
        // Handles what epoll says about the descriptor. The watcher may remove itself, and no other one, in this call.
        virtual void ready(std::uint32_t events) = 0;
    };

    Poller();
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    // Watches for input, and for room to write where `writing`.
    void watch(int descriptor, Watcher& watcher, bool writing);
    void change(int descriptor, Watcher& watcher, bool writing);
    void forget(int descriptor);

    void at(Instant when, std::function<void()> action);
    // Runs until `done` says so; it is asked after every turn.
    void run(const std::function<bool()>& done);

  private:
    struct Timer {
        Instant when;
        std::function<void()> action;
        bool operator<(const Timer& other) const { return when > other.when; }
    };

    timespec time_to_next() const;

    int epoll_;
    std::priority_queue<Timer> timers_;
};

}  // namespace rig
