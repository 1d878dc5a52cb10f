// This is a server on the loopback for tests of clients. The test writes a coroutine that says what it does on each
// connection.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <charconv>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway::test {

// The server's end of a connection. Its coroutines throw boost::system::system_error when the client is gone.
class Peer {
  public:
    using Socket = boost::asio::ip::tcp::socket;

    Peer(Socket socket, boost::asio::ssl::context* tls) : socket_(std::move(socket)) {
        if (tls) tls_.emplace(socket_, *tls);
    }

    boost::asio::awaitable<void> shake_hands() {
        co_await tls_->async_handshake(boost::asio::ssl::stream_base::server, boost::asio::use_awaitable);
    }

    // From now on everything goes through TLS.
    boost::asio::awaitable<void> secure(boost::asio::ssl::context& tls) {
        tls_.emplace(socket_, tls);
        return shake_hands();
    }

    // Returns the next whole request.
    boost::asio::awaitable<std::string> request() {
        for (;;) {
            const auto size = request_size();
            if (size > 0 && received_.size() >= size) {
                auto request = received_.substr(0, size);
                received_.erase(0, size);
                co_return request;
            }
            co_await receive();
        }
    }
    // Receives whatever comes next.
    boost::asio::awaitable<void> receive() {
        std::array<char, 16384> room;
        const auto buffer = boost::asio::buffer(room);
        std::size_t size = 0;
        if (tls_)
            size = co_await tls_->async_read_some(buffer, boost::asio::use_awaitable);
        else
            size = co_await socket_.async_read_some(buffer, boost::asio::use_awaitable);
        received_.append(room.data(), size);
    }
    // Returns when the client has closed the connection.
    boost::asio::awaitable<void> closed() {
        for (;;)
            co_await receive();
    }

    boost::asio::awaitable<void> send(std::string text) {
        const auto buffer = boost::asio::buffer(text);
        if (tls_)
            co_await boost::asio::async_write(*tls_, buffer, boost::asio::use_awaitable);
        else
            co_await boost::asio::async_write(socket_, buffer, boost::asio::use_awaitable);
    }
    boost::asio::awaitable<void> answer(std::string body, std::string headers = "", std::string status = "200 OK") {
        return send("HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + headers +
                    "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    // Sends TLS's close_notify.
    void close_notify() { SSL_shutdown(tls_->native_handle()); }
    // Sends what close_notify() has left, and ends the connection in order.
    boost::asio::awaitable<void> shut_down() { co_await tls_->async_shutdown(boost::asio::use_awaitable); }
    void close() { socket_.close(); }
    // Resets the connection, so that the client finds it broken and not ended.
    void reset() {
        socket_.set_option(boost::asio::socket_base::linger(true, 0));
        socket_.close();
    }
    SSL* tls() { return tls_->native_handle(); }

  private:
    // Returns the size of the request at the beginning of `received_`; 0 while its header is not complete.
    std::size_t request_size() const {
        const auto end = received_.find("\r\n\r\n");
        if (end == received_.npos) return 0;
        constexpr std::string_view name = "Content-Length: ";
        const auto at = received_.find(name);
        std::size_t length = 0;
        if (at < end) std::from_chars(received_.data() + at + name.size(), received_.data() + end, length);
        return end + 4 + length;
    }

    Socket socket_;
    std::optional<boost::asio::ssl::stream<Socket&>> tls_;
    std::string received_;
};

class ScriptedServer {
  public:
    using Session = std::function<boost::asio::awaitable<void>(Peer&)>;

    explicit ScriptedServer(boost::asio::io_context& io, boost::asio::ssl::context* tls = nullptr)
        : acceptor_(io, {boost::asio::ip::address_v4::loopback(), 0}), tls_(tls) {
        boost::asio::co_spawn(io, accept(), boost::asio::detached);
    }

    boost::asio::ip::tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }
    int accepted = 0;
    int finished = 0;  // sessions that ended, or whose client was gone
    // Each says what to do on one connection, in their order. The last session is repeated on all further connections.
    std::vector<Session> sessions;

  private:
    boost::asio::awaitable<void> accept() {
        for (;;) {
            auto socket = co_await acceptor_.async_accept(boost::asio::use_awaitable);
            socket.set_option(boost::asio::ip::tcp::no_delay(true));
            const auto index = std::min(static_cast<std::size_t>(accepted++), sessions.size() - 1);
            boost::asio::co_spawn(acceptor_.get_executor(),
                                  serve(std::make_unique<Peer>(std::move(socket), tls_), sessions.at(index)),
                                  boost::asio::detached);
        }
    }
    boost::asio::awaitable<void> serve(std::unique_ptr<Peer> peer, Session session) {
        try {
            if (tls_) co_await peer->shake_hands();
            co_await session(*peer);
        } catch (const boost::system::system_error&) {
            // The client is gone.
        }
        ++finished;
    }

    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::ssl::context* tls_;
};

}  // namespace gateway::test
