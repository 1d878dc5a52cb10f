// Carries the bytes of one TCP connection, plain or through TLS, on either side. It connects, has reads and writes that
// never wait, and one wait for the socket to be ready. A connection that waits therefore needs no buffer. It needs none
// of its own for reading either: the caller lends one.
//
// Asio's own TLS stream keeps 68 KiB for each connection, for as long as it is open. Here the TLS library works on the
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
        wait_read,   // nothing happened: wait until the socket can be read, then call again
        wait_write,  // nothing happened: wait until the socket can be written, then call again
        ended,       // the peer said that it sends nothing more
        failed,      // the connection is lost, or what came makes no sense
    };
    struct Step {
        Outcome outcome = Outcome::failed;
        std::size_t bytes = 0;
    };

    // Takes over a socket that is connected. If it is lost already, the first read says so.
    explicit Stream(boost::asio::ip::tcp::socket socket);
    // Makes a stream without a connection yet: open() and connect() come next.
    explicit Stream(const boost::asio::any_io_executor& executor) : socket_(executor) {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() = default;

    // Makes a socket for a connection to `peer`. An error is a problem of this machine, for example that no descriptor
    // is left.
    boost::system::error_code open(const boost::asio::ip::tcp::endpoint& peer);
    // Connects the socket that open() made. When it is awaited, it gives a tuple of the system's error code.
    auto connect(const boost::asio::ip::tcp::endpoint& peer) {
        return socket_.async_connect(peer, boost::asio::as_tuple(boost::asio::deferred));
    }
    // After this everything goes through `tls`, which was told which side it is on. handshake() comes next, and is
    // repeated until it is done.
    void secure(Ssl tls);
    Step handshake();
    // Tells whether the handshake that has just failed met a request without TLS. give_up_tls() then lets the caller
    // answer it without TLS.
    static bool met_plain_http();
    // Says in words why the peer does not accept our certificate, if it has just said so. Otherwise the text is empty.
    static std::string_view refusal_of_certificate();
    void give_up_tls();

    // Reads what has come and leaves it there. It is not for TLS.
    Step peek(std::span<char> room);
    Step read(std::span<char> room);
    // A write that has to wait must be repeated with the same bytes, which may have moved meanwhile.
    Step write(std::string_view bytes);
    // Tells whether bytes were received that are still inside the TLS library, so that no wait would announce them.
    // They may be an incomplete record: then the next read says that it has to wait.
    bool pending() const noexcept { return tls_ != nullptr && SSL_has_pending(tls_.get()) != 0; }
    // Tells whether the peer has not closed the connection and has sent nothing that was not read. It looks at the
    // socket, and takes nothing from it except TLS's own messages.
    bool quiet();
    // Tells whether anything came from the peer at all: since secure(), if that was called.
    bool heard() const noexcept { return heard_; }
    // Returns the number of bytes that the operating system has taken, including those of TLS itself.
    std::uint64_t sent() const noexcept { return sent_; }
    // Tells the peer that nothing more will be sent.
    void finish();
    // Throws away what comes, encrypted or not.
    Step discard(std::span<char> room);

    // Waits until the socket can be read (or written), or until cancel() or close(). The next read or write finds out
    // what became of the socket. It is awaited directly: every message waits, and a coroutine of its own would cost
    // something each time.
    auto wait(Outcome wanted) {
        return socket_.async_wait(prepare_to_wait(wanted), boost::asio::as_tuple(boost::asio::deferred));
    }
    void cancel();
    void close();

    bool encrypted() const noexcept { return tls_ != nullptr; }
    SSL* tls() const noexcept { return tls_.get(); }
    // Returns what the TLS library says about a step that has just failed, for the log.
    static std::string tls_failure();

  private:
    using Socket = boost::asio::ip::tcp::socket;

    boost::system::error_code prepare();
    Socket::wait_type prepare_to_wait(Outcome wanted);
    Step receive(std::span<char> room, Socket::message_flags flags = 0);
    Step send(std::string_view bytes);
    // Says what an unsuccessful call of the TLS library means.
    Step explain(int result);
    static const BIO_METHOD* bio_method();
    static int bio_read(BIO* bio, char* data, std::size_t size, std::size_t* bytes);
    static int bio_write(BIO* bio, const char* data, std::size_t size, std::size_t* bytes);
    static long bio_control(BIO* bio, int command, long number, void* pointer);

    Socket socket_;
    Ssl tls_;
    std::uint64_t sent_ = 0;
    bool heard_ = false;
    bool ended_ = false;   // the socket has nothing more to read, which the TLS library asks for
    bool broken_ = false;  // the TLS library must not be used any more
};

// Tells whether the step needs a wait() before it can go on.
constexpr bool waits(Stream::Outcome outcome) noexcept {
    return outcome == Stream::Outcome::wait_read || outcome == Stream::Outcome::wait_write;
}

}  // namespace gateway
