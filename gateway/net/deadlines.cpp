#include "net/deadlines.hpp"

#include "base/check.hpp"

#include <boost/asio/co_spawn.hpp>

namespace gateway {

void Deadline::set(Instant when) {
    clear();
    when_ = when;
    deadlines_.add(*this);
}

// Lends the timer for as long as the frame that holds it lives.
class Deadlines::Watch {
  public:
    Watch(Deadlines& deadlines, Timer& timer) : deadlines_(deadlines) { deadlines_.timer_ = &timer; }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { deadlines_.timer_ = nullptr; }

  private:
    Deadlines& deadlines_;
};

void Deadlines::stop() {
    stopped_ = true;
    if (timer_ != nullptr) timer_->notify();
}

void Deadlines::add(Deadline& deadline) {
    set_.insert(deadline);
    if (stopped_) return;
    if (!std::exchange(watching_, true)) boost::asio::co_spawn(executor_, watch(shared_from_this()), rethrow);
    if (deadline.when_ < wakes_at_ && timer_ != nullptr) timer_->notify();
}

boost::asio::awaitable<void> Deadlines::watch(std::shared_ptr<Deadlines> self) {
    if (self->stopped_) co_return;
    const auto timer = self->clock_.make_timer();
    const Watch watch(*self, *timer);
    while (!self->stopped_) {
        // A deadline that is cleared leaves the timer as it is. The timer then wakes once for nothing, which is cheaper
        // than to set it anew with every answer.
        self->wakes_at_ = self->set_.empty() ? never : self->set_.begin()->when_;
        co_await timer->wait_until(self->wakes_at_);
        if (!self->stopped_) self->pass(self->clock_.now());
    }
}

void Deadlines::pass(Instant now) {
    while (!set_.empty() && set_.begin()->when_ <= now) {
        auto& deadline = *set_.begin();
        deadline.clear();
        deadline.passed_();
    }
}

}  // namespace gateway
