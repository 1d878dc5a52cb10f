// Whether the machine is as the sales need it: its clock, and the room on the journal's disk. What is not is said in
// the log once when it begins, and once when it is over, and sales go on meanwhile.
//
// The clock is compared with two others. One is the provider's, by the Date of its answers: that one says a moment
// between the request and the answer, cut to the second, so that the difference is known within bounds. Two answers in
// a row have to say the same, because one may be of a machine whose clock is wrong. What they said stays true by the
// clock that nobody sets: setting this machine's clock right ends it without another answer. The other one is the
// journal's newest record: time does not go back.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/reply.hpp"
#include "journal/journal.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

class MachineCheck {
  public:
    // Something that needs care while sales go on.
    struct Concern {
        std::string_view what;  // a literal: "clock" or "disk"
        WallTime since;
        std::string sentence;  // for the operator
    };

    // Every reference must outlive it and its coroutine.
    MachineCheck(Journal& journal, Clock& clock, Log& log) : journal_(journal), clock_(clock), log_(log) {}

    // An answer of the provider's own interface, or of its token service.
    void hear(const Reply& reply);
    // Looks at the clock and at the disk, and says in the log what has begun or ended.
    void look();
    // Looks now and then, and asks the journal what it knows. Never ends.
    boost::asio::awaitable<void> keep_looking();
    // Asks the journal for its newest record, and for what an hour of sales takes.
    boost::asio::awaitable<void> ask_journal();

    // Returns what look() found last.
    const std::vector<Concern>& concerns() const noexcept { return concerns_; }
    // The sentence of one; null where all is well with that.
    const Concern* concern(std::string_view what) const;

    // How far this clock is ahead of the provider's, and below zero how far behind, give or take a second; nothing
    // where no answer has told it.
    std::optional<Duration> ahead_of_provider() const;
    // How far this clock is behind the journal's newest record; zero where it is not, nothing where there is none.
    std::optional<Duration> behind_journal() const;
    std::optional<DiskRoom> disk() const { return journal_.disk(); }

  private:
    struct Bounds {
        Duration least;
        Duration most;
        bool are_apart() const noexcept;
    };
    Bounds ahead(const Reply::Dated& told) const;
    bool is_apart_from_provider() const;
    std::string about_clock() const;
    std::string about_disk() const;
    enum class News { none, begun, ended };
    News take(std::string_view what, std::string sentence);

    Journal& journal_;
    Clock& clock_;
    Log& log_;
    std::optional<Reply::Dated> heard_;  // what two answers agree on, or one that finds nothing wrong
    bool is_apart_ = false;              // what that one says
    bool is_contradicted_ = false;       // by the last answer
    std::optional<WallTime> newest_record_;
    std::optional<Instant> asked_pace_at_;
    std::vector<Concern> concerns_;
};

}  // namespace gateway
