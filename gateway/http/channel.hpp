// The bytes of one connection, plain or through TLS: reads and writes that never wait, and one wait for the socket to
// be ready. A connection that waits therefore needs no buffer, and none of its own while it reads: the caller lends
// one.
//
// Asio's own TLS stream keeps 68 KiB for each connection, for as long as it is open; here the TLS library works on the
// socket itself and gives its buffers back between two records.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <openssl/ssl.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace gateway::http {

class Channel {
  public:
    enum class Outcome {
        done,
        wait_read,   // nothing happened: wait until the socket can be read, then ask again
        wait_write,  // the same, until it can be written
        ended,       // the peer sends no more
        failed,      // the connection is lost or makes no sense
    };
    struct Step {
        Outcome outcome = Outcome::failed;
        std::size_t bytes = 0;
    };

    // `tls` may be null: plain.
    Channel(boost::asio::ip::tcp::socket socket, SSL_CTX* tls);
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    bool encrypted() const noexcept { return ssl_ != nullptr; }
    // To be repeated until it is done, before anything else, on an encrypted channel.
    Step handshake();
    Step read(std::span<char> room);
    // A write that has to wait must be repeated with the same bytes, wherever they are then.
    Step write(std::string_view bytes);
    // Bytes that were received but are still inside the TLS library, so that no wait would announce them.
    bool pending() const noexcept { return ssl_ != nullptr && SSL_pending(ssl_.get()) > 0; }
    // Says that nothing more will be sent.
    void finish();
    // Throws away what comes, encrypted or not.
    Step discard(std::span<char> room);

    // Ends when the socket can be read (written), or by cancel() or close(). What became of the socket is for the next
    // read or write to find out.
    boost::asio::awaitable<std::tuple<boost::system::error_code>> wait(Outcome wanted);
    void cancel();
    void close();

    // What the TLS library has to say about a step that has just failed; for the log.
    static std::string tls_failure();

  private:
    struct FreeSsl {
        void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
    };

    Step receive(std::span<char> room);
    Step send(std::string_view bytes);
    // What an unsuccessful call of the TLS library means.
    Step explain(int result);
    static const BIO_METHOD* bio_method();
    static int bio_read(BIO* bio, char* data, std::size_t size, std::size_t* bytes);
    static int bio_write(BIO* bio, const char* data, std::size_t size, std::size_t* bytes);
    static long bio_control(BIO* bio, int command, long number, void* pointer);

    boost::asio::ip::tcp::socket socket_;
    std::unique_ptr<SSL, FreeSsl> ssl_;
    bool ended_ = false;  // the socket has nothing more to read; the TLS library asks
};

}  // namespace gateway::http
