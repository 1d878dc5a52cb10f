// A Server is one listener. It accepts connections and turns their bytes into requests for a router, within limits that
// no client can stretch. It knows nothing of sales. The listeners for terminals, callbacks and admin use it, and so
// does the sandbox provider.
//
// It has one thread: everything here is called on, and runs on, the executor's thread. A handler may take as long as it
// likes. It is never ended because its caller closed the connection, and a caller that closed only its sending half
// still gets the answer.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/histogram.hpp"
#include "base/log.hpp"
#include "base/random.hpp"
#include "base/run_moment.hpp"
#include "http/server/repeated_calls.hpp"
#include "http/server/router.hpp"
#include "net/certificate.hpp"
#include "net/networks.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::http {

struct TlsFiles {
    std::string cert;  // in PEM, with the chain
    std::string key;   // in PEM, without a passphrase
    // In PEM. If it is set, only callers with a certificate of one of these authorities are accepted.
    std::string client_ca{};
};

struct ServerOptions {
    std::string name;     // for log lines: "terminals"
    bool people = false;  // true if its principals are people and not terminals; for log lines too
    boost::asio::ip::tcp::endpoint endpoint;
    // This is a socket that listens already, which the program that started ours has passed on. `endpoint` is not
    // looked at then. The server closes the socket, which ends nothing if others hold it too: callers then wait for the
    // next program that accepts.
    std::optional<int> descriptor;
    std::optional<TlsFiles> tls;
    // These proxies stand in front of us and call for others. The others count as the callers, and no limit for one
    // address applies to a proxy. A proxy says in X-Forwarded-For for whom it calls. With `proxy_protocol` it says so
    // in the PROXY header instead, with which each of its connections must begin then, before TLS. Nobody else is
    // believed.
    Networks trusted_proxies{};
    bool proxy_protocol = false;
    std::size_t body_limit = 65536;  // in bytes; a longer body is answered 413
    // This is the body limit's name in the configuration, which is told to a caller whose body is too large. It is
    // empty if there is none.
    std::string body_limit_key{};
    // This is the limit for request line and header, in bytes, and at most 65535. A longer header is answered 431.
    std::size_t header_limit = 16384;
    std::size_t connections = 12000;  // in all; one more is closed at once
    // One caller may have so many, so that none takes all of them. One more is closed at once.
    std::size_t connections_per_address = 10000;
    // So many bytes are kept for the callers of one address: requests that are not answered yet, and answers that are
    // not taken yet. If there are more, a connection is closed without an answer. Thousands of sales at once are far
    // below this.
    std::size_t bytes_per_address = 64U << 20U;
    // So many bytes are kept for all callers together. A connection that has next to nothing is never closed for it.
    std::size_t bytes = 256U << 20U;
    // The connection is closed after the answer to the last one; 0 for any number.
    std::size_t requests_per_connection = 0;
    // From the first byte of a request to the end of its header, however slowly it comes.
    Duration header_time{10'000};
    Duration body_time{20'000};   // from the end of the header to the end of the body
    Duration idle_time{75'000};   // between two requests
    Duration write_time{20'000};  // until an answer is taken
};

// Describes the certificate that callers are shown, and the callers that did not accept it.
struct ShownCertificate {
    std::string file;
    Validity validity;
    std::optional<RunMoment> shown_since{};  // only for a listener's own
    std::string authority{};                 // in DER: the authority that is shown behind it; empty if none is
    // Callers that refuse the certificate are reported for so long after the last of them.
    static constexpr Duration refusals_count_for = std::chrono::hours(1);

    std::uint64_t refused = 0;                 // handshakes that callers ended because of it, since it was first shown
    std::optional<RunMoment> refused_since{};  // the first of the refusals that came within an hour of each other
    // These are about the last refusal.
    std::optional<RunMoment> refused_at{};
    std::string refused_by{};   // the caller's address
    std::string refused_why{};  // what the caller said, in words
};

// Counts the answers with each status since the start.
using Answers = std::map<unsigned, std::uint64_t>;
// Says how long callers waited, by the pattern of the route that they asked for, or other_call: from the complete head
// of a request until its answer was handed to the connection.
using CallTimes = std::map<std::string_view, Histogram>;
// Stands for calls that were refused before their route was known, and for calls of no route. It is one entry, however
// many paths callers think of.
inline constexpr std::string_view other_call = "other";

struct Listener;

class Server {
  public:
    // Begins to listen, but accepts nothing before start(). Throws boost::system::system_error, in words that name the
    // listener, if the endpoint cannot be bound, the descriptor is something else, or the certificate cannot be read.
    // Every reference must outlive the server, and so must everything that the router's handlers use. Once the server
    // is started, the executor's context may be destroyed before it or after it.
    Server(boost::asio::any_io_executor executor, ServerOptions options, Router router, Clock& clock, Random& random,
           Log& log);
    // Closes every connection at once. A handler that still waits loses its caller.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    boost::asio::ip::tcp::endpoint endpoint() const;  // with the real port if 0 was asked for
    std::size_t connections() const;                  // the open ones
    std::size_t busy() const;                         // those in the middle of a request or its answer
    // Answers that were not to be sent, or whose caller was gone by then, are not counted.
    const Answers& answers() const;
    // Counts the same answers, except those to a head that never was complete. The keys live as long as the server.
    const CallTimes& call_times() const;

    // Returns what callers are shown now, and nothing without TLS.
    const std::optional<ShownCertificate>& certificate() const;
    // Returns the number of handshakes that callers ended because of the certificate, since the start.
    std::uint64_t certificate_refusals() const;

    // Returns the callers that are refused again and again.
    std::vector<Hammering> hammering() const;

    void start();
    // Stops accepting. A connection is closed after the answer that it is waiting for, and an idle one at once. A
    // connection that has carried no request yet counts as busy, and is closed if none comes within a second.
    void drain();
    // Waits after drain() until no connection is busy any more, or until `until`. Returns whether none is. Only one
    // caller may wait at a time.
    boost::asio::awaitable<bool> drained(Instant until);
    // Reads the certificate from its files again. The connections that exist keep the old one. On a failure, which is
    // logged in words, the old one stays. The error is errc::not_found if a file cannot be read, and errc::malformed if
    // it holds something else or the listener was started without TLS.
    Result<void> reload_tls(const TlsFiles& files);

  private:
    boost::asio::any_io_executor executor_;
    std::shared_ptr<Listener> listener_;
    std::optional<boost::asio::ip::tcp::acceptor> acceptor_;  // until start() takes it
    boost::asio::ip::tcp::endpoint endpoint_;
};

}  // namespace gateway::http
