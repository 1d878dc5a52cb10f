#include "net/wait_queue.hpp"

namespace gateway {

boost::asio::awaitable<Alarm::Wake> Waiters::wait(Instant deadline, Place place) {
    const auto alarm = clock_.make_alarm();
    Waiter waiter(*alarm);
    waiting_.insert(place == Place::front ? waiting_.begin() : waiting_.end(), waiter);
    co_return co_await alarm->wait_until(deadline);
}

void Waiters::wake_one() {
    if (waiting_.empty()) return;
    auto& alarm = waiting_.front().alarm;
    waiting_.pop_front();
    alarm.ring();
}

void Waiters::wake_all() {
    while (!waiting_.empty())
        wake_one();
}

}  // namespace gateway
