#include "http/server/deadlines.hpp"

namespace gateway::http {

void WaitDeadlines::begin(Waiter& waiter, Wait kind, Instant now) {
    const auto index = static_cast<std::size_t>(kind);
    waiter.unlink();
    waiter.at_ = now + lengths_.at(index);
    queues_.at(index).push_back(waiter);
    if (waiter.at_ >= wake_) return;
    wake_ = waiter.at_;
    if (watch_ != nullptr) watch_->notify();
}

Instant WaitDeadlines::expire(Instant now) {
    for (auto& queue : queues_) {
        while (!queue.empty() && queue.front().at_ <= now) {
            auto& waiter = queue.front();
            waiter.unlink();
            waiter.expire();
        }
    }
    wake_ = earliest();
    return wake_;
}

Instant WaitDeadlines::earliest() const noexcept {
    Instant first = never;
    for (const auto& queue : queues_)
        if (!queue.empty()) first = std::min(first, queue.front().at_);
    return first;
}

}  // namespace gateway::http
