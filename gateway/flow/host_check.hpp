// Whether the machine is as the sales need it: its clock, and the room on the journal's disk. What is not is said in
// the log once when it begins, and once when it is over, and sales go on meanwhile.
//
// The clock is compared with two others. One is the provider's, by the Date of its answers: that one says a moment
// between the request and the answer, cut to the second, so that the difference is known within bounds. Two answers in
// a row have to say the same, because one may be of a machine whose clock is wrong. What they said stays true by the
// clock that nobody sets: setting this machine's clock right ends it without another answer. The other one is the
// journal's newest record: time does not go back. A clock that is wrong and then set wrong another way is another
// trouble, with a line of its own.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/reply.hpp"
#include "base/run_moment.hpp"
#include "flow/metrics.hpp"
#include "journal/journal.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

class HostCheck {
  public:
    // Something that needs care while sales go on.
    struct Concern {
        std::string_view what;  // a literal: "clock" or "disk"
        std::string_view kind;  // a literal: what about it; another kind is another trouble
        RunMoment since;
        std::string sentence;  // for the operator
    };

    // Every reference must outlive it and its coroutine.
    HostCheck(Journal& journal, const Metrics& metrics, Clock& clock, Log& log)
        : journal_(journal), metrics_(metrics), clock_(clock), log_(log) {}

    // An answer of the provider's own interface, or of its token service.
    void hear(const Reply& reply);
    // Looks at the clock and at the disk, and says in the log what has begun or ended.
    void look();
    // Looks for the first time: what the journal knows is asked for before. Returns whether nothing was found.
    boost::asio::awaitable<bool> look_around();
    // Looks now and then after that, and asks the journal what it knows. Never ends.
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
    struct Trouble {
        std::string_view kind;
        std::string sentence;  // empty: there is none
    };
    Trouble clock_trouble() const;
    Trouble disk_trouble() const;
    std::optional<WallTime> newest_record() const;
    // Returns whether somebody has set this machine's clock since the last call, by more than a minute.
    bool clock_was_set();
    enum class News { none, begun, ended };
    // `is_anew`: a trouble that goes on is another one all the same.
    News take(std::string_view what, Trouble trouble, bool is_anew = false);

    Journal& journal_;
    const Metrics& metrics_;
    Clock& clock_;
    Log& log_;
    std::optional<Reply::Dated> heard_;     // what two answers agree on, or one that finds nothing wrong
    bool is_apart_ = false;                 // what that one says
    bool is_contradicted_ = false;          // by the last answer
    std::optional<WallTime> newest_found_;  // of the journal's records, when that was asked
    std::optional<Duration> clock_set_to_;  // against the one that nobody sets, at the last look
    std::optional<Instant> asked_pace_at_;
    std::vector<Concern> concerns_;
};

}  // namespace gateway
