#include "net/ready_socket.hpp"

#include "base/check.hpp"
#include "net/readiness.hpp"

#include <boost/asio/error.hpp>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace gateway {
namespace {

namespace asio = boost::asio;

constexpr std::uint32_t more_than_bytes = EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR;

}  // namespace

ReadySocket::ReadySocket(const asio::any_io_executor& executor) : readiness_(Readiness::of(executor)) {}

ReadySocket::~ReadySocket() {
    if (continuation_) readiness_.abandon(std::move(continuation_));
    close();
}

boost::system::error_code ReadySocket::adopt(int descriptor) {
    CHECK(descriptor_ < 0);
    descriptor_ = descriptor;
    const auto error = readiness_.watch(*this);
    if (error) close();
    return error;
}

int ReadySocket::connect(const asio::ip::tcp::endpoint& peer) {
    readable_ = writable_ = more_ = false;  // as what it was before it can be "written", in vain
    return ::connect(descriptor_, peer.data(), static_cast<socklen_t>(peer.size()));
}

ssize_t ReadySocket::receive(std::span<char> room, int flags) {
    const auto bytes = ::recv(descriptor_, room.data(), room.size(), flags);
    if (bytes < 0) {
        if (would_block()) readable_ = more_ = false;
    } else if (static_cast<std::size_t>(bytes) < room.size() && flags == 0 && !more_) {
        readable_ = false;  // that was all, and whatever comes after it is announced
    }
    return bytes;
}

ssize_t ReadySocket::send(std::string_view bytes) {
    const auto taken = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (taken < 0 && would_block()) writable_ = false;
    return taken;
}

bool ReadySocket::would_block() noexcept {
    return errno == EAGAIN || errno == EWOULDBLOCK;
}

boost::system::error_code ReadySocket::last_error() noexcept {
    return {errno, boost::system::system_category()};
}

void ReadySocket::begin_wait(Way way, Continuation continuation) {
    CHECK(!continuation_);
    continuation_ = std::move(continuation);
    way_ = way;
    if (descriptor_ < 0) {
        end_wait(Ending::closed);
    } else if (still_ready(way)) {
        end_wait(Ending::ready);
    } else {
        readiness_.wait(*this);
    }
}

// What was read to its last byte in pieces that were all full was never found to be empty.
// A look at the bytes themselves would take off an error that the next read must see.
bool ReadySocket::still_ready(Way way) {
    if (way == Way::write) return writable_;
    int bytes = 0;
    if (readable_ && !more_ && ::ioctl(descriptor_, FIONREAD, &bytes) == 0) readable_ = bytes > 0;
    return readable_;
}

bool ReadySocket::announce(std::uint32_t events) {
    const bool more = (events & more_than_bytes) != 0;
    more_ = more_ || more;
    readable_ = readable_ || more || (events & EPOLLIN) != 0;
    writable_ = writable_ || (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
    if (!waits() || !(way_ == Way::read ? readable_ : writable_)) return false;
    ending_ = Ending::ready;
    return true;
}

void ReadySocket::end_wait(Ending ending) {
    if (!waits()) return;
    ending_ = ending;
    readiness_.tell_soon(*this);
}

void ReadySocket::tell() {
    const auto ending = std::exchange(ending_, Ending::none);
    boost::system::error_code result;
    if (ending == Ending::aborted) result = asio::error::operation_aborted;
    if (ending == Ending::closed) result = asio::error::bad_descriptor;
    continuation_(result);
}

void ReadySocket::cancel() {
    end_wait(Ending::aborted);
}

void ReadySocket::close() {
    if (descriptor_ < 0) return;
    end_wait(Ending::aborted);
    ::close(std::exchange(descriptor_, -1));  // nobody else holds it, so that it is watched no longer
    readable_ = writable_ = more_ = false;
}

}  // namespace gateway
