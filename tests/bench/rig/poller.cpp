#include "poller.hpp"

#include "check.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace rig {
namespace {

constexpr int longest_sleep_ms = 100;

epoll_event interest(Poller::Watcher& watcher, bool writing) {
    epoll_event event{};
    event.events = writing ? EPOLLIN | EPOLLOUT : EPOLLIN;
    event.data.ptr = &watcher;
    return event;
}

}  // namespace

Poller::Poller() : epoll_(must("epoll_create", epoll_create1(EPOLL_CLOEXEC))) {}

Poller::~Poller() {
    close(epoll_);
}

void Poller::watch(int descriptor, Watcher& watcher, bool writing) {
    auto event = interest(watcher, writing);
    must("epoll_ctl", epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event));
}

void Poller::change(int descriptor, Watcher& watcher, bool writing) {
    auto event = interest(watcher, writing);
    must("epoll_ctl", epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event));
}

void Poller::forget(int descriptor) {
    must("epoll_ctl", epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr));
}

void Poller::at(Instant when, std::function<void()> action) {
    timers_.push({when, std::move(action)});
}

int Poller::milliseconds_to_next() const {
    if (timers_.empty()) return longest_sleep_ms;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.top().when - Clock::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, longest_sleep_ms));
}

void Poller::run(const std::function<bool()>& done) {
    std::array<epoll_event, 512> events{};
    while (!done()) {
        const int count = epoll_wait(epoll_, events.data(), events.size(), milliseconds_to_next());
        for (int i = 0; i < count; ++i) {
            const auto& event = events.at(static_cast<std::size_t>(i));
            static_cast<Watcher*>(event.data.ptr)->ready(event.events);
        }
        while (!timers_.empty() && timers_.top().when <= Clock::now()) {
            const auto action = timers_.top().action;
            timers_.pop();
            action();
        }
    }
}

}  // namespace rig
