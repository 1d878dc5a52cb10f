// These are the callbacks that are still to be sent, each with the time when it is due. The sender (the program's HTTP
// client, or a simulation) takes the callbacks that are due and reports what the receiver answered. Until that answer
// is a 200, the callback comes due again after a wait. "Once it does, no more notifications are sent for that event."
// The personality decides how often this happens, and how long each wait is.
#pragma once

#include "base/clock.hpp"
#include "sandbox/personality.hpp"
#include "sandbox/words.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gateway::sandbox {

struct Callback {
    std::uint64_t id = 0;
    std::string idExterno{};
    std::string idTransacao{};
    std::string url{};
    std::string body{};
    Status status{};        // the sale's status from the time when the callback is first due
    bool sent = true;       // false: the sale moves and nobody is told
    bool moved = false;     // the sale has that status now, or had a final one
    bool shielded = false;  // fault rules leave the next try alone
    bool unheard = false;   // the answer to this try is lost
    std::size_t tries = 0;
    WallTime due{};
    bool under_way = false;
};

class Callbacks {
  public:
    // `options` must outlive the object.
    explicit Callbacks(const Options& options) : options_(options) {}

    // Adds one. Beyond a limit it is dropped, as if it had been given up.
    void add(Callback callback, WallTime due);
    // Returns the earliest callback that is due and not under way. It is under way from now on, until one of the calls
    // below.
    Callback* next(WallTime now);
    std::optional<WallTime> next_due() const;

    Callback* find(std::uint64_t id);
    void done(std::uint64_t id);
    // Schedules one more try. Returns false where this was the last try, and then the callback is given up.
    bool again(std::uint64_t id, WallTime now);
    // Makes it due again at `when`, and does not count a try.
    void postpone(std::uint64_t id, WallTime when);

    const std::map<std::uint64_t, Callback>& all() const noexcept { return pending_; }
    void clear();

  private:
    void enqueue(Callback& callback, WallTime due);
    Duration wait_before_next(const Callback& callback) const;

    const Options& options_;
    std::map<std::uint64_t, Callback> pending_;                    // by id, which is the order in which they were made
    std::map<std::pair<WallTime, std::uint64_t>, Callback*> due_;  // those that are not under way
    std::uint64_t last_id_ = 0;
};

}  // namespace gateway::sandbox
