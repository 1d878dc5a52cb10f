#include "http/client/https_client.hpp"

#include "base/check.hpp"
#include "http/client/pool.hpp"
#include "http/client/request_text.hpp"

#include <array>

namespace gateway::http {
namespace {

using Progress = Stream::Outcome;

// A peer that closes an idle connection after so many seconds may do so while a request is on its way.
constexpr std::chrono::seconds closing_margin{1};

Reply failed(Reply::Kind kind, boost::system::error_code why) {
    Reply reply;
    reply.kind = kind;
    reply.failure = why;
    return reply;
}

bool waits(Progress progress) {
    return progress == Progress::wait_read || progress == Progress::wait_write;
}

PoolOptions pool_options(const boost::asio::any_io_executor& executor, const HttpsClientOptions& options) {
    CHECK(options.tls || !options.origin.tls);
    PoolOptions pool;
    pool.name = options.name;
    pool.origin = options.origin;
    pool.tls = options.tls;
    pool.look_up =
        options.look_up ? options.look_up : system_look_up(executor, options.origin.host, options.origin.port);
    pool.connect_timeout = options.connect_timeout;
    pool.connections_max = options.connections_max;
    pool.connecting_max = options.connecting_max;
    return pool;
}

}  // namespace

// What outlives the transport while exchanges are under way: their frames hold it.
struct HttpsClient::Core {
    Core(const boost::asio::any_io_executor& executor, HttpsClientOptions o, Clock& c, Random& random, Log& l)
        : options(std::move(o)),
          authority(options.origin.authority()),
          clock(c),
          log(l),
          pool(std::make_shared<Pool>(executor, pool_options(executor, options), clock, random, log)) {}

    static boost::asio::awaitable<Reply> exchange(std::shared_ptr<Core> core, const ClientRequest& request,
                                                  Instant deadline);
    boost::asio::awaitable<Reply> run(Secret text, const std::function<bool()>& wanted, Instant deadline, bool& reused);
    static Progress write(Connection& connection, std::string_view& rest);
    boost::asio::awaitable<Reply> receive(Pool::Lease connection);
    Progress read(Connection& connection, AnswerReader& reader, AnswerReader::State& state);
    Duration idle_for(const AnswerReader& reader) const;
    void note(const ClientRequest& request, const Reply& reply, Instant begun, bool reused);

    const HttpsClientOptions options;
    const std::string authority;
    Clock& clock;
    Log& log;
    const std::shared_ptr<Pool> pool;
    bool stopped = false;              // the transport is gone, and with it perhaps clock and log
    std::array<char, 64 * 1024> room;  // borrowed to whichever connection is being read; a large answer in a few pieces
};

HttpsClient::HttpsClient(boost::asio::any_io_executor executor, HttpsClientOptions options, Clock& clock,
                         Random& random, Log& log)
    : core_(std::make_shared<Core>(executor, std::move(options), clock, random, log)) {}

HttpsClient::~HttpsClient() {
    core_->stopped = true;
    core_->pool->stop();
}

boost::asio::awaitable<Reply> HttpsClient::exchange(const ClientRequest& request, Instant deadline) {
    return Core::exchange(core_, request, deadline);
}

boost::asio::awaitable<Reply> HttpsClient::Core::exchange(std::shared_ptr<Core> core, const ClientRequest& request,
                                                          Instant deadline) {
    if (core->stopped) co_return failed(Reply::Kind::nothing_sent, errc::shutting_down);
    const Instant begun = core->clock.now();
    bool reused = false;
    auto text = request_text(request, core->authority);
    if (!text) co_return failed(Reply::Kind::nothing_sent, text.error());
    auto running = core->run(std::move(*text), request.wanted, deadline, reused);
    auto reply = co_await std::move(running);
    if (!core->stopped) core->note(request, reply, begun, reused);
    co_return reply;
}

boost::asio::awaitable<Reply> HttpsClient::Core::run(Secret text, const std::function<bool()>& wanted, Instant deadline,
                                                     bool& reused) {
    for (;;) {
        if (clock.now() >= deadline) co_return failed(Reply::Kind::nothing_sent, errc::timed_out);
        auto connection = pool->take_at_once();
        if (!connection) {
            auto taken = co_await pool->take(deadline);
            if (!taken) co_return failed(Reply::Kind::nothing_sent, taken.error());
            connection = std::move(*taken);
            if (clock.now() >= deadline) co_return failed(Reply::Kind::nothing_sent, errc::timed_out);
        }
        if (wanted && !wanted()) {
            pool->give_back(std::move(connection), options.idle_max);
            co_return failed(Reply::Kind::nothing_sent, errc::not_wanted);
        }
        reused = connection->used;
        connection->set_deadline(deadline);
        const auto sent_before = connection->stream.sent();
        std::string_view rest = text.reveal();
        auto outcome = write(*connection, rest);
        while (waits(outcome)) {
            co_await connection->stream.wait(outcome);
            outcome = connection->timed_out() ? Progress::failed : write(*connection, rest);
        }
        if (outcome == Progress::done) {
            // The answer is waited for much longer than the request is needed. Only a move gives its memory back.
            static_cast<void>(Secret(std::move(text)));
            auto receiving = receive(std::move(connection));
            co_return co_await std::move(receiving);
        }
        const errc why = connection->timed_out() ? errc::timed_out : errc::connection_lost;
        if (connection->stream.sent() != sent_before) co_return failed(Reply::Kind::lost, why);
        // The operating system took not a byte of it. An idle connection may have died just now; a new one that does is
        // the provider's way to say no.
        if (!reused || connection->timed_out()) co_return failed(Reply::Kind::nothing_sent, why);
    }
}

// Takes off `rest` what can be written now: until nothing is left (done) or the rest has to wait.
Progress HttpsClient::Core::write(Connection& connection, std::string_view& rest) {
    while (!rest.empty()) {
        const auto step = connection.stream.write(rest);
        if (step.outcome != Progress::done) return step.outcome;
        rest.remove_prefix(step.bytes);
    }
    return Progress::done;
}

boost::asio::awaitable<Reply> HttpsClient::Core::receive(Pool::Lease connection) {
    AnswerReader reader(options.limits);
    auto state = AnswerReader::State::more;
    for (auto wanted = Progress::wait_read; state == AnswerReader::State::more;) {
        // Neither a buffer nor a parser is held for an answer that has not begun.
        co_await connection->stream.wait(wanted);
        if (connection->timed_out()) co_return failed(Reply::Kind::lost, errc::timed_out);
        wanted = read(*connection, reader, state);
        if (wanted == Progress::failed) co_return failed(Reply::Kind::lost, errc::connection_lost);
    }
    if (state == AnswerReader::State::failed) co_return failed(Reply::Kind::lost, reader.failure());
    const auto idle = idle_for(reader);
    auto reply = reader.take(stopped ? WallTime() : clock.wall());
    pool->give_back(std::move(connection), idle);
    co_return reply;
}

// Reads what is there: until the answer is complete (done) or more is waited for.
Progress HttpsClient::Core::read(Connection& connection, AnswerReader& reader, AnswerReader::State& state) {
    for (;;) {
        const auto step = connection.stream.read(room);
        if (step.outcome == Progress::done) {
            state = reader.feed({room.data(), step.bytes});
        } else if (step.outcome == Progress::ended) {
            state = reader.end();
        } else {
            return step.outcome;
        }
        if (state != AnswerReader::State::more) return Progress::done;
    }
}

// How long the connection may stay idle; nothing where it may not carry another request.
Duration HttpsClient::Core::idle_for(const AnswerReader& reader) const {
    if (!reader.keeps_alive()) return Duration(0);
    const auto peer = reader.idle_time();
    return peer ? std::min<Duration>(options.idle_max, *peer - closing_margin) : options.idle_max;
}

void HttpsClient::Core::note(const ClientRequest& request, const Reply& reply, Instant begun, bool reused) {
    if (log.level() > LogLevel::debug) return;
    const auto took = std::chrono::duration_cast<Duration>(clock.now() - begun);
    const auto failure = reply.failure ? reply.failure.message() : std::string();
    log.debug("transport.exchange", {{"service", options.name},
                                     {"step", request.label},
                                     {"request", request.request_id},
                                     {"status", reply.status},
                                     {"failure", failure},
                                     {"sent", reply.kind != Reply::Kind::nothing_sent},
                                     {"tookMs", took},
                                     {"reused", reused}});
}

void HttpsClient::use(std::shared_ptr<const TlsClient> tls) {
    if (core_->options.origin.tls) core_->pool->use(std::move(tls));
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
