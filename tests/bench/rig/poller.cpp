#include "bench/rig/poller.hpp"

#include "bench/rig/check.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace rig {
namespace {

constexpr std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(100);

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

// The time is not in whole milliseconds, as with epoll_wait: two of them would be a part of what is measured.
timespec Poller::time_to_next() const {
    std::chrono::nanoseconds left = longest_sleep;
    if (!timers_.empty())
        left = std::clamp<std::chrono::nanoseconds>(timers_.top().when - Clock::now(), left.zero(), longest_sleep);
    return {.tv_sec = 0, .tv_nsec = left.count()};
}

void Poller::run(const std::function<bool()>& done) {
    std::array<epoll_event, 512> events{};
    while (!done()) {
        const auto wait = time_to_next();
        const int count = epoll_pwait2(epoll_, events.data(), events.size(), &wait, nullptr);
        if (count < 0 && errno != EINTR) fail("epoll_pwait2", std::strerror(errno));
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
