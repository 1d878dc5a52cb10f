#include "net/stream.hpp"

#include "base/check.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <sys/socket.h>

#include <array>

namespace gateway {

using boost::asio::ip::tcp;

namespace {

// If a caller does not acknowledge what it was sent for so long, the connection is lost.
constexpr unsigned silent_ms = 30'000;

}  // namespace

Stream::Stream(tcp::socket socket) : socket_(std::move(socket)) {
    static_cast<void>(prepare());  // a connection that fails here is lost already
    // A caller whose network is gone does not tell us.
    (void)::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &silent_ms, sizeof silent_ms);
}

boost::system::error_code Stream::prepare() {
    boost::system::error_code error;
    socket_.non_blocking(true, error);
    if (error) return error;
    boost::system::error_code ignored;  // without this option small messages are slow, and that is all
    socket_.set_option(tcp::no_delay(true), ignored);
    return {};
}

boost::system::error_code Stream::open(const tcp::endpoint& peer) {
    boost::system::error_code error;
    socket_.open(peer.protocol(), error);
    return error ? error : prepare();
}

void Stream::secure(Ssl tls) {
    CHECK(tls && !tls_);
    tls_ = std::move(tls);
    heard_ = false;
    BIO* bio = BIO_new(bio_method());
    CHECK(bio != nullptr);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls_.get(), bio, bio);
    // OpenSSL then reads a record's head and body with one call of the system instead of two, and makes no call after a
    // message that finds nothing.
    SSL_set_read_ahead(tls_.get(), 1);
}

Stream::Step Stream::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(tls_.get());
    return result == 1 ? Step{Outcome::done} : explain(result);
}

bool Stream::met_plain_http() {
    return ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_SSL &&
           ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_HTTP_REQUEST;
}

// A peer ends a connection with one of these alerts because of the certificate that it was shown (RFC 8446, section
// 6.2). Libraries differ in which one they send: for a name that does not fit it is bad_certificate or
// certificate_unknown.
std::string_view Stream::refusal_of_certificate() {
    const auto error = ERR_peek_last_error();
    if (ERR_GET_LIB(error) != ERR_LIB_SSL) return {};
    switch (ERR_GET_REASON(error)) {
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA: return "it does not trust the authority that signed it (unknown_ca)";
        case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED: return "it is not valid at this time (certificate_expired)";
        case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED: return "it was revoked (certificate_revoked)";
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
            return "it is for another name, or broken, or that caller's clock is wrong (bad_certificate)";
        case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE: return "its kind is not supported (unsupported_certificate)";
        case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
            return "its authority, its name or its time does not suit (certificate_unknown)";
        default: return {};  // default: every other trouble of a connection
    }
}

void Stream::give_up_tls() {
    tls_.reset();
    broken_ = false;
}

Stream::Step Stream::peek(std::span<char> room) {
    CHECK(!tls_);
    return receive(room, tcp::socket::message_peek);
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
    std::array<char, 1> room{};
    if (!tls_) return receive(room, tcp::socket::message_peek).outcome == Outcome::wait_read;
    ERR_clear_error();
    std::size_t bytes = 0;
    // Takes TLS's own messages from the socket.
    const int result = SSL_peek_ex(tls_.get(), room.data(), room.size(), &bytes);
    return result != 1 && explain(result).outcome == Outcome::wait_read;
}

Stream::Step Stream::receive(std::span<char> room, Socket::message_flags flags) {
    boost::system::error_code error;
    const auto bytes = socket_.receive(boost::asio::buffer(room.data(), room.size()), flags, error);
    heard_ = heard_ || !error;
    if (!error) return {Outcome::done, bytes};
    if (error == boost::asio::error::eof) return {Outcome::ended};
    return {error == boost::asio::error::would_block ? Outcome::wait_read : Outcome::failed};
}

Stream::Step Stream::send(std::string_view bytes) {
    boost::system::error_code error;
    const auto taken = socket_.send(boost::asio::buffer(bytes), 0, error);
    if (error) return {error == boost::asio::error::would_block ? Outcome::wait_write : Outcome::failed};
    sent_ += taken;
    return {Outcome::done, taken};
}

Stream::Step Stream::explain(int result) {
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ: return {Outcome::wait_read};
        case SSL_ERROR_WANT_WRITE: return {Outcome::wait_write};
        case SSL_ERROR_ZERO_RETURN: return {Outcome::ended};
        default: broken_ = true; return {Outcome::failed};  // default: whatever else it is, the connection is over
    }
}

void Stream::finish() {
    if (tls_ && !broken_ && SSL_is_init_finished(tls_.get())) {
        // This is done on a best-effort basis: the peer knows by the lengths where the last message ended. Without it,
        // the session could not be resumed.
        ERR_clear_error();
        SSL_shutdown(tls_.get());
    }
    boost::system::error_code ignored;  // a peer that is gone need not be told
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

Stream::Step Stream::discard(std::span<char> room) {
    return receive(room);
}

tcp::socket::wait_type Stream::prepare_to_wait(Outcome wanted) {
    // SSL_MODE_RELEASE_BUFFERS alone leaves 16 KiB behind after a session ticket has come in. SSL_free_buffers() does
    // nothing while the buffers are used.
    if (tls_) SSL_free_buffers(tls_.get());
    return wanted == Outcome::wait_write ? tcp::socket::wait_write : tcp::socket::wait_read;
}

void Stream::cancel() {
    boost::system::error_code ignored;  // a socket that is closed has no wait
    socket_.cancel(ignored);
}

void Stream::close() {
    boost::system::error_code ignored;  // the socket is closed whatever the system says
    socket_.close(ignored);
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
