#include "net/stream.hpp"

#include "base/check.hpp"

#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace gateway {
namespace {

using boost::asio::ip::tcp;

}  // namespace

// A socket that is lost already, and one that the system cannot watch, says so at its first read.
Stream::Stream(tcp::socket socket) : socket_(socket.get_executor()) {
    boost::system::error_code error;
    socket.native_non_blocking(true, error);
    if (error) return;
    const int descriptor = socket.release(error);
    if (!error) take(descriptor);
}

boost::system::error_code Stream::take(int descriptor) {
    const int yes = 1;
    (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);  // what fails here is lost already
    return socket_.adopt(descriptor);
}

boost::system::error_code Stream::open(const tcp::endpoint& peer) {
    const int descriptor = ::socket(peer.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    return descriptor < 0 ? ReadySocket::last_error() : take(descriptor);
}

Stream::Completion Stream::connect(tcp::endpoint peer) {
    if (socket_.connect(peer) == 0) co_return boost::system::error_code();
    if (errno != EINPROGRESS) co_return ReadySocket::last_error();
    const auto [ended] = co_await wait(Outcome::wait_write);
    if (ended) co_return ended;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket_.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    co_return boost::system::error_code(error, boost::system::system_category());
}

void Stream::secure(Ssl tls) {
    CHECK(tls && !tls_);
    tls_ = std::move(tls);
    BIO* bio = BIO_new(bio_method());
    CHECK(bio != nullptr);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls_.get(), bio, bio);
    // A record's head and body with one call of the system instead of two, and after a message none that finds nothing.
    SSL_set_read_ahead(tls_.get(), 1);
}

Stream::Step Stream::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(tls_.get());
    return result == 1 ? Step{Outcome::done} : explain(result);
}

Stream::Step Stream::read(std::span<char> room) {
    if (!tls_) return receive(room);
    if (broken_) return {Outcome::failed};
    ERR_clear_error();
    Step step{Outcome::done};
    const int result = SSL_read_ex(tls_.get(), room.data(), room.size(), &step.bytes);
    return result == 1 ? step : explain(result);
}

Stream::Step Stream::write(std::string_view bytes) {
    if (!tls_) return send(bytes);
    if (broken_) return {Outcome::failed};
    ERR_clear_error();
    Step step{Outcome::done};
    const int result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &step.bytes);
    return result == 1 ? step : explain(result);
}

bool Stream::quiet() {
    if (broken_) return false;
    if (!socket_.announced() && !pending()) return true;
    std::array<char, 1> room{};
    if (!tls_) return receive(room, MSG_PEEK).outcome == Outcome::wait_read;
    ERR_clear_error();
    std::size_t bytes = 0;
    const int result = SSL_peek_ex(tls_.get(), room.data(), room.size(), &bytes);  // takes TLS's own messages off
    return result != 1 && explain(result).outcome == Outcome::wait_read;
}

Stream::Step Stream::receive(std::span<char> room, int flags) {
    const auto bytes = socket_.receive(room, flags);
    if (bytes > 0) return {Outcome::done, static_cast<std::size_t>(bytes)};
    if (bytes == 0) return {Outcome::ended};
    return {ReadySocket::would_block() ? Outcome::wait_read : Outcome::failed};
}

Stream::Step Stream::send(std::string_view bytes) {
    const auto taken = socket_.send(bytes);
    if (taken < 0) return {ReadySocket::would_block() ? Outcome::wait_write : Outcome::failed};
    sent_ += static_cast<std::uint64_t>(taken);
    return {Outcome::done, static_cast<std::size_t>(taken)};
}

Stream::Step Stream::explain(int result) {
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ: return {Outcome::wait_read};
        case SSL_ERROR_WANT_WRITE: return {Outcome::wait_write};
        case SSL_ERROR_ZERO_RETURN: return {Outcome::ended};
        default: broken_ = true; return {Outcome::failed};  // default: whatever else it is, it is over
    }
}

void Stream::finish() {
    if (tls_ && !broken_ && SSL_is_init_finished(tls_.get())) {
        // Best effort: the peer knows by the lengths where the last message ended. A session that was not ended by
        // this could not be resumed.
        ERR_clear_error();
        SSL_shutdown(tls_.get());
    }
    ::shutdown(socket_.descriptor(), SHUT_WR);
}

Stream::Step Stream::discard(std::span<char> room) {
    return receive(room);
}

ReadySocket::Way Stream::prepare_to_wait(Outcome wanted) {
    // SSL_MODE_RELEASE_BUFFERS alone leaves 16 KiB behind after a session ticket has come in. Refuses where they are
    // used.
    if (tls_) SSL_free_buffers(tls_.get());
    return wanted == Outcome::wait_write ? ReadySocket::Way::write : ReadySocket::Way::read;
}

std::string Stream::tls_failure() {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason == nullptr ? "the connection was lost" : reason;
}

const BIO_METHOD* Stream::bio_method() {
    static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> method = [] {
        std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> made(
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stream"), &BIO_meth_free);
        CHECK(made != nullptr);
        BIO_meth_set_read_ex(made.get(), &Stream::bio_read);
        BIO_meth_set_write_ex(made.get(), &Stream::bio_write);
        BIO_meth_set_ctrl(made.get(), &Stream::bio_control);
        return made;
    }();
    return method.get();
}

int Stream::bio_read(BIO* bio, char* data, std::size_t size, std::size_t* bytes) {
    auto& stream = *static_cast<Stream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto step = stream.receive({data, size});
    if (step.outcome == Outcome::wait_read) BIO_set_retry_read(bio);
    if (step.outcome == Outcome::ended) stream.ended_ = true;
    *bytes = step.bytes;
    return step.outcome == Outcome::done ? 1 : 0;
}

int Stream::bio_write(BIO* bio, const char* data, std::size_t size, std::size_t* bytes) {
    auto& stream = *static_cast<Stream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto step = stream.send({data, size});
    if (step.outcome == Outcome::wait_write) BIO_set_retry_write(bio);
    *bytes = step.bytes;
    return step.outcome == Outcome::done ? 1 : 0;
}

long Stream::bio_control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return static_cast<Stream*>(BIO_get_data(bio))->ended_ ? 1 : 0;
    return 0;
}

}  // namespace gateway
