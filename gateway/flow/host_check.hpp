// Checks what the sales need of the machine: its clock, and the room on the journal's disk. A trouble is reported in
// the log once when it begins and once when it is over; sales go on meanwhile.
//
// The clock is compared with two others. The first is the provider's, by the Date of its answers. That names a moment
// between the request and the answer, cut to the second, so the difference is known within bounds. Two answers in a row
// have to agree, because one of them may come from a machine whose clock is wrong. Their result stays valid by the
// steady clock, which nobody sets: it ends when this machine's clock is set right, without another answer. The second
// clock is the journal's newest record, because time does not go back. A clock that is wrong, and is then set wrong in
// another way, is another trouble with a line of its own.
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
    // This is a trouble that needs care while sales go on.
    struct Concern {
        std::string_view what;  // a literal: "clock" or "disk"
        std::string_view kind;  // a literal: what is wrong with it; another kind is another trouble
        RunMoment since;
        std::string sentence;  // for the operator
    };

    // Every reference must outlive it and its coroutine.
    HostCheck(Journal& journal, const Metrics& metrics, Clock& clock, Log& log)
        : journal_(journal), metrics_(metrics), clock_(clock), log_(log) {}

    // Takes an answer of the provider's own interface or of its token service.
    void hear(const Reply& reply);
    // Checks the clock and the disk, and reports in the log what has begun or ended.
    void look();
    // Makes the first check, after asking the journal what it knows. Returns whether nothing was found.
    boost::asio::awaitable<bool> look_around();
    // Makes further checks from time to time, and asks the journal again. Never ends.
    boost::asio::awaitable<void> keep_looking();
    // Asks the journal for its newest record, and for the room that an hour of sales needs.
    boost::asio::awaitable<void> ask_journal();

    // Returns what look() found last.
    const std::vector<Concern>& concerns() const noexcept { return concerns_; }
    // Returns the concern about `what` ("clock" or "disk"); null where there is none.
    const Concern* concern(std::string_view what) const;

    // Returns how far this clock is ahead of the provider's, to about a second; a negative value means behind. Returns
    // nothing where no answer has told it.
    std::optional<Duration> ahead_of_provider() const;
    // Returns how far this clock is behind the journal's newest record; zero where it is not, nothing where there is no
    // record.
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
    // Notes a trouble or its end. With `is_anew`, a trouble that goes on counts as another one.
    News take(std::string_view what, Trouble trouble, bool is_anew = false);

    Journal& journal_;
    const Metrics& metrics_;
    Clock& clock_;
    Log& log_;
    std::optional<Reply::Dated> heard_;     // the answer that two answers agree on, or that shows nothing wrong
    bool is_apart_ = false;                 // what that answer shows
    bool is_contradicted_ = false;          // the last answer contradicts it
    std::optional<WallTime> newest_found_;  // the journal's newest record, when it was last asked for
    std::optional<Duration> clock_set_to_;  // the wall clock's difference to the steady clock at the last look
    std::optional<Instant> asked_pace_at_;
    std::vector<Concern> concerns_;
};

}  // namespace gateway
