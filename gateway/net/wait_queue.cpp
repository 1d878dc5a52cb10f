#include "net/wait_queue.hpp"

namespace gateway {

boost::asio::awaitable<Timer::Wake> WaitQueue::wait(Instant deadline, Position position) {
    const auto timer = clock_.make_timer();
    Entry entry(*timer);
    waiting_.insert(position == Position::front ? waiting_.begin() : waiting_.end(), entry);
    co_return co_await timer->wait_until(deadline);
}

void WaitQueue::notify_one() {
    if (waiting_.empty()) return;
    auto& timer = waiting_.front().timer;
    waiting_.pop_front();
    timer.notify();
}

void WaitQueue::notify_all() {
    while (!waiting_.empty())
        notify_one();
}

}  // namespace gateway
