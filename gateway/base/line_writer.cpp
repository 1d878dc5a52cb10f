#include "base/line_writer.hpp"

#include "base/process.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string_view>

namespace gateway {
namespace {

// The writer pauses so long between two writes. The first line is written at once, and the lines of a busy store are
// written many at a time. To wake the thread for each line would cost more than everything else about it.
constexpr std::chrono::milliseconds pause{5};
// At the end, the writer waits so long for a reader of what is left.
constexpr std::chrono::seconds drain_time{3};

}  // namespace

void write_all(int descriptor, std::string_view text) {
    for (auto rest = text; !rest.empty();) {
        const auto count = ::write(descriptor, rest.data(), rest.size());
        if (count >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {  // standard output may be a non-blocking pipe of another process
            pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
            ::poll(&room, 1, -1);
        } else if (errno != EINTR) {
            return;
        }
    }
}

LineWriter::LineWriter(Write write) : shared_(std::make_shared<Shared>()) {
    shared_->write = std::move(write);
    thread_ = std::thread([shared = shared_] { work(*shared); });
}

LineWriter::LineWriter(int descriptor)
    : LineWriter([descriptor](std::string_view text) { write_all(descriptor, text); }) {}

LineWriter::~LineWriter() {
    std::unique_lock lock(shared_->mutex);
    shared_->stopping = true;
    shared_->wake.notify_one();
    shared_->stop_now.notify_one();
    const bool done = shared_->finished.wait_for(lock, drain_time, [this] { return shared_->done; });
    lock.unlock();
    if (done)
        thread_.join();
    else
        thread_.detach();
}

void LineWriter::work(Shared& shared) {
    let_others_finish();
    std::string text;
    std::unique_lock lock(shared.mutex);
    for (;;) {
        shared.idle = shared.text.empty();
        shared.wake.wait(lock, [&shared] { return shared.stopping || !shared.text.empty(); });
        shared.idle = false;
        if (shared.text.empty()) break;
        text.swap(shared.text);
        lock.unlock();
        shared.taken.notify_all();
        shared.write(text);
        text.clear();
        lock.lock();
        shared.stop_now.wait_for(lock, pause, [&shared] { return shared.stopping; });
    }
    shared.done = true;
    shared.finished.notify_one();
}

}  // namespace gateway
