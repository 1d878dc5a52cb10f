// One connection from its acceptance to its end: reads a request, has the router answer it, writes the answer, again.
// Refuses what head.hpp and body.hpp refuse, what is too large and what is too slow.
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

// Serves the connection until it is closed; never throws.
boost::asio::awaitable<void> serve(std::shared_ptr<Listener> listener, boost::asio::ip::tcp::socket socket,
                                   boost::asio::ip::address remote);

class Session final : public ListedSession {
  public:
    // The listener must outlive it.
    Session(Listener& listener, boost::asio::ip::tcp::socket socket, const boost::asio::ip::address& remote);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() override { --listener_.session_count; }

    // Whether introduction() comes before anything else.
    bool is_introduced() const noexcept { return introduced_; }
    // Takes the PROXY header; whether anything can follow.
    boost::asio::awaitable<bool> introduction();
    // Whether requests can follow.
    boost::asio::awaitable<bool> handshake();
    // Waits for the first byte of a request; whether one came.
    boost::asio::awaitable<bool> next_request();
    // One request and its answer.
    boost::asio::awaitable<void> exchange();
    // Whether next_request() is to be called again: while draining, for the first request only.
    bool carries_on() const noexcept { return (carries_on_ || !begun_) && !lost_; }
    // Lets the caller read the last answer, then ends.
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
    // Adds to received_, within the time that there is for this kind of wait from its first call on.
    boost::asio::awaitable<Arrival> more(Wait kind);
    boost::asio::awaitable<Response> answer(Request& request);
    // Sends the rest of what write() could not.
    boost::asio::awaitable<void> flush();
    // A body that comes piece by piece, to its end or until the caller has gone.
    boost::asio::awaitable<void> send_pieces(BodySource& source, bool chunked);
    // Whether the caller has not hung up, and sends no more than it may.
    bool is_here();

    // After an introduction that failed.
    void refuse_introduction(bool begun, bool malformed);
    // After a handshake that failed. A request in clear is answered, in clear.
    void refuse_handshake();
    // Answers what is no request.
    void refuse_in_clear(const Refusal& refusal);
    Response respond(const Request& request, const Refusal& refusal);
    // What is wrong, with what is known of it.
    std::string in_words(const Request& request, const Refusal& refusal) const;
    static std::optional<Refusal> refusal_of(Arrival arrival);
    Stream::Step read_some();
    void consume(std::size_t bytes);
    void identify(Request& request);
    void write(std::string_view bytes);
    // Takes from the front what can be sent at once. The rest stays, unless the connection is lost.
    void send_some(std::string_view& bytes);
    void send(const Request& request, const Response& response, const Head& head);
    // Says how much this connection keeps for its caller, and ends it where that is too much.
    void keep(std::size_t bytes) { lost_ = !account_.keep(bytes) || lost_; }
    bool was_the_last() { return ++answered_ == listener_.options.requests_per_connection; }
    void begin(Wait kind);
    void expire();
    void end_wait() noexcept;
    Response respond_to_exception(const Request& request, std::string_view what);

    Listener& listener_;
    Stream stream_;
    boost::asio::ip::address own_;  // whom the connection is from: the peer, or whom its PROXY header named
    Account account_;               // of whom the present request is from
    bool introduced_;               // by a PROXY header, which comes first
    bool forwards_;                 // the peer says in each request whom it is from
    Certified certified_;           // what the caller's certificate says
    std::string received_;          // bytes that were read but belong to no request yet
    std::string unsent_;            // the rest of an answer that the caller is slow to take
    std::string_view document_;     // what follows it
    std::optional<Wait> waiting_;
    Deadline deadline_;          // of that wait
    bool expired_ = false;       // the wait is over its time
    std::size_t answered_ = 0;   // requests; at the limit the connection ends
    bool idle_ = false;          // no request has begun, so that drain() may end the wait
    bool begun_ = false;         // a first request has begun
    bool lost_ = false;          // the connection is of no use any more
    bool carries_on_;            // neither side has asked for the connection to be closed
    std::optional<Busy> first_;  // while draining, until the first request begins or its time is over
};

}  // namespace gateway::http
