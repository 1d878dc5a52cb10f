#include "sandbox/callbacks.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway::sandbox {
namespace {

// This limit keeps a receiver that is down under load from filling the memory.
constexpr std::size_t most_pending = 100'000;

}  // namespace

void Callbacks::add(Callback callback, WallTime due) {
    if (pending_.size() >= most_pending) return;
    callback.id = ++last_id_;
    const auto [entry, fresh] = pending_.emplace(callback.id, std::move(callback));
    CHECK(fresh);
    enqueue(entry->second, due);
}

void Callbacks::enqueue(Callback& callback, WallTime due) {
    callback.due = due;
    callback.under_way = false;
    CHECK(due_.emplace(std::pair(due, callback.id), &callback).second);
}

Callback* Callbacks::next(WallTime now) {
    if (due_.empty() || due_.begin()->first.first > now) return nullptr;
    auto* callback = due_.begin()->second;
    due_.erase(due_.begin());
    callback->under_way = true;
    return callback;
}

std::optional<WallTime> Callbacks::next_due() const {
    return due_.empty() ? std::nullopt : std::optional(due_.begin()->first.first);
}

Callback* Callbacks::find(std::uint64_t id) {
    const auto found = pending_.find(id);
    return found == pending_.end() ? nullptr : &found->second;
}

void Callbacks::done(std::uint64_t id) {
    const auto found = pending_.find(id);
    CHECK(found != pending_.end() && found->second.under_way);
    pending_.erase(found);
}

bool Callbacks::again(std::uint64_t id, WallTime now) {
    auto* callback = find(id);
    CHECK(callback != nullptr && callback->under_way);
    if (++callback->tries >= options_.callback_tries) {
        done(id);
        return false;
    }
    enqueue(*callback, now + wait_before_next(*callback));
    return true;
}

Duration Callbacks::wait_before_next(const Callback& callback) const {
    const auto first = options_.callback_retry;
    if (options_.callback_repeat == CallbackRepeat::fixed) return first;
    constexpr std::size_t most_doublings = 20;  // this is far beyond the longest wait, and far from an overflow
    const auto doubled = first * (1 << std::min(callback.tries - 1, most_doublings));
    return std::min(doubled, std::max(first, options_.callback_retry_most));
}

void Callbacks::postpone(std::uint64_t id, WallTime when) {
    auto* callback = find(id);
    CHECK(callback != nullptr && callback->under_way);
    enqueue(*callback, when);
}

void Callbacks::clear() {
    due_.clear();
    pending_.clear();
}

}  // namespace gateway::sandbox
