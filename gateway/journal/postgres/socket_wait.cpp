#include "journal/postgres/socket_wait.hpp"

#include <fcntl.h>

#include <utility>

namespace gateway::postgres {

using Descriptor = boost::asio::posix::stream_descriptor;

SocketWait::SocketWait(const boost::asio::any_io_executor& executor, Clock& clock)
    : clock_(clock), timer_(clock.make_timer()), descriptor_(executor) {}

bool SocketWait::watch(int socket) {
    let_go();
    const int own = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return false;
    boost::system::error_code failed;
    descriptor_.assign(own, failed);
    return !failed;
}

void SocketWait::let_go() {
    boost::system::error_code ignored;
    descriptor_.close(ignored);
    watched_ = std::make_shared<Watched>();
}

boost::asio::awaitable<void> SocketWait::ready(For what, Instant until) {
    if (stopped_) co_return;
    if (what != For::writing) ask(Descriptor::wait_read, &Watched::for_reading);
    if (what != For::reading) ask(Descriptor::wait_write, &Watched::for_writing);
    co_await timer_->wait_until(until);
}

boost::asio::awaitable<void> SocketWait::until(Instant when) {
    if (!stopped_) co_await timer_->wait_until(when);
}

void SocketWait::stop() {
    stopped_ = true;
    wake();
}

// What was asked for stays asked for until it comes, however often the wait has ended meanwhile.
void SocketWait::ask(Descriptor::wait_type what, bool Watched::*asked) {
    if (std::exchange(*watched_.*asked, true)) return;
    descriptor_.async_wait(what, [watched = watched_, asked, timer = timer_](const boost::system::error_code&) {
        *watched.*asked = false;
        timer->notify();
    });
}

}  // namespace gateway::postgres
