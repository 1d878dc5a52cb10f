// One listener: accepts connections and turns their bytes into requests for a router, within limits that no client can
// stretch. Knows nothing of sales. Used by the terminals, callbacks and admin listeners and by the sandbox provider.
//
// One thread: everything here is called on, and runs on, the executor's. A handler may take as long as it likes; it is
// never ended because its caller hung up, and a caller that only closed its sending half still gets the answer.
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
    std::string cert;  // PEM, with the chain
    std::string key;   // PEM, without a passphrase
    // PEM. Where it is set, only callers with a certificate of one of these authorities come in.
    std::string client_ca{};
};

struct ServerOptions {
    std::string name;     // for log lines: "terminals"
    bool people = false;  // whether its principals are people, and not terminals: for log lines too
    boost::asio::ip::tcp::endpoint endpoint;
    // A socket that listens already, handed over by who started the program; then `endpoint` is not looked at. The
    // server closes it, which ends nothing where others hold it too: callers then wait for the next one who accepts.
    std::optional<int> descriptor;
    std::optional<TlsFiles> tls;
    // Proxies in front of us, which call for others: these count as the callers, and no limit for one address is
    // theirs. For whom they call they say in X-Forwarded-For; or, with `proxy_protocol`, in the PROXY header that each
    // of their connections must begin with then, ahead of TLS. Nobody else is believed.
    Networks trusted_proxies{};
    bool proxy_protocol = false;
    std::size_t body_limit = 65536;    // bytes; more is answered 413
    std::string body_limit_key{};      // its name in the configuration, for those who find it too small; empty: nothing
    std::size_t header_limit = 16384;  // bytes of request line and header, at most 65535; more is answered 431
    std::size_t connections = 12000;   // in all; one more is closed at once
    std::size_t connections_per_address = 10000;  // the same for those of one caller, so that none takes all
    // What is kept for the callers of one address: requests that are not answered yet, answers that are not taken yet.
    // Beyond it a connection is closed without an answer. Thousands of sales at once are far below it.
    std::size_t bytes_per_address = 64U << 20U;
    std::size_t bytes = 256U << 20U;          // the same for all callers, but for connections that have next to nothing
    std::size_t requests_per_connection = 0;  // it is closed behind the answer to the last one; 0: any number
    Duration header_time{10'000};  // from the first byte of a request to the end of its header, however it drips
    Duration body_time{20'000};    // from the end of the header to the end of the body
    Duration idle_time{75'000};    // between two requests
    Duration write_time{20'000};   // for an answer to be taken
};

// The certificate that callers are shown, and those who would not have it.
struct ShownCertificate {
    std::string file;
    Validity validity;
    std::optional<RunMoment> shown_since{};  // of a listener's own
    // How long callers that refuse it are told of after the last of them.
    static constexpr Duration refusals_count_for = std::chrono::hours(1);

    std::uint64_t refused = 0;                 // handshakes that callers ended for it, since it was first shown
    std::optional<RunMoment> refused_since{};  // the first of those that came within an hour of each other
    // Of the last of these.
    std::optional<RunMoment> refused_at{};
    std::string refused_by{};   // the caller's address
    std::string refused_why{};  // what the caller said, in words
};

// How many there were of each status, since the start.
using Answers = std::map<unsigned, std::uint64_t>;
// How long callers waited, by the pattern of the route that they asked for, or other_call: from the complete head of a
// request until its answer was handed to the connection.
using CallTimes = std::map<std::string_view, Histogram>;
// What was refused before it was known which route it asks for, and what asks for none. However many paths callers
// think of, it is one entry.
inline constexpr std::string_view other_call = "other";

struct Listener;

class Server {
  public:
    // Listens from here on, but accepts nothing before start(). Throws boost::system::system_error, in words that name
    // the listener, where the endpoint cannot be bound, the descriptor is something else, or the certificate cannot be
    // read. Every reference must outlive the server, and so must whatever the router's handlers use; the executor's
    // context may, once the server is started, be destroyed before it or after it.
    Server(boost::asio::any_io_executor executor, ServerOptions options, Router router, Clock& clock, Random& random,
           Log& log);
    // Closes every connection at once; a handler that still waits loses its caller.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    boost::asio::ip::tcp::endpoint endpoint() const;  // with the real port where 0 was asked for
    std::size_t connections() const;                  // open ones
    std::size_t busy() const;                         // those in the middle of a request or its answer
    const Answers& answers() const;                   // not counted: to whom was gone by then, and where none was to be
    // Of the answers that are counted, but those to a head that never came to its end. The keys live as long as the
    // server.
    const CallTimes& call_times() const;

    // What callers are shown now; nothing without TLS.
    const std::optional<ShownCertificate>& certificate() const;
    // Handshakes that callers ended for the certificate, since the start.
    std::uint64_t certificate_refusals() const;

    // Callers that are refused again and again.
    std::vector<Hammering> hammering() const;

    // Begins to accept.
    void start();
    // Stops accepting; a connection is closed after the answer that it is waiting for, an idle one at once, and one
    // that has carried no request yet, and counts as busy meanwhile, if none comes within a second.
    void drain();
    // After drain(): ends when no connection is busy any more, or at `until`; whether none is. One caller at a time.
    boost::asio::awaitable<bool> drained(Instant until);
    // Takes the certificate from its files again; the connections that exist keep the old one. On a failure, which is
    // logged in words, the old one stays: errc::not_found where a file cannot be read, errc::malformed where it holds
    // something else or the listener was started without TLS.
    Result<void> reload_tls(const TlsFiles& files);

  private:
    boost::asio::any_io_executor executor_;
    std::shared_ptr<Listener> listener_;
    std::optional<boost::asio::ip::tcp::acceptor> acceptor_;  // until start() has it
    boost::asio::ip::tcp::endpoint endpoint_;
};

}  // namespace gateway::http
