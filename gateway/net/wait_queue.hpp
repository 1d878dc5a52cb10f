// Holds coroutines that wait for the same event, each until its own deadline.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

namespace gateway {

class WaitQueue {
  public:
    enum class Position { back, front };

    // The queue must outlive every wait. The frame of a coroutine that waits therefore holds the object that the queue
    // is a part of.
    explicit WaitQueue(Clock& clock) : clock_(clock) {}
    WaitQueue(const WaitQueue&) = delete;
    WaitQueue& operator=(const WaitQueue&) = delete;
    ~WaitQueue() = default;

    // Ends when notify() reaches this coroutine, or at the deadline. A coroutine that has to wait again keeps its place
    // by entering the queue at the front.
    boost::asio::awaitable<Timer::Wake> wait(Instant deadline, Position position = Position::back);
    void notify_one();  // wakes the first
    void notify_all();
    bool empty() const noexcept { return waiting_.empty(); }
    std::size_t size() const noexcept { return waiting_.size(); }  // counts them, which takes time

  private:
    // Leaves the list by itself, also when the frame that holds it is destroyed.
    struct Entry : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        explicit Entry(Timer& t) : timer(t) {}
        Timer& timer;
    };
    using List = boost::intrusive::list<Entry, boost::intrusive::constant_time_size<false>>;

    Clock& clock_;
    List waiting_;
};

}  // namespace gateway
