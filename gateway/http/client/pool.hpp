// The connections to one origin, through a proxy where there is one: those that are idle, and how new ones come about.
// Looks at an idle connection before it hands it out, so that a request that goes out on it is not lost to a peer that
// hung up a while ago.
//
// Nothing here has sent any part of a request: whatever fails here, the sale was certainly not asked for.
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
    std::optional<Proxy> proxy;            // that every connection goes through
    std::shared_ptr<const TlsClient> tls;  // needed where the origin is https; several pools may share one
    Duration connect_timeout{5'000};       // for look-up, connection, tunnel and handshake together
    // More than limits.in_flight sales can need, fewer than the file descriptors that the service file grants.
    std::size_t connections_max = 12'000;
    // Connections being opened at once: more overrun the queue of a server that accepts slowly, and a handshake that
    // waits for the first ones is resumed from their session.
    std::size_t connecting_max = 128;
    Addresses::LookUp look_up;  // of the origin, or of the proxy; for tests; empty: the system's
};

// For the monitoring.
struct PoolStats {
    std::size_t open = 0;  // connections that exist, whatever they are doing
    std::size_t idle = 0;
    std::size_t connecting = 0;
    std::size_t waiting = 0;  // exchanges, for a connection
    std::uint64_t opened = 0;
    std::uint64_t handshakes_full = 0;
    std::uint64_t handshakes_resumed = 0;
    std::uint64_t reused = 0;  // exchanges on a connection that had carried one before
    Circuit::State circuit = Circuit::State::closed;
    std::optional<WallTime> certificate_expires_at;  // of ours; nothing where none is shown
};

// One connection to the provider, with the time by which whatever it is doing must be done.
class Connection {
  public:
    // `deadlines` must outlive it.
    Connection(const boost::asio::any_io_executor& executor, Deadlines& deadlines)
        : stream(executor), deadline_(deadlines, [this] { time_out(); }) {}
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    // A peer that still listens is told, and the session can be resumed.
    ~Connection() { stream.finish(); }

    std::shared_ptr<void> trust;  // what the stream's TLS points to
    Stream stream;
    bool used = false;  // it has carried a request before

    // From then on every wait ends at once and every read and write fails.
    void set_deadline(Instant when) { deadline_.set(when); }
    void clear_deadline() { deadline_.clear(); }
    bool timed_out() const noexcept { return timed_out_; }
    // Nobody waits for it any more: as if its deadline had come.
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

    // A live connection: the idle one that was used last, else a new one. errc::unreachable or errc::shutting_down
    // where there is none, errc::timed_out where the deadline left too little time to tell.
    boost::asio::awaitable<Result<Lease>> take(Instant deadline);
    // It may carry another request, for so long if it stays idle.
    void give_back(Lease connection, Duration idle_for);

    void close_idle();
    // Every new connection is made with this; those that idle are closed, and those in use carry no other request.
    void use(std::shared_ptr<const TlsClient> tls);
    // What the proxy is shown from the next connection on; means nothing where there is none.
    void use_at_proxy(Secret authorization);
    // Ends every wait; afterwards the clock is not touched.
    void stop();

    PoolStats stats() const;
    // Why the last connection did not come about; empty where it did.
    const std::string& trouble() const noexcept { return trouble_; }

  private:
    // Whom to believe, and what is remembered of it: a session is resumed only by the one who looked at certificates.
    struct Trust {
        explicit Trust(std::shared_ptr<const TlsClient> c) : client(std::move(c)) {}
        std::shared_ptr<const TlsClient> client;
        TlsMemory memory;
    };
    struct Idle {
        Lease connection;
        Instant until;
    };
    // What became of one address, or of all of them.
    struct Dialled {
        Lease connection;  // null: it failed
        std::string why;
        bool local = false;           // this machine's own trouble
        bool proxy_answered = false;  // and would have no more of it
    };

    // The attempts to make one connection, each at another address.
    struct Race {
        Dialled result{};                      // of the one that won, else of one that failed
        std::vector<Connection*> under_way{};  // that are being made
        std::size_t running = 0;
        Instant next_at = Instant::min();  // when the next address has its turn
        bool over = false;                 // nobody waits for it any more
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
    WaitQueue racing_;  // races, for one of their attempts
    PoolStats counts_;  // those that are counted as they happen
    bool stopped_ = false;
    std::vector<Idle> idle_;  // the one used last is the last
    Deadline sweeping_;
};

}  // namespace gateway::http
