// The callbacks that are still to be sent, each with the time when it is due. What carries them (the program's HTTP
// client, or a simulation) takes those that are due and reports what the receiver answered; until that is a 200 a
// callback comes due again, after a wait. "Once it does, no more notifications are sent for that event." How often, and
// after which waits, is the personality's.
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
    Status status{};        // that the sale has from the time the callback is first due
    bool sent = true;       // else the sale moves and nobody is told
    bool moved = false;     // the sale has that status, or had a final one
    bool shielded = false;  // from fault rules, for the next try
    bool unheard = false;   // the answer to this try is lost
    std::size_t tries = 0;
    WallTime due{};
    bool under_way = false;
};

class Callbacks {
  public:
    // `options` must outlive the object.
    explicit Callbacks(const Options& options) : options_(options) {}

    // Adds one; beyond a limit it is let go, as if it had been given up.
    void add(Callback callback, WallTime due);
    // The earliest callback that is due and not under way; it is under way from now on, until one of the calls below.
    Callback* next(WallTime now);
    std::optional<WallTime> next_due() const;

    Callback* find(std::uint64_t id);
    void done(std::uint64_t id);
    // Tries once more later; false where it was the last try, and the callback is given up.
    bool again(std::uint64_t id, WallTime now);
    // Makes it due again at `when`, and counts no try.
    void postpone(std::uint64_t id, WallTime when);

    const std::map<std::uint64_t, Callback>& all() const noexcept { return pending_; }
    void clear();

  private:
    void enqueue(Callback& callback, WallTime due);
    Duration wait_before_next(const Callback& callback) const;

    const Options& options_;
    std::map<std::uint64_t, Callback> pending_;                    // by id: in the order they were made
    std::map<std::pair<WallTime, std::uint64_t>, Callback*> due_;  // those not under way
    std::uint64_t last_id_ = 0;
};

}  // namespace gateway::sandbox
