// Holds the connections to one origin, through a proxy if there is one: keeps those that are idle, and makes new ones.
// It looks at an idle connection before it hands it out, so that no request is lost to a peer that closed the
// connection a while ago.
//
// Nothing here has sent any part of a request: if anything fails here, the sale was certainly not asked for.
#pragma once

#include "base/error.hpp"
#include "base/random.hpp"
#include "http/client/addresses.hpp"
#include "http/client/circuit.hpp"
#include "http/client/tls_client.hpp"
#include "http/client/tunnel.hpp"
#include "net/deadlines.hpp"
#include "net/stream.hpp"
#include "net/wait_queue.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gateway::http {

struct PoolOptions {
    Origin origin;
    std::optional<Proxy> proxy;            // every connection goes through it
    std::shared_ptr<const TlsClient> tls;  // needed if the origin is https; several pools may share one
    Duration connect_timeout{5'000};       // for look-up, connection, tunnel and handshake together
    // This is more than limits.in_flight sales can need, and fewer than the file descriptors that the service file
    // grants.
    std::size_t connections_max = 12'000;
    // So many connections are opened at once. More of them overrun the queue of a server that accepts slowly, and a
    // handshake that waits for the first ones is resumed from their session.
    std::size_t connecting_max = 128;
    Addresses::LookUp look_up;  // looks up the origin, or the proxy; empty for the system's way; tests have another
};

// These numbers are for the monitoring.
struct PoolStats {
    std::size_t open = 0;  // connections that exist, whatever they are doing
    std::size_t idle = 0;
    std::size_t connecting = 0;
    std::size_t waiting = 0;  // exchanges that wait for a connection
    std::uint64_t opened = 0;
    std::uint64_t handshakes_full = 0;
    std::uint64_t handshakes_resumed = 0;
    std::uint64_t reused = 0;  // exchanges on a connection that had carried one before
    Circuit::State circuit = Circuit::State::closed;
    std::optional<WallTime> certificate_expires_at;  // the end of our own certificate; nothing if none is shown
};

// This is one connection to the provider, with the time by which what it is doing must be done.
class Connection {
  public:
    // `deadlines` must outlive it.
    Connection(const boost::asio::any_io_executor& executor, Deadlines& deadlines)
        : stream(executor), deadline_(deadlines, [this] { time_out(); }) {}
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    // Tells a peer that still listens, and makes it possible to resume the session.
    ~Connection() { stream.finish(); }

    std::shared_ptr<void> trust;  // keeps alive what the stream's TLS points to
    Stream stream;
    bool used = false;  // it has carried a request before

    // At this moment every wait ends, and after it every read and write fails.
    void set_deadline(Instant when) { deadline_.set(when); }
    void clear_deadline() { deadline_.clear(); }
    bool timed_out() const noexcept { return timed_out_; }
    // Ends the connection as if its deadline had come, because nobody waits for it any more.
    void give_up() { time_out(); }

  private:
    void time_out() {
        timed_out_ = true;
        stream.close();
    }

    Deadline deadline_;
    bool timed_out_ = false;
};

class Pool : public std::enable_shared_from_this<Pool> {
  public:
    // Closes a connection and makes room for another. The pool must outlive it.
    struct Release {
        Release() noexcept : pool(nullptr) {}
        explicit Release(Pool* p) noexcept : pool(p) {}
        void operator()(Connection* connection) const noexcept;

        Pool* pool;
    };
    using Lease = std::unique_ptr<Connection, Release>;

    Pool(boost::asio::any_io_executor executor, const PoolOptions& options, Clock& clock, Random& random);

    // Returns a live connection: the idle one that was used last, or a new one. It fails with errc::unreachable or
    // errc::shutting_down, and with errc::timed_out if the deadline left too little time to tell.
    boost::asio::awaitable<Result<Lease>> take(Instant deadline);
    // Takes back a connection that may carry another request. It is kept for so long if it stays idle.
    void give_back(Lease connection, Duration idle_for);

    void close_idle();
    // Makes every new connection with this. Idle connections are closed, and those in use carry no other request.
    void use(std::shared_ptr<const TlsClient> tls);
    // Shows this to the proxy from the next connection on. It has no effect if there is no proxy.
    void use_at_proxy(Secret authorization);
    // Ends every wait. Afterwards the clock is not used.
    void stop();

    PoolStats stats() const;
    // Says why the last connection was not made, or is empty if it was.
    const std::string& trouble() const noexcept { return trouble_; }

  private:
    // Says whom to believe, and holds what is remembered of it: only the client that looked at certificates may resume
    // a session.
    struct Trust {
        explicit Trust(std::shared_ptr<const TlsClient> c) : client(std::move(c)) {}
        std::shared_ptr<const TlsClient> client;
        TlsMemory memory;
    };
    struct Idle {
        Lease connection;
        Instant until;
    };
    // Says what became of one address, or of all of them.
    struct Dialled {
        Lease connection;  // null if it failed
        std::string why;
        bool local = false;           // this machine itself had the problem
        bool proxy_answered = false;  // the proxy answered, and refused
    };

    // Holds the attempts to make one connection, each at another address.
    struct Race {
        Dialled result{};                      // of the attempt that won, or else of one that failed
        std::vector<Connection*> under_way{};  // the connections that are being made
        std::size_t running = 0;
        Instant next_at = Instant::min();  // the next address is tried then
        bool over = false;                 // nobody waits for the result any more
    };

    Lease take_idle();
    boost::asio::awaitable<Result<Lease>> open(Instant deadline);
    boost::asio::awaitable<Dialled> dial_any(Instant deadline);
    static boost::asio::awaitable<void> attempt(std::shared_ptr<Pool> self, std::shared_ptr<Race> race,
                                                Addresses::Endpoint peer, Instant deadline);
    boost::asio::awaitable<Dialled> dial(Race& race, Addresses::Endpoint peer, Instant deadline);
    boost::asio::awaitable<bool> shake_hands(Connection& connection);
    void sweep();
    void released() noexcept;

    const boost::asio::any_io_executor executor_;
    const PoolOptions options_;
    std::optional<Proxy> proxy_;
    Clock& clock_;
    const std::shared_ptr<Deadlines> deadlines_;
    const std::shared_ptr<Addresses> addresses_;
    Circuit circuit_;
    std::string trouble_;
    std::shared_ptr<Trust> trust_;
    WaitQueue waiting_;
    WaitQueue racing_;  // the races that wait for one of their attempts
    PoolStats counts_;  // the numbers that are counted as things happen
    bool stopped_ = false;
    std::vector<Idle> idle_;  // the connection that was used last is the last one
    Deadline sweeping_;
};

}  // namespace gateway::http
