#include "http/channel.hpp"

#include "base/check.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>

namespace gateway::http {
namespace {

namespace asio = boost::asio;

bool would_block(const boost::system::error_code& error) noexcept {
    return error == asio::error::would_block || error == asio::error::try_again;
}

}  // namespace

Channel::Channel(asio::ip::tcp::socket socket, SSL_CTX* tls) : socket_(std::move(socket)) {
    boost::system::error_code ignored;  // a socket that is lost already says so at its first read
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    if (tls == nullptr) return;
    ssl_.reset(SSL_new(tls));
    BIO* bio = BIO_new(bio_method());
    CHECK(ssl_ && bio != nullptr);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_accept_state(ssl_.get());
}

Channel::Step Channel::receive(std::span<char> room) {
    boost::system::error_code error;
    const auto bytes = socket_.read_some(asio::buffer(room.data(), room.size()), error);
    if (!error) return {Outcome::done, bytes};
    if (would_block(error)) return {Outcome::wait_read};
    return {error == asio::error::eof ? Outcome::ended : Outcome::failed};
}

Channel::Step Channel::send(std::string_view bytes) {
    boost::system::error_code error;
    const auto sent = socket_.write_some(asio::buffer(bytes.data(), bytes.size()), error);
    if (!error) return {Outcome::done, sent};
    return {would_block(error) ? Outcome::wait_write : Outcome::failed};
}

Channel::Step Channel::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    return result == 1 ? Step{Outcome::done} : explain(result);
}

Channel::Step Channel::read(std::span<char> room) {
    if (!ssl_) return receive(room);
    ERR_clear_error();
    Step step{Outcome::done};
    const int result = SSL_read_ex(ssl_.get(), room.data(), room.size(), &step.bytes);
    return result == 1 ? step : explain(result);
}

Channel::Step Channel::write(std::string_view bytes) {
    if (!ssl_) return send(bytes);
    ERR_clear_error();
    Step step{Outcome::done};
    const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &step.bytes);
    return result == 1 ? step : explain(result);
}

Channel::Step Channel::explain(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ: return {Outcome::wait_read};
        case SSL_ERROR_WANT_WRITE: return {Outcome::wait_write};
        case SSL_ERROR_ZERO_RETURN: return {Outcome::ended};
        default: return {Outcome::failed};
    }
}

void Channel::finish() {
    if (ssl_ && SSL_is_init_finished(ssl_.get())) {
        // Best effort: the peer knows by the lengths where the last answer ended.
        ERR_clear_error();
        SSL_shutdown(ssl_.get());
    }
    boost::system::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

Channel::Step Channel::discard(std::span<char> room) {
    return receive(room);
}

asio::awaitable<std::tuple<boost::system::error_code>> Channel::wait(Outcome wanted) {
    const auto type = wanted == Outcome::wait_write ? asio::socket_base::wait_write : asio::socket_base::wait_read;
    return socket_.async_wait(type, asio::as_tuple(asio::use_awaitable));
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

}  // namespace gateway::http
