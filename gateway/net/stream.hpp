// The bytes of one TCP connection, plain or through TLS, either side: connecting, reads and writes that never wait, and
// one wait for the socket to be ready. A connection that waits therefore needs no buffer, and none of its own while it
// reads: the caller lends one.
//
// Asio's own TLS stream keeps 68 KiB for each connection, for as long as it is open; here the TLS library works on the
// socket itself and gives its buffers back before every wait.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gateway {

struct FreeSsl {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
};
using Ssl = std::unique_ptr<SSL, FreeSsl>;

class Stream {
  public:
    enum class Outcome {
        done,
        wait_read,   // nothing happened: wait until the socket can be read, then ask again
        wait_write,  // the same, until it can be written
        ended,       // the peer said that it sends no more
        failed,      // the connection is lost or makes no sense
    };
    struct Step {
        Outcome outcome = Outcome::failed;
        std::size_t bytes = 0;
    };

    // Takes over a socket that is connected. One that is lost already says so at its first read.
    explicit Stream(boost::asio::ip::tcp::socket socket);
    // A stream without a connection yet: open() and connect() come next.
    explicit Stream(const boost::asio::any_io_executor& executor) : socket_(executor) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() = default;

    // Makes a socket for a connection to `peer`. An error is this machine's own trouble: it has no descriptor left,
    // say.
    boost::system::error_code open(const boost::asio::ip::tcp::endpoint& peer);
    // Connects the socket that open() made. Awaited, it gives a tuple of the system's error code.
    auto connect(const boost::asio::ip::tcp::endpoint& peer) {
        return socket_.async_connect(peer, boost::asio::as_tuple(boost::asio::deferred));
    }
    // From here on everything goes through `tls`, which was told which side it is on. handshake() comes next, repeated
    // until it is done.
    void secure(Ssl tls);
    Step handshake();
    // Whether the handshake that has just failed had met a request in clear; then give_up_tls() lets it be answered in
    // clear.
    static bool met_plain_http();
    // Why the peer does not accept our certificate, in words, where it has just said so; empty where it has not.
    static std::string_view refusal_of_certificate();
    void give_up_tls();

    // What has come, without taking it away; not with TLS.
    Step peek(std::span<char> room);
    Step read(std::span<char> room);
    // A write that has to wait must be repeated with the same bytes, wherever they are then.
    Step write(std::string_view bytes);
    // Bytes that were received but are still inside the TLS library, so that no wait would announce them. It may be
    // that they make sense only with more: then the next read says that it has to wait.
    bool pending() const noexcept { return tls_ != nullptr && SSL_has_pending(tls_.get()) != 0; }
    // Whether the peer has neither closed the connection nor sent anything that was not read. Looks at the socket, and
    // takes nothing from it but TLS's own messages.
    bool quiet();
    // Whether anything came from the peer at all, since secure() where that was called.
    bool heard() const noexcept { return heard_; }
    // How many bytes the operating system has taken, those of TLS itself included.
    std::uint64_t sent() const noexcept { return sent_; }
    // Says that nothing more will be sent.
    void finish();
    // Throws away what comes, encrypted or not.
    Step discard(std::span<char> room);

    // Ends when the socket can be read (written), or by cancel() or close(). What became of the socket is for the next
    // read or write to find out. Awaited as it is: every message waits, and a coroutine of its own would cost each one.
    auto wait(Outcome wanted) {
        return socket_.async_wait(prepare_to_wait(wanted), boost::asio::as_tuple(boost::asio::deferred));
    }
    void cancel();
    void close();

    bool encrypted() const noexcept { return tls_ != nullptr; }
    SSL* tls() const noexcept { return tls_.get(); }
    // What the TLS library has to say about a step that has just failed; for the log.
    static std::string tls_failure();

  private:
    using Socket = boost::asio::ip::tcp::socket;

    boost::system::error_code prepare();
    Socket::wait_type prepare_to_wait(Outcome wanted);
    Step receive(std::span<char> room, Socket::message_flags flags = 0);
    Step send(std::string_view bytes);
    // What an unsuccessful call of the TLS library means.
    Step explain(int result);
    static const BIO_METHOD* bio_method();
    static int bio_read(BIO* bio, char* data, std::size_t size, std::size_t* bytes);
    static int bio_write(BIO* bio, const char* data, std::size_t size, std::size_t* bytes);
    static long bio_control(BIO* bio, int command, long number, void* pointer);

    Socket socket_;
    Ssl tls_;
    std::uint64_t sent_ = 0;
    bool heard_ = false;
    bool ended_ = false;   // the socket has nothing more to read; the TLS library asks
    bool broken_ = false;  // the TLS library must not be used any more
};

// Whether the step comes to something only after a wait().
constexpr bool waits(Stream::Outcome outcome) noexcept {
    return outcome == Stream::Outcome::wait_read || outcome == Stream::Outcome::wait_write;
}

}  // namespace gateway
