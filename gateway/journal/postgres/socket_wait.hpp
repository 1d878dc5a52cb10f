// What the coroutine of a session waits with: for a socket that libpq owns, for a time, and to be woken.
#pragma once

#include "base/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <memory>

namespace gateway::postgres {

class SocketWait {
  public:
    enum class For { reading, writing, both };

    SocketWait(const boost::asio::any_io_executor& executor, Clock& clock);
    SocketWait(const SocketWait&) = delete;
    SocketWait& operator=(const SocketWait&) = delete;
    ~SocketWait() = default;

    // From now on it waits for this socket. It takes a descriptor of its own, as libpq closes its one when it likes.
    // False: there is none to be had.
    bool watch(int socket);
    void let_go();

    // Ends when the socket is ready, when woken, when the time has come, and now and then for nothing.
    boost::asio::awaitable<void> ready(For what, Instant until);
    // The same without the socket.
    boost::asio::awaitable<void> until(Instant when);
    void wake() { timer_->notify(); }
    // Wakes it at any time, also when it is gone.
    std::shared_ptr<Timer> waker() const { return timer_; }
    // From here on nothing is waited for any more, every time has come, and the clock is left alone.
    void stop();
    bool has_stopped() const noexcept { return stopped_; }

    // The time so much later.
    Instant in(Duration length) const { return stopped_ ? Instant::min() : clock_.now() + length; }
    bool has_come(Instant when) const { return stopped_ || clock_.now() >= when; }

  private:
    // Of one descriptor: whether it is being waited for.
    struct Watched {
        bool for_reading = false;
        bool for_writing = false;
    };
    void ask(boost::asio::posix::stream_descriptor::wait_type what, bool Watched::*asked);

    Clock& clock_;
    bool stopped_ = false;
    const std::shared_ptr<Timer> timer_;
    boost::asio::posix::stream_descriptor descriptor_;
    std::shared_ptr<Watched> watched_ = std::make_shared<Watched>();
};

}  // namespace gateway::postgres
