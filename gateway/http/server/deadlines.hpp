// By when each connection must have got on with what it is doing. There are few kinds of waits, and every wait of one
// kind is equally long, so each kind is a queue that is sorted by itself: beginning and ending a wait costs a few
// pointers, and thousands of connections share one timer.
#pragma once

#include "base/clock.hpp"

#include <boost/intrusive/list.hpp>

#include <array>

namespace gateway::http {

enum class Wait { idle, header, body, write, linger };
constexpr std::size_t wait_kinds = 5;

class WaitDeadlines {
  private:
    using Hook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>,
                                                  boost::intrusive::tag<WaitDeadlines>>;

  public:
    // What has a deadline. Leaves its queue when it is destroyed.
    class Waiter : public Hook {
      public:
        virtual ~Waiter() = default;
        // Its deadline is over; it has left the queue.
        virtual void expire() = 0;

      private:
        friend class WaitDeadlines;

        Instant at_{};
    };

    // Indexed by Wait.
    using Lengths = std::array<Duration, wait_kinds>;

    // `watch` points at whom to ring when a deadline comes up that is before the one last named; at null while there is
    // nobody. The pointer that it refers to must outlive this.
    WaitDeadlines(const Lengths& lengths, Timer* const& watch) : lengths_(lengths), watch_(watch) {}

    // Begins a wait of this kind at `now`; ends the one that the waiter was in.
    void begin(Waiter& waiter, Wait kind, Instant now);
    static void end(Waiter& waiter) noexcept { waiter.unlink(); }

    // Expires all whose time has come, and says when to be called next, unless the timer rings before.
    Instant expire(Instant now);

  private:
    using Queue =
        boost::intrusive::list<Waiter, boost::intrusive::base_hook<Hook>, boost::intrusive::constant_time_size<false>>;

    Instant earliest() const noexcept;

    Lengths lengths_;
    std::array<Queue, wait_kinds> queues_;
    Instant wake_ = never;
    Timer* const& watch_;
};

}  // namespace gateway::http
