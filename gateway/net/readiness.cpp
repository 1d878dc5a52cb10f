#include "net/readiness.hpp"

#include "base/clock_hold.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <boost/system/system_error.hpp>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <span>

namespace gateway {
namespace {

namespace asio = boost::asio;

// As many as Asio itself takes at a time; who is not among them is among the next, after the loop's other work.
constexpr std::size_t sockets_per_turn = 128;

}  // namespace

asio::execution_context::id Readiness::id;

Readiness::Readiness(asio::execution_context& context)
    : service(context), context_(static_cast<asio::io_context&>(context)), epoll_(context_) {
    const int descriptor = ::epoll_create1(EPOLL_CLOEXEC);
    if (descriptor < 0) throw boost::system::system_error(ReadySocket::last_error(), "epoll");
    epoll_.assign(descriptor);
}

Readiness& Readiness::of(const asio::any_io_executor& executor) {
    return asio::use_service<Readiness>(asio::query(executor, asio::execution::context));
}

// The coroutines that wait are destroyed with what they wait for, after this.
void Readiness::shutdown() {
    shut_down_ = true;
    for (auto* sockets : {&waiting_, &ended_}) {
        while (!sockets->empty()) {
            auto& socket = sockets->front();
            sockets->pop_front();
            const auto gone = std::move(socket.continuation_);
        }
    }
}

boost::system::error_code Readiness::watch(ReadySocket& socket) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLPRI | EPOLLRDHUP | EPOLLET;
    event.data.ptr = &socket;
    if (::epoll_ctl(epoll_.native_handle(), EPOLL_CTL_ADD, socket.descriptor(), &event) == 0) return {};
    return ReadySocket::last_error();
}

void Readiness::wait(ReadySocket& socket) {
    waiting_.push_back(socket);
    if (!telling_) listen();
}

void Readiness::tell_soon(ReadySocket& socket) {
    socket.unlink();
    ended_.push_back(socket);
    if (!telling_) tell_later();
}

void Readiness::abandon(Continuation continuation) {
    if (shut_down_) return;
    asio::post(context_,
               [continuation = std::move(continuation)]() mutable { continuation(asio::error::operation_aborted); });
}

void Readiness::look() {
    while (collect()) {
    }
    if (!ended_.empty() && !telling_) tell_later();
}

void Readiness::listen() {
    if (std::exchange(listening_, true)) return;
    epoll_.async_wait(asio::posix::descriptor_base::wait_read, [this](const boost::system::error_code&) {
        listening_ = false;
        collect();
        tell_all();
    });
}

// Nobody waits, and the io_context may end.
void Readiness::listen_no_more() {
    boost::system::error_code ignored;
    if (listening_) epoll_.cancel(ignored);
}

// Nobody is told yet: whoever is may destroy a socket that comes later in the list. Whether there may be more.
bool Readiness::collect() {
    std::array<epoll_event, sockets_per_turn> events;
    const int count = ::epoll_wait(epoll_.native_handle(), events.data(), static_cast<int>(events.size()), 0);
    for (const auto& event : std::span(events).first(static_cast<std::size_t>(std::max(count, 0)))) {
        auto& socket = *static_cast<ReadySocket*>(event.data.ptr);
        if (!socket.announce(event.events)) continue;
        socket.unlink();
        ended_.push_back(socket);
    }
    return count == static_cast<int>(events.size());
}

// Those who are told together; after so many, it is the loop's other work's turn. Each may begin or end waits, destroy
// sockets, or throw; what it ends is told with the next turn.
class Readiness::Turn {
  public:
    explicit Turn(Readiness& readiness) : readiness_(readiness) {
        auto& ended = readiness_.ended_;
        auto end = ended.begin();
        for (std::size_t count = 0; count < sockets_per_turn && end != ended.end(); ++count)
            ++end;
        sockets_.splice(sockets_.begin(), ended, ended.begin(), end);
        readiness_.telling_ = true;
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        auto& ended = readiness_.ended_;
        ended.splice(ended.begin(), sockets_);  // after an exception; otherwise all were told
        readiness_.telling_ = false;
        if (!ended.empty()) readiness_.tell_later();
        readiness_.waiting_.empty() ? readiness_.listen_no_more() : readiness_.listen();
    }

    void tell() {
        while (!sockets_.empty()) {
            auto& socket = sockets_.front();
            sockets_.pop_front();
            const ClockHold hold;
            socket.tell();
        }
    }

  private:
    Readiness& readiness_;
    Sockets sockets_;
};

void Readiness::tell_all() {
    Turn(*this).tell();
}

void Readiness::tell_later() {
    if (std::exchange(posted_, true)) return;
    asio::post(context_, [this] {
        posted_ = false;
        tell_all();
    });
}

}  // namespace gateway
