#include "http/client/https_client.hpp"

#include "base/check.hpp"
#include "http/client/request_text.hpp"

#include <array>

namespace gateway::http {
namespace {

using Progress = Stream::Outcome;

// A peer that closes an idle connection after so many seconds may close it while a request is on its way.
constexpr std::chrono::seconds closing_margin{1};

// Frees the memory of the value, which an assignment would not do.
template <class T>
void let_go(T& value) {
    const T gone = std::move(value);
}

}  // namespace

// Outlives the client while exchanges are under way: their reservations hold it.
struct HttpsClient::Core {
    Core(const boost::asio::any_io_executor& executor, HttpsClientOptions o, Clock& c, Random& random, Log& l)
        : options(std::move(o)),
          authority(options.origin.authority()),
          clock(c),
          log(l),
          pool(std::make_shared<Pool>(executor, options, clock, random)) {
        CHECK(options.tls || !options.origin.tls);
    }

    static boost::asio::awaitable<Result<std::unique_ptr<Reservation>>> reserve(std::shared_ptr<Core> core,
                                                                                Instant deadline);

    const HttpsClientOptions options;
    const std::string authority;
    Clock& clock;
    Log& log;
    const std::shared_ptr<Pool> pool;
    bool stopped = false;  // the client is gone, and perhaps clock and log with it
    // The connection that is being read borrows this. A large answer comes in a few pieces.
    std::array<char, 64 * 1024> room;
};

class HttpsClient::Held final : public Reservation {
  public:
    Held(std::shared_ptr<Core> core, Pool::Lease connection)
        : core_(std::move(core)), connection_(std::move(connection)) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() override {
        if (connection_) core_->pool->give_back(std::move(connection_), core_->options.idle_max);
    }

    boost::asio::awaitable<Reply> send(ClientRequest request, Instant deadline) override;

  private:
    boost::asio::awaitable<Reply> send(Result<Secret> text, std::string label, std::string request_id,
                                       AnswerLimits limits, Instant deadline);
    boost::asio::awaitable<Reply> exchange(Secret text, AnswerLimits limits, Instant deadline);
    static Progress write(Connection& connection, std::string_view& rest);
    Progress read(Connection& connection, AnswerReader& reader, AnswerReader::State& state);
    Duration idle_for(const AnswerReader& reader) const;
    void note(const std::string& label, const std::string& request_id, const Reply& reply, Instant begun, bool reused);

    const std::shared_ptr<Core> core_;
    Pool::Lease connection_;  // null once something was sent on it
};

HttpsClient::HttpsClient(boost::asio::any_io_executor executor, HttpsClientOptions options, Clock& clock,
                         Random& random, Log& log)
    : core_(std::make_shared<Core>(executor, std::move(options), clock, random, log)) {}

HttpsClient::~HttpsClient() {
    core_->stopped = true;
    core_->pool->stop();
}

boost::asio::awaitable<Result<std::unique_ptr<Reservation>>> HttpsClient::reserve(Instant deadline) {
    return Core::reserve(core_, deadline);
}

boost::asio::awaitable<Result<std::unique_ptr<Reservation>>> HttpsClient::Core::reserve(std::shared_ptr<Core> core,
                                                                                        Instant deadline) {
    auto taking = core->pool->take(deadline);
    auto connection = co_await std::move(taking);
    if (!connection) co_return connection.error();
    co_return std::make_unique<Held>(core, std::move(*connection));
}

// This is not a coroutine, because the answer is awaited much longer than the request is needed.
boost::asio::awaitable<Reply> HttpsClient::Held::send(ClientRequest request, Instant deadline) {
    auto text = request_text(request, core_->authority);
    auto limits = core_->options.limits;
    limits.body = request.answer_limit.value_or(limits.body);
    // Besides the text, only what the log will say about the request is kept.
    return send(std::move(text), std::move(request.label), std::move(request.request_id), limits, deadline);
}

boost::asio::awaitable<Reply> HttpsClient::Held::send(Result<Secret> text, std::string label, std::string request_id,
                                                      AnswerLimits limits, Instant deadline) {
    if (core_->stopped) co_return Reply::unsent(errc::shutting_down);
    const Instant begun = core_->clock.now();
    if (begun >= deadline) co_return Reply::unsent(errc::timed_out);
    if (!text) co_return Reply::unsent(text.error());
    const bool reused = connection_->used;
    auto exchanging = exchange(std::move(*text), limits, deadline);
    auto reply = co_await std::move(exchanging);
    if (core_->stopped) co_return reply;
    if (reply.dated) reply.dated = {reply.dated->date, begun, core_->clock.now()};
    note(label, request_id, reply, begun, reused);
    co_return reply;
}

boost::asio::awaitable<Reply> HttpsClient::Held::exchange(Secret text, AnswerLimits limits, Instant deadline) {
    auto connection = std::move(connection_);  // closed wherever this function ends, except after a whole answer
    connection->set_deadline(deadline);
    const auto sent_before = connection->stream.sent();
    std::string_view rest = text.reveal();
    auto outcome = write(*connection, rest);
    while (waits(outcome)) {
        co_await connection->stream.wait(outcome);
        outcome = connection->timed_out() ? Progress::failed : write(*connection, rest);
    }
    if (outcome != Progress::done) {
        const errc why = connection->timed_out() ? errc::timed_out : errc::connection_lost;
        if (connection->stream.sent() != sent_before) co_return Reply::lost(why);
        // The operating system took not a byte of it. An idle connection may have died just now; a new one that does is
        // the provider's way to say no.
        const bool stale = connection->used && !connection->timed_out() && !core_->stopped;
        co_return Reply::unsent(stale ? errc::stale_connection : why);
    }
    let_go(text);
    AnswerReader reader(limits);
    auto state = AnswerReader::State::more;
    for (auto wanted = Progress::wait_read; state == AnswerReader::State::more;) {
        // Neither a buffer nor a parser is held for an answer that has not begun.
        co_await connection->stream.wait(wanted);
        if (connection->timed_out()) co_return Reply::lost(errc::timed_out);
        wanted = read(*connection, reader, state);
        if (wanted == Progress::failed) co_return Reply::lost(errc::connection_lost);
    }
    if (state == AnswerReader::State::failed) co_return Reply::lost(reader.failure());
    const auto idle = idle_for(reader);
    auto reply = reader.take(core_->stopped ? WallTime() : core_->clock.wall());
    core_->pool->give_back(std::move(connection), idle);
    co_return reply;
}

// Takes off `rest` what can be written now: until nothing is left (done) or the rest has to wait.
Progress HttpsClient::Held::write(Connection& connection, std::string_view& rest) {
    while (!rest.empty()) {
        const auto step = connection.stream.write(rest);
        if (step.outcome != Progress::done) return step.outcome;
        rest.remove_prefix(step.bytes);
    }
    return Progress::done;
}

// Reads what has come: until the answer is complete (done) or more has to be waited for.
Progress HttpsClient::Held::read(Connection& connection, AnswerReader& reader, AnswerReader::State& state) {
    for (;;) {
        const auto step = connection.stream.read(core_->room);
        if (step.outcome == Progress::done) {
            state = reader.feed({core_->room.data(), step.bytes});
        } else if (step.outcome == Progress::ended) {
            state = reader.end();
        } else {
            return step.outcome;
        }
        if (state != AnswerReader::State::more) return Progress::done;
    }
}

// Returns how long the connection may stay idle; 0 if it may not carry another request.
Duration HttpsClient::Held::idle_for(const AnswerReader& reader) const {
    if (!reader.keeps_alive()) return Duration(0);
    const auto peer = reader.idle_time();
    return peer ? std::min<Duration>(core_->options.idle_max, *peer - closing_margin) : core_->options.idle_max;
}

void HttpsClient::Held::note(const std::string& label, const std::string& request_id, const Reply& reply, Instant begun,
                             bool reused) {
    auto& log = core_->log;
    if (log.level() > LogLevel::debug) return;
    const auto took = std::chrono::duration_cast<Duration>(core_->clock.now() - begun);
    const auto failure = reply.failure ? reply.failure.message() : std::string();
    log.debug("transport.exchange",
              failure.empty() ? Sentence("exchange ({call}) answered {httpStatus} in {durationMs}")
                              : Sentence("exchange ({call}) failed after {durationMs}: {detail}"),
              {{"service", core_->options.name},
               {"call", label},
               {"request", request_id},
               {"httpStatus", failure.empty() ? std::optional(reply.status) : std::nullopt},
               {"detail", failure},
               {"sent", reply.kind != Reply::Kind::nothing_sent},
               {"durationMs", took},
               {"reused", reused}});
}

void HttpsClient::use(std::shared_ptr<const TlsClient> tls) {
    if (core_->options.origin.tls) core_->pool->use(std::move(tls));
}

void HttpsClient::use_at_proxy(Secret authorization) {
    core_->pool->use_at_proxy(std::move(authorization));
}

void HttpsClient::close_idle() {
    core_->pool->close_idle();
}

std::string HttpsClient::trouble() const {
    return core_->pool->trouble();
}

PoolStats HttpsClient::stats() const {
    return core_->pool->stats();
}

}  // namespace gateway::http
