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

LineWriter::LineWriter(Write write) : desk_(std::make_shared<Desk>()) {
    desk_->write = std::move(write);
    thread_ = std::thread([desk = desk_] { work(*desk); });
}

LineWriter::LineWriter(int descriptor)
    : LineWriter([descriptor](std::string_view text) { write_all(descriptor, text); }) {}

LineWriter::~LineWriter() {
    std::unique_lock lock(desk_->mutex);
    desk_->stopping = true;
    desk_->wake.notify_one();
    desk_->stop_now.notify_one();
    const bool done = desk_->finished.wait_for(lock, patience, [this] { return desk_->done; });
    lock.unlock();
    if (done)
        thread_.join();
    else
        thread_.detach();
}

void LineWriter::work(Desk& desk) {
    let_others_finish();
    std::string text;
    std::unique_lock lock(desk.mutex);
    for (;;) {
        desk.idle = desk.text.empty();
        desk.wake.wait(lock, [&desk] { return desk.stopping || !desk.text.empty(); });
        desk.idle = false;
        if (desk.text.empty()) break;
        text.swap(desk.text);
        lock.unlock();
        desk.taken.notify_all();
        desk.write(text);
        text.clear();
        lock.lock();
        desk.stop_now.wait_for(lock, pause, [&desk] { return desk.stopping; });
    }
    desk.done = true;
    desk.finished.notify_one();
}

}  // namespace gateway
