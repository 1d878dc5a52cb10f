// Serves one connection from its acceptance to its end: reads a request, lets the router answer it, writes the answer,
// and begins again. It refuses what head.hpp and body.hpp refuse, what is too large and what is too slow.
//
// A waiting connection holds a socket, the frames of a few small coroutines and, while a handler works, the request.
#pragma once

#include "http/server/account.hpp"
#include "http/server/head.hpp"
#include "http/server/listener.hpp"
#include "net/stream.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::http {

// Serves the connection until it is closed. It never throws.
boost::asio::awaitable<void> serve(std::shared_ptr<Listener> listener, boost::asio::ip::tcp::socket socket,
                                   boost::asio::ip::address remote);

class Session final : public ListedSession {
  public:
    // The listener must outlive it.
    Session(Listener& listener, boost::asio::ip::tcp::socket socket, const boost::asio::ip::address& remote);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() override { --listener_.session_count; }

    // Tells whether introduction() comes before anything else.
    bool is_introduced() const noexcept { return introduced_; }
    // Takes the PROXY header. Returns whether anything can follow.
    boost::asio::awaitable<bool> introduction();
    // Returns whether requests can follow.
    boost::asio::awaitable<bool> handshake();
    // Waits for the first byte of a request. Returns whether one came.
    boost::asio::awaitable<bool> next_request();
    // Reads one request and answers it.
    boost::asio::awaitable<void> exchange();
    // Tells whether next_request() is to be called again. While draining it is, but only for the first request.
    bool carries_on() const noexcept { return (carries_on_ || !begun_) && !lost_; }
    // Lets the caller read the last answer, and then ends.
    boost::asio::awaitable<void> linger();

    void drain() override;
    void stop() override;

  private:
    enum class Arrival { bytes, ended, late, lost };

    // While one of these lives, the connection is busy.
    class Busy {
      public:
        explicit Busy(Listener& listener) : listener_(listener) { ++listener_.busy_count; }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;
        ~Busy() {
            if (--listener_.busy_count == 0 && listener_.all_done != nullptr) listener_.all_done->notify();
        }

      private:
        Listener& listener_;
    };

    boost::asio::awaitable<std::optional<Refusal>> receive(Request& request, Head& head);
    boost::asio::awaitable<std::optional<Refusal>> receive_head(Request& request, Head& head);
    boost::asio::awaitable<std::optional<Refusal>> receive_body(Request& request, const Head& head);
    // Adds to received_. The time for this kind of wait counts from the first call.
    boost::asio::awaitable<Arrival> more(Wait kind);
    boost::asio::awaitable<Response> answer(Request& request);
    // Sends the rest of what write() could not send.
    boost::asio::awaitable<void> flush();
    // Sends a body that comes piece by piece, until it ends or the caller has gone.
    boost::asio::awaitable<void> send_pieces(BodySource& source, bool chunked);
    // Tells whether the caller has not closed the connection, and sends no more than it may.
    bool is_here();

    // Ends an introduction that failed.
    void refuse_introduction(bool begun, bool malformed);
    // Ends a handshake that failed. A request without TLS is answered, without TLS.
    void refuse_handshake();
    // Answers bytes that are not a request.
    void refuse_in_clear(const Refusal& refusal);
    Response respond(const Request& request, const Refusal& refusal);
    // Says what is wrong, with what is known about it.
    std::string in_words(const Request& request, const Refusal& refusal) const;
    static std::optional<Refusal> refusal_of(Arrival arrival);
    Stream::Step read_some();
    void consume(std::size_t bytes);
    void identify(Request& request);
    void write(std::string_view bytes);
    // Sends from the front what can be sent at once. The rest stays, unless the connection is lost.
    void send_some(std::string_view& bytes);
    void send(const Request& request, const Response& response, const Head& head);
    // Says how much this connection keeps for its caller. Ends the connection if that is too much.
    void keep(std::size_t bytes) { lost_ = !account_.keep(bytes) || lost_; }
    bool was_the_last() { return ++answered_ == listener_.options.requests_per_connection; }
    void begin(Wait kind);
    void expire();
    void end_wait() noexcept;
    Response respond_to_exception(const Request& request, std::string_view what);

    Listener& listener_;
    Stream stream_;
    boost::asio::ip::address own_;  // where the connection is from: the peer, or the address in its PROXY header
    Account account_;               // the account of the caller of the present request
    bool introduced_;               // a PROXY header comes first
    bool forwards_;                 // the peer says in each request for whom it calls
    Certified certified_;           // what the caller's certificate says
    std::string received_;          // bytes that were read but belong to no request yet
    std::string unsent_;            // the rest of an answer that the caller is slow to take
    std::string_view document_;     // what follows the rest
    std::optional<Wait> waiting_;
    Deadline deadline_;         // the deadline of that wait
    bool expired_ = false;      // the time of the wait is over
    std::size_t answered_ = 0;  // requests; at the limit the connection ends
    bool idle_ = false;         // no request has begun, so that drain() may end the wait
    bool begun_ = false;        // a first request has begun
    bool lost_ = false;         // the connection cannot be used any more
    bool carries_on_;           // neither side has asked to close the connection
    // While draining, this keeps the connection busy until the first request begins or its time is over.
    std::optional<Busy> first_;
};

}  // namespace gateway::http
