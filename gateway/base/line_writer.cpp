#include "base/line_writer.hpp"

#include "base/process.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string_view>

namespace gateway {
namespace {

// After a write, before the next one: a first line is written at once, the lines of a busy store many at a time. Waking
// the thread for each of them would cost more than everything else about it.
constexpr std::chrono::milliseconds pause{5};
// How long the end waits for a reader of what is left.
constexpr std::chrono::seconds patience{3};

}  // namespace

void write_all(int descriptor, std::string_view text) {
    for (auto rest = text; !rest.empty();) {
        const auto count = ::write(descriptor, rest.data(), rest.size());
        if (count >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {  // standard output may be a pipe that somebody made so
            pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
            ::poll(&room, 1, -1);
        } else if (errno != EINTR) {
            return;
        }
    }
}

LineWriter::LineWriter(Write write) : cache_(std::make_shared<Desk>()) {
    cache_->write = std::move(write);
    thread_ = std::thread([cache = cache_] { work(*cache); });
}

LineWriter::LineWriter(int descriptor)
    : LineWriter([descriptor](std::string_view text) { write_all(descriptor, text); }) {}

LineWriter::~LineWriter() {
    std::unique_lock lock(cache_->mutex);
    cache_->stopping = true;
    cache_->wake.notify_one();
    cache_->stop_now.notify_one();
    const bool done = cache_->finished.wait_for(lock, patience, [this] { return cache_->done; });
    lock.unlock();
    if (done)
        thread_.join();
    else
        thread_.detach();
}

void LineWriter::work(Desk& cache) {
    let_others_finish();
    std::string text;
    std::unique_lock lock(cache.mutex);
    for (;;) {
        cache.idle = cache.text.empty();
        cache.wake.wait(lock, [&cache] { return cache.stopping || !cache.text.empty(); });
        cache.idle = false;
        if (cache.text.empty()) break;
        text.swap(cache.text);
        lock.unlock();
        cache.taken.notify_all();
        cache.write(text);
        text.clear();
        lock.lock();
        cache.stop_now.wait_for(lock, pause, [&cache] { return cache.stopping; });
    }
    cache.done = true;
    cache.finished.notify_one();
}

}  // namespace gateway
