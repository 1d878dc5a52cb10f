#include "net/deadlines.hpp"

#include "base/rethrow.hpp"

#include <boost/asio/co_spawn.hpp>

namespace gateway {

Deadlines::Deadlines(boost::asio::any_io_executor executor, Clock& clock)
    : executor_(std::move(executor)), clock_(clock), timer_(clock.make_timer()) {}

void Deadlines::stop() {
    stopped_ = true;
    timer_->notify();
}

void Deadlines::add(Instant when, Deadline& deadline) {
    deadline.place_ = list_.emplace(when, &deadline);
    if (!std::exchange(watching_, true)) boost::asio::co_spawn(executor_, watch(shared_from_this()), rethrow);
    if (when < wakes_at_) timer_->notify();
}

boost::asio::awaitable<void> Deadlines::watch(std::shared_ptr<Deadlines> self) {
    while (!self->stopped_) {
        // A deadline that is cleared leaves the timer as it is: it wakes once for nothing, which is cheaper than being
        // set anew with every answer.
        self->wakes_at_ = self->list_.empty() ? never : self->list_.begin()->first;
        co_await self->timer_->wait_until(self->wakes_at_);
        if (self->stopped_) co_return;
        const Instant now = self->clock_.now();
        while (!self->list_.empty() && self->list_.begin()->first <= now) {
            auto& deadline = *self->list_.begin()->second;
            deadline.clear();
            deadline.passed_();
        }
    }
}

Deadline::Deadline(std::shared_ptr<Deadlines> deadlines, std::function<void()> passed)
    : deadlines_(std::move(deadlines)), passed_(std::move(passed)), place_(deadlines_->list_.end()) {}

void Deadline::set(Instant when) {
    clear();
    deadlines_->add(when, *this);
}

void Deadline::clear() {
    if (place_ == deadlines_->list_.end()) return;
    deadlines_->list_.erase(place_);
    place_ = deadlines_->list_.end();
}

}  // namespace gateway
