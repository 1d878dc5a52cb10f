#include "base/channel.hpp"

#include "base/check.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>

#include <array>

namespace gateway {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

bool would_block(const boost::system::error_code& error) noexcept {
    return error == asio::error::would_block || error == asio::error::try_again;
}

}  // namespace

Channel::Channel(tcp::socket socket) : socket_(std::move(socket)) {
    if (socket_.is_open()) prepare();
}

void Channel::prepare() {
    boost::system::error_code ignored;  // a socket that is lost already says so at its first read
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
}

boost::system::error_code Channel::open(const tcp::endpoint& peer) {
    boost::system::error_code error;
    socket_.open(peer.protocol(), error);
    if (!error) prepare();
    return error;
}

Channel::Completion Channel::connect(tcp::endpoint peer) {
    auto result = co_await socket_.async_connect(peer, asio::as_tuple(asio::use_awaitable));
    register_anew();
    co_return result;
}

// Asio has asked to be told when the socket can be written to, for that is how a connection is waited for, and would
// ask it with every wait from now on: each of them would wake the event loop at once, for nothing. A socket that it
// does not know yet is asked about again only when it is written to in vain.
void Channel::register_anew() {
    boost::system::error_code ignored;  // a socket that is lost already says so at its first read
    const auto peer = socket_.remote_endpoint(ignored);
    if (ignored) return;
    const auto descriptor = socket_.release(ignored);
    if (ignored) return;
    socket_.assign(peer.protocol(), descriptor, ignored);
    prepare();
}

void Channel::secure(Ssl tls) {
    CHECK(tls && !tls_);
    tls_ = std::move(tls);
    BIO* bio = BIO_new(bio_method());
    CHECK(bio != nullptr);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls_.get(), bio, bio);
}

Channel::Step Channel::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(tls_.get());
    return result == 1 ? Step{Outcome::done} : explain(result);
}

Channel::Step Channel::read(std::span<char> room) {
    if (!tls_) return receive(room);
    if (broken_) return {Outcome::failed};
    ERR_clear_error();
    Step step{Outcome::done};
    const int result = SSL_read_ex(tls_.get(), room.data(), room.size(), &step.bytes);
    return result == 1 ? step : explain(result);
}

Channel::Step Channel::write(std::string_view bytes) {
    if (!tls_) return send(bytes);
    if (broken_) return {Outcome::failed};
    ERR_clear_error();
    Step step{Outcome::done};
    const int result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &step.bytes);
    return result == 1 ? step : explain(result);
}

bool Channel::quiet() {
    std::array<char, 1> room{};
    if (!tls_) return receive(room, tcp::socket::message_peek).outcome == Outcome::wait_read;
    if (broken_) return false;
    ERR_clear_error();
    std::size_t bytes = 0;
    const int result = SSL_peek_ex(tls_.get(), room.data(), room.size(), &bytes);  // takes TLS's own messages off
    return result != 1 && explain(result).outcome == Outcome::wait_read;
}

Channel::Step Channel::receive(std::span<char> room, tcp::socket::message_flags flags) {
    boost::system::error_code error;
    const auto bytes = socket_.receive(asio::buffer(room.data(), room.size()), flags, error);
    if (!error) return {Outcome::done, bytes};
    if (would_block(error)) return {Outcome::wait_read};
    return {error == asio::error::eof ? Outcome::ended : Outcome::failed};
}

Channel::Step Channel::send(std::string_view bytes) {
    boost::system::error_code error;
    const auto taken = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), error);
    sent_ += taken;
    if (!error) return {Outcome::done, taken};
    return {would_block(error) ? Outcome::wait_write : Outcome::failed};
}

Channel::Step Channel::explain(int result) {
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ: return {Outcome::wait_read};
        case SSL_ERROR_WANT_WRITE: return {Outcome::wait_write};
        case SSL_ERROR_ZERO_RETURN: return {Outcome::ended};
        default: broken_ = true; return {Outcome::failed};  // default: whatever else it is, it is over
    }
}

void Channel::finish() {
    if (tls_ && !broken_ && SSL_is_init_finished(tls_.get())) {
        // Best effort: the peer knows by the lengths where the last message ended. A session that was not ended by
        // this could not be resumed.
        ERR_clear_error();
        SSL_shutdown(tls_.get());
    }
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

Channel::Step Channel::discard(std::span<char> room) {
    return receive(room);
}

asio::socket_base::wait_type Channel::prepare_to_wait(Outcome wanted) {
    // SSL_MODE_RELEASE_BUFFERS alone leaves 16 KiB behind after a session ticket has come in. Refuses where they are
    // used.
    if (tls_) SSL_free_buffers(tls_.get());
    return wanted == Outcome::wait_write ? asio::socket_base::wait_write : asio::socket_base::wait_read;
}

void Channel::cancel() {
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void Channel::close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

std::string Channel::tls_failure() {
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason == nullptr ? "the connection was lost" : reason;
}

const BIO_METHOD* Channel::bio_method() {
    static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> method = [] {
        std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> made(
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "channel"), &BIO_meth_free);
        CHECK(made != nullptr);
        BIO_meth_set_read_ex(made.get(), &Channel::bio_read);
        BIO_meth_set_write_ex(made.get(), &Channel::bio_write);
        BIO_meth_set_ctrl(made.get(), &Channel::bio_control);
        return made;
    }();
    return method.get();
}

int Channel::bio_read(BIO* bio, char* data, std::size_t size, std::size_t* bytes) {
    auto& channel = *static_cast<Channel*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto step = channel.receive({data, size});
    if (step.outcome == Outcome::wait_read) BIO_set_retry_read(bio);
    if (step.outcome == Outcome::ended) channel.ended_ = true;
    *bytes = step.bytes;
    return step.outcome == Outcome::done ? 1 : 0;
}

int Channel::bio_write(BIO* bio, const char* data, std::size_t size, std::size_t* bytes) {
    auto& channel = *static_cast<Channel*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto step = channel.send({data, size});
    if (step.outcome == Outcome::wait_write) BIO_set_retry_write(bio);
    *bytes = step.bytes;
    return step.outcome == Outcome::done ? 1 : 0;
}

long Channel::bio_control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return static_cast<Channel*>(BIO_get_data(bio))->ended_ ? 1 : 0;
    return 0;
}

}  // namespace gateway
