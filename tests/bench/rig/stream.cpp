#include "bench/rig/stream.hpp"

#include "bench/rig/check.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>

namespace rig {
namespace {

constexpr std::string_view head_end = "\r\n\r\n";

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

void set(int descriptor, int level, int name) {
    const int on = 1;
    must("setsockopt", setsockopt(descriptor, level, name, &on, sizeof on));
}

int new_socket() {
    const int descriptor = must("socket", socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    set(descriptor, IPPROTO_TCP, TCP_NODELAY);
    return descriptor;
}

std::size_t content_length(std::string_view head) {
    // nginx and the gateway spell it in this way; in other messages it stands for no body.
    constexpr std::string_view name = "\r\nContent-Length: ";
    const auto at = head.find(name);
    if (at == head.npos) return 0;
    std::size_t length = 0;
    std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
    return length;
}

}  // namespace

std::string_view first_message(std::string_view text) {
    const auto end = text.find(head_end);
    if (end == text.npos) return {};
    const auto size = end + head_end.size() + content_length(text.substr(0, end));
    return text.size() < size ? std::string_view() : text.substr(0, size);
}

std::string_view body_of(std::string_view message) {
    return message.substr(message.find(head_end) + head_end.size());
}

int status_of(std::string_view message) {
    constexpr std::size_t at = 9;  // after "HTTP/1.1 "
    int status = 0;
    if (message.size() > at) std::from_chars(message.data() + at, message.data() + message.size(), status);
    return status;
}

Stream::Stream(Poller& poller, int descriptor, Ssl tls)
    : poller_(poller), descriptor_(descriptor), tls_(std::move(tls)), shaken_(tls_ == nullptr) {
    if (tls_) {
        SSL_set_fd(tls_.get(), descriptor_);
        SSL_set_accept_state(tls_.get());
    }
    poller_.watch(descriptor_, *this, wants_room_);
}

Stream::~Stream() {
    shut();
}

void Stream::shut() {
    if (!open()) return;
    poller_.forget(descriptor_);
    close(descriptor_);
    descriptor_ = -1;
}

void Stream::send(std::string_view text) {
    out_.append(text);
    if (!reading_) flush();  // otherwise it goes with the other answers of this turn
}

void Stream::ready(std::uint32_t events) {
    reading_ = true;
    auto outcome = Outcome::blocked;
    if (!shaken_ && !shake_hands()) outcome = Outcome::ended;
    if (shaken_ && (events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
        outcome = read_some();
        take_messages();
    }
    reading_ = false;
    if (open() && outcome != Outcome::ended) flush();
    if (outcome == Outcome::ended || !open()) {
        shut();
        ended();
    }
}

// Returns false where it failed.
bool Stream::shake_hands() {
    const int result = SSL_do_handshake(tls_.get());
    if (result == 1) {
        shaken_ = true;
        handshake_done();
        return true;
    }
    const int why = SSL_get_error(tls_.get(), result);
    return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
}

Stream::Outcome Stream::read_some() {
    std::array<char, 16 * 1024> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): read into before it is read
    for (;;) {
        const auto got = tls_ ? SSL_read(tls_.get(), room.data(), room.size())
                              : static_cast<int>(recv(descriptor_, room.data(), room.size(), 0));
        if (got <= 0) {
            const bool blocked = tls_ ? SSL_get_error(tls_.get(), got) == SSL_ERROR_WANT_READ
                                      : got < 0 && (errno == EAGAIN || errno == EINTR);
            return blocked ? Outcome::blocked : Outcome::ended;
        }
        in_.append(room.data(), static_cast<std::size_t>(got));
        if (!tls_ && static_cast<std::size_t>(got) < room.size()) return Outcome::blocked;
    }
}

void Stream::take_messages() {
    std::size_t taken = 0;
    while (open()) {
        const auto message = first_message(std::string_view(in_).substr(taken));
        if (message.empty()) break;
        taken += message.size();
        received(message);
    }
    in_.erase(0, taken);
}

void Stream::flush() {
    std::size_t sent = 0;
    while (shaken_ && sent < out_.size()) {
        const auto rest = std::string_view(out_).substr(sent);
        const auto put = tls_ ? SSL_write(tls_.get(), rest.data(), static_cast<int>(rest.size()))
                              : static_cast<int>(::send(descriptor_, rest.data(), rest.size(), MSG_NOSIGNAL));
        if (put <= 0) break;  // a connection that is lost says so when it is read
        sent += static_cast<std::size_t>(put);
    }
    out_.erase(0, sent);
    want_room(!out_.empty());
}

void Stream::want_room(bool wanted) {
    if (wanted == wants_room_) return;
    wants_room_ = wanted;
    poller_.change(descriptor_, *this, wanted);
}

int connect_to(int port) {
    const int descriptor = new_socket();
    const auto address = loopback(port);
    if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 && errno != EINPROGRESS)
        fail("connect", std::strerror(errno));
    return descriptor;
}

int listen_on(int port) {
    const int descriptor = new_socket();
    set(descriptor, SOL_SOCKET, SO_REUSEADDR);
    const auto address = loopback(port);
    must("bind", bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    must("listen", listen(descriptor, SOMAXCONN));
    return descriptor;
}

int port_of(int descriptor) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    must("getsockname", getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size));
    return ntohs(address.sin_port);
}

}  // namespace rig
