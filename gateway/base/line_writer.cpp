#include "base/line_writer.hpp"

#include "base/background_thread.hpp"

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

LineWriter::LineWriter(Write write) : write_(std::move(write)), thread_([this] { work(); }) {}

LineWriter::LineWriter(int descriptor)
    : LineWriter([descriptor](std::string_view text) { write_all(descriptor, text); }) {}

LineWriter::~LineWriter() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    stop_now_.notify_one();
    thread_.join();
}

void LineWriter::work() {
    let_others_finish();
    std::string text;
    std::unique_lock lock(mutex_);
    for (;;) {
        idle_ = waiting_text_.empty();
        wake_.wait(lock, [this] { return stopping_ || !waiting_text_.empty(); });
        idle_ = false;
        if (waiting_text_.empty()) return;
        text.swap(waiting_text_);
        lock.unlock();
        taken_.notify_all();
        write_(text);
        text.clear();
        lock.lock();
        stop_now_.wait_for(lock, pause, [this] { return stopping_; });
    }
}

}  // namespace gateway
