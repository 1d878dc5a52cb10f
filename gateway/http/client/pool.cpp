#include "http/client/pool.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/lexical_cast.hpp>

namespace gateway::http {
namespace {

using namespace std::chrono_literals;

// Idle connections are looked through at most so often.
constexpr Duration sweep_pause = 1s;

// An address may be silent for so long before the next one is tried as well (RFC 8305, section 8).
constexpr Duration attempt_delay = 250ms;

// Keeps a pointer in a list for as long as this object lives.
template <class T>
class Listed {
  public:
    Listed(std::vector<T*>& list, T* one) : list_(list), one_(one) { list_.push_back(one_); }
    Listed(const Listed&) = delete;
    Listed& operator=(const Listed&) = delete;
    ~Listed() { std::erase(list_, one_); }

  private:
    std::vector<T*>& list_;
    T* const one_;
};

// Returns the addresses that connections are made to.
std::shared_ptr<Addresses> addresses_of(const boost::asio::any_io_executor& executor, const PoolOptions& options,
                                        Clock& clock) {
    const auto& host = options.proxy ? options.proxy->host : options.origin.host;
    const auto port = options.proxy ? options.proxy->port : options.origin.port;
    auto look_up = options.look_up ? options.look_up : system_look_up(executor, host, port);
    return std::make_shared<Addresses>(executor, host, port, clock, std::move(look_up));
}

}  // namespace

void Pool::Release::operator()(Connection* connection) const noexcept {
    delete connection;
    pool->released();
}

Pool::Pool(boost::asio::any_io_executor executor, const PoolOptions& options, Clock& clock, Random& random)
    : executor_(std::move(executor)),
      options_(options),
      proxy_(options_.proxy),
      clock_(clock),
      deadlines_(std::make_shared<Deadlines>(executor_, clock)),
      addresses_(addresses_of(executor_, options_, clock)),
      circuit_(random),
      trust_(std::make_shared<Trust>(options_.tls)),
      waiting_(clock),
      racing_(clock),
      sweeping_(*deadlines_, [this] { sweep(); }) {}

boost::asio::awaitable<Result<Pool::Lease>> Pool::take(Instant deadline) {
    const auto self = shared_from_this();
    for (bool waited = false;; waited = true) {
        if (stopped_) co_return errc::shutting_down;
        if (clock_.now() >= deadline) {
            if (waited) waiting_.notify_one();  // it may have been this caller's turn
            co_return errc::timed_out;
        }
        if (waited || waiting_.empty()) {
            if (auto connection = take_idle()) co_return std::move(connection);
            if (counts_.connecting < options_.connecting_max && counts_.open < options_.connections_max) {
                auto opening = open(deadline);
                co_return co_await std::move(opening);
            }
        }
        co_await waiting_.wait(deadline, waited ? WaitQueue::Position::front : WaitQueue::Position::back);
    }
}

Pool::Lease Pool::take_idle() {
    const Instant now = clock_.now();
    while (!idle_.empty()) {
        auto last = std::move(idle_.back());
        idle_.pop_back();
        if (now >= last.until || !last.connection->stream.quiet()) continue;
        ++counts_.reused;
        return std::move(last.connection);
    }
    return {};
}

void Pool::give_back(Lease connection, Duration idle_for) {
    connection->clear_deadline();
    connection->used = true;
    const bool outdated = connection->trust && connection->trust != trust_;
    if (stopped_ || connection->timed_out() || idle_for <= Duration(0) || outdated) return;
    if (connection->stream.pending() && !connection->stream.quiet()) return;  // the peer sent more than its answer
    const Instant now = clock_.now();
    if (idle_.empty()) sweeping_.set(now + std::max(idle_for, sweep_pause));
    idle_.push_back({std::move(connection), now + idle_for});
    waiting_.notify_one();
}

void Pool::sweep() {
    const Instant now = clock_.now();
    std::erase_if(idle_, [now](const Idle& idle) { return now >= idle.until; });
    if (idle_.empty()) return;
    const auto next =
        std::min_element(idle_.begin(), idle_.end(), [](const Idle& a, const Idle& b) { return a.until < b.until; });
    sweeping_.set(std::max(next->until, now + sweep_pause));
}

boost::asio::awaitable<Result<Pool::Lease>> Pool::open(Instant deadline) {
    const Instant begun = clock_.now();
    const auto pass = circuit_.admit(begun);
    if (!pass) co_return errc::unreachable;
    ++counts_.connecting;
    auto dialling = dial_any(std::min(deadline, begun + options_.connect_timeout));
    auto dialled = co_await std::move(dialling);
    --counts_.connecting;
    if (stopped_) co_return errc::shutting_down;
    const Instant now = clock_.now();
    if (dialled.connection) {
        circuit_.succeeded(*pass);
        trouble_.clear();
        ++counts_.opened;
        waiting_.notify_one();
        co_return std::move(dialled.connection);
    }
    // If the caller has little time left, a failure proves nothing about the provider.
    const bool too_little_time = now >= deadline && now < begun + options_.connect_timeout;
    if (dialled.local || too_little_time) {
        circuit_.withdrawn(*pass);
    } else {
        circuit_.failed(*pass, now);
    }
    trouble_ = std::move(dialled.why);
    if (circuit_.state(now) == Circuit::State::closed) {
        waiting_.notify_one();
    } else {
        waiting_.notify_all();
    }
    co_return too_little_time ? errc::timed_out : errc::unreachable;
}

// Tries one address after the other. The next one begins as soon as one has failed or has been silent for a moment (RFC
// 8305), so that an address that swallows everything costs no more than that moment. The first one that works is taken,
// and the others are dropped.
boost::asio::awaitable<Pool::Dialled> Pool::dial_any(Instant deadline) {
    const auto addresses = co_await addresses_->get(deadline);
    const auto race = std::make_shared<Race>();
    auto& result = race->result;
    if (!addresses) {
        result.why = "no address found for " + (proxy_ ? "the proxy " + proxy_->url : options_.origin.host) + ": " +
                     addresses.error().message();
        co_return std::move(result);
    }
    result.why = "no time was left to connect";
    auto next = addresses->begin();
    while (!stopped_ && !result.connection) {
        const Instant now = clock_.now();
        const bool more = next != addresses->end() && now < deadline;
        if (more && (race->running == 0 || now >= race->next_at)) {
            race->next_at = now + attempt_delay;
            ++race->running;
            boost::asio::co_spawn(executor_, attempt(shared_from_this(), race, *next++, deadline), rethrow);
        } else if (race->running > 0) {
            co_await racing_.wait(more ? race->next_at : never);
        } else {
            break;
        }
    }
    race->over = true;
    for (auto* connection : race->under_way)
        connection->give_up();
    co_return std::move(result);
}

boost::asio::awaitable<void> Pool::attempt(std::shared_ptr<Pool> self, std::shared_ptr<Race> race,
                                           Addresses::Endpoint peer, Instant deadline) {
    auto dialling = self->dial(*race, peer, deadline);
    auto dialled = co_await std::move(dialling);
    --race->running;
    if (race->over || race->result.connection) co_return;
    if (dialled.connection) self->addresses_->prefer(peer);
    // What a proxy says tells more than the silence of another one of its addresses.
    if (dialled.connection || !race->result.proxy_answered) race->result = std::move(dialled);
    race->next_at = Instant::min();
    self->racing_.notify_all();
}

boost::asio::awaitable<Pool::Dialled> Pool::dial(Race& race, Addresses::Endpoint peer, Instant deadline) {
    Dialled result;
    Lease connection(new Connection(executor_, *deadlines_), Release(this));
    ++counts_.open;
    const Listed listed(race.under_way, connection.get());
    auto& stream = connection->stream;
    auto where = boost::lexical_cast<std::string>(peer) + ": ";
    if (proxy_) where = "the proxy " + proxy_->url + " at " + where;
    if (const auto error = stream.open(peer)) {
        result.local = true;
        result.why = where + error.message();
        co_return result;
    }
    connection->set_deadline(deadline);
    const auto [error] = co_await stream.connect(peer);
    if (error || connection->timed_out()) {
        result.why = where + (connection->timed_out() ? "no connection in time" : error.message());
        co_return result;
    }
    if (proxy_) {
        auto opening = open_tunnel(*connection, *proxy_, options_.origin);
        auto tunnel = co_await std::move(opening);
        if (!tunnel.stands) {
            result.proxy_answered = tunnel.answered;
            result.why = std::move(tunnel.why);
            co_return result;
        }
        where = options_.origin.authority() + " through the proxy " + proxy_->url + ": ";
    }
    if (options_.origin.tls) {
        connection->trust = trust_;
        stream.secure(trust_->client->open(options_.origin.host, trust_->memory));
        if (!co_await shake_hands(*connection)) {
            result.why =
                where + (connection->timed_out() ? "no TLS handshake in time" : handshake_failure(stream.tls()));
            co_return result;
        }
        if (stream.pending() && !stream.quiet()) {  // it could only be an answer to something else
            result.why = where + "the peer spoke before it was asked";
            co_return result;
        }
    }
    connection->clear_deadline();
    result.connection = std::move(connection);
    co_return result;
}

boost::asio::awaitable<bool> Pool::shake_hands(Connection& connection) {
    auto& stream = connection.stream;
    for (;;) {
        const auto step = stream.handshake();
        if (step.outcome == Stream::Outcome::done) break;
        if (step.outcome != Stream::Outcome::wait_read && step.outcome != Stream::Outcome::wait_write) co_return false;
        co_await stream.wait(step.outcome);
        if (connection.timed_out()) co_return false;
    }
    ++(SSL_session_reused(stream.tls()) != 0 ? counts_.handshakes_resumed : counts_.handshakes_full);
    co_return true;
}

void Pool::released() noexcept {
    --counts_.open;
    if (!stopped_) waiting_.notify_one();
}

void Pool::close_idle() {
    const auto gone = std::move(idle_);
    idle_.clear();
}

void Pool::use(std::shared_ptr<const TlsClient> tls) {
    trust_ = std::make_shared<Trust>(std::move(tls));
    close_idle();
}

void Pool::use_at_proxy(Secret authorization) {
    if (proxy_) proxy_->authorization = std::move(authorization);
}

void Pool::stop() {
    stopped_ = true;
    close_idle();
    sweeping_.clear();
    deadlines_->stop();
    addresses_->stop();
    waiting_.notify_all();
    racing_.notify_all();
}

PoolStats Pool::stats() const {
    auto stats = counts_;
    stats.idle = idle_.size();
    stats.waiting = waiting_.size();
    stats.circuit = circuit_.state(clock_.now());
    if (options_.origin.tls) stats.certificate_expires_at = trust_->client->certificate_expires_at();
    return stats;
}

}  // namespace gateway::http
