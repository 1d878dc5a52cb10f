// Coroutines that wait for the same thing to happen, each until its own deadline.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

namespace gateway {

class WaitQueue {
  public:
    enum class Position { back, front };

    // Must outlive every wait; the frame of whoever waits therefore holds what this is a part of.
    explicit WaitQueue(Clock& clock) : clock_(clock) {}
    WaitQueue(const WaitQueue&) = delete;
    WaitQueue& operator=(const WaitQueue&) = delete;
    ~WaitQueue() = default;

    // Ends when it is this waiter's turn (ring), or at the deadline. Whoever has to wait again keeps its turn by taking
    // a place at the front.
    boost::asio::awaitable<Timer::Wake> wait(Instant deadline, Position place = Position::back);
    void notify_one();  // the first
    void notify_all();
    bool empty() const noexcept { return waiting_.empty(); }
    std::size_t size() const noexcept { return waiting_.size(); }  // counts

  private:
    // Leaves the list by itself, also where the frame that it stands in is destroyed.
    struct Waiter : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        explicit Waiter(Timer& a) : timer(a) {}
        Timer& timer;
    };
    using List = boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>>;

    Clock& clock_;
    List waiting_;
};

}  // namespace gateway
