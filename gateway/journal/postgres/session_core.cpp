#include "journal/postgres/session_core.hpp"

#include "base/wall_time.hpp"
#include "journal/chain/commit_count.hpp"
#include "journal/postgres/error.hpp"
#include "journal/postgres/standbys.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

namespace gateway::postgres {
namespace {

// More statements than this wait for the next commit, so that one failure or one slow commit never concerns everybody.
constexpr std::size_t most_in_a_commit = 1024;
// How often what the server ended for the sake of another transaction is tried: that one is done by then, and another
// may come.
constexpr int most_tries = 5;
// Between two tries to open the connection: soon after a server that starts again, and seldom enough to do no harm.
constexpr Duration first_pause{500};
constexpr Duration longest_pause{2'000};
// The same where the server gave no answer in time: each commit that waits for a standby keeps a process of the server.
constexpr Duration longest_pause_of_late{5'000};
// What nobody is told, because the session is gone.
const auto lost_when_stopped = sql_error(state::connection_failure);
// A connection that lasted so long was of use, whatever was done on it.
constexpr Duration long_life{5'000};

// A statement that calls a function of ours has its name, and what its parameters are for is told by theirs.
constexpr Statement name_of_parameter{"name_of_parameter",
                                      "SELECT proargnames[$2::integer] FROM pg_proc WHERE proname = $1 LIMIT 1"};

}  // namespace

// Begins the jobs. One that holds what another one holds waits for the next commit.
void SessionCore::begin_together(Jobs& jobs, std::deque<RunningJob>& running) {
    HeldLocks held;
    const auto has_begun = [&](const SessionJob& job) {
        running.emplace_back(*job.job);
        const bool is_free = held.add(running.back());
        if (!is_free) running.pop_back();
        return is_free;
    };
    const auto end = std::stable_partition(jobs.begin(), jobs.end(), has_begun);
    put_back(Jobs(std::make_move_iterator(end), std::make_move_iterator(jobs.end())));
    jobs.erase(end, jobs.end());
}

// Lends what is waited with for as long as the frame that it stands in lives.
class SessionCore::Lent {
  public:
    Lent(SessionCore& core, SocketWait& wait) : core_(core) { core_.wait_ = &wait; }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { core_.wait_ = nullptr; }

  private:
    SessionCore& core_;
};

SessionCore::SessionCore(boost::asio::any_io_executor executor, Clock& clock, const Client& client,
                         SessionOptions options)
    : executor_(std::move(executor)), clock_(clock), client_(client), options_(std::move(options)) {}

void SessionCore::stop() {
    stopped_ = true;
    let_all_go();
    if (wait_ != nullptr) wait_->stop();
}

boost::asio::awaitable<Result<Rows>> SessionCore::submit(SessionJob job) {
    if (job.parameters.has_zero()) {
        const auto error = sql_error(state::not_in_this_text);
        say_refused_value(job.statement, job.parameters, {}, error);
        co_return error;
    }
    if (hindrance_) co_return sql_error(state::cannot_connect);
    const auto begin = [this, &job](auto handler) {
        job.done = std::make_unique<SessionJob::Done>(std::move(handler));
        queue_.push_back(std::move(job));
        if (idle_ && wait_ != nullptr) wait_->wake();
    };
    co_return co_await boost::asio::async_initiate<decltype(boost::asio::use_awaitable), void(Result<Rows>)>(
        begin, boost::asio::use_awaitable);
}

boost::asio::awaitable<void> SessionCore::run(Carrier self) {
    if (self->stopped_) co_return;
    SocketWait wait(self->executor_, self->clock_);
    const Lent lent(*self, wait);
    for (Duration pause = first_pause; !self->stopped_;) {
        auto words = co_await self->live(wait);
        if (self->stopped_) co_return;
        self->connected_ = false;
        self->say_away(words);
        // One that had worked is opened again at once, and what waits waits for that.
        if (std::exchange(self->useful_, false)) {
            pause = first_pause;
            continue;
        }
        self->hindrance_ = std::move(words);
        self->fail_all();
        const Instant again = wait.in(pause);
        while (!wait.has_come(again))
            co_await wait.until(again);
        pause = std::min(2 * pause, self->late_ ? longest_pause_of_late : longest_pause);
    }
}

// The life of one connection; gives its last words.
boost::asio::awaitable<std::string> SessionCore::live(SocketWait& wait) {
    late_ = false;
    auto opened = co_await open(wait);
    if (opened.has_error() || stopped_) co_return opened.has_error() ? opened.error() : std::string();
    auto& connection = **opened;
    const Instant lasting = wait.in(long_life);
    co_await serve(connection);
    server_.clear();
    late_ = connection.is_late();
    useful_ = useful_ || (!late_ && wait.has_come(lasting));
    auto words = connection.last_words();
    if (!late_ || stopped_) co_return words;
    opened->reset();
    auto why = co_await why_late(wait);
    co_return why.empty() ? std::move(words) : std::move(why);
}

// The server may wait for a standby, which a fresh connection is told; empty: nothing more is known.
boost::asio::awaitable<std::string> SessionCore::why_late(SocketWait& wait) {
    const auto opened = co_await Connection::open(executor_, wait, client_, options_.connection, nullptr);
    if (opened.has_error() || stopped_) co_return std::string();
    Transaction look(**opened, Proof::not_needed, options_.deadline);
    auto state = co_await read_standbys(look);
    if (state.has_error() || !state->waits_for_standby) co_return std::string();
    state->server = (*opened)->server();
    co_return words_on_waiting(what_is_waited_for(*state));
}

boost::asio::awaitable<Connection::Opened> SessionCore::open(SocketWait& wait) {
    auto opened = co_await Connection::open(executor_, wait, client_, options_.connection, options_.heard);
    if (opened.has_error() || !options_.opened || stopped_) co_return opened;
    Transaction transaction(**opened, Proof::not_needed, options_.deadline);
    const auto looked = co_await options_.opened(transaction);
    if (looked.has_error()) co_return looked.error();
    const auto failed = co_await transaction.commit();
    if (failed) co_return failed.message();
    co_return opened;
}

boost::asio::awaitable<void> SessionCore::serve(Connection& connection) {
    connected_ = true;
    server_ = connection.server();
    parting_.clear();
    hindrance_.reset();
    while (!stopped_) {
        connection.look();
        if (!parting_.empty() && !connection.is_over()) connection.close(std::exchange(parting_, {}));
        if (connection.is_over()) co_return;
        if (queue_.empty()) {
            idle_ = true;
            co_await connection.idle();
            idle_ = false;
        } else if (queue_.front().kind != SessionJob::Kind::transaction) {
            co_await perform(connection, take_statements_or_jobs());
        } else {
            auto job = std::move(queue_.front());
            queue_.pop_front();
            co_await perform_transaction(connection, std::move(job));
        }
        if (!stopped_) say_refusal(connection.take_refusal());
    }
}

void SessionCore::leave(std::string words) {
    parting_ = std::move(words);
    if (idle_ && wait_ != nullptr) wait_->wake();
}

// All of the sort that is in front: what stands between them costs no further commit, and is nobody's who waits for one
// of them.
SessionCore::Jobs SessionCore::take_statements_or_jobs() {
    const bool statements = queue_.front().is_statement();
    const auto access = queue_.front().access;
    const std::size_t most_jobs = !statements && access == Engine::Access::alone ? 1 : most_in_a_commit;
    const auto most = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), most_jobs));
    // A job that reads page after page keeps no row from anybody that another job has written to.
    const auto is_of_the_sort = [&](const SessionJob& job) {
        return statements ? job.is_statement() : job.kind == SessionJob::Kind::job && job.access == access;
    };
    const auto end = std::stable_partition(queue_.begin(), most, is_of_the_sort);
    Jobs jobs(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
    std::ranges::stable_sort(jobs, {}, &SessionJob::order);
    return jobs;
}

boost::asio::awaitable<void> SessionCore::perform(Connection& connection, Jobs jobs) {
    const auto tried = co_await try_together(connection, jobs);
    if (stopped_) co_return;
    if (!tried) co_return put_back(std::move(jobs));
    // Of several, one is to blame, or it was chance.
    const bool apart =
        tried->category() == category() && !connection.is_over() && (jobs.size() > 1 || is_worth_repeating(*tried));
    if (apart) co_return co_await perform_each(connection, std::move(jobs));
    if (jobs.size() == 1 && is_of_a_value(*tried)) co_await say_refused_value(connection, jobs.front(), *tried);
    if (stopped_) co_return;
    finish(std::move(jobs), *tried);
}

boost::asio::awaitable<void> SessionCore::perform_each(Connection& connection, Jobs jobs) {
    for (auto job = jobs.begin(); job != jobs.end(); ++job) {
        Jobs one;
        one.push_back(std::move(*job));
        auto tried = co_await try_together(connection, one);
        for (int tries = 1; tried && is_worth_repeating(*tried) && !stopped_ && tries < most_tries; ++tries)
            tried = co_await try_together(connection, one);
        if (tried && is_of_a_value(*tried)) co_await say_refused_value(connection, one.front(), *tried);
        if (stopped_) co_return;
        if (tried) {
            finish(std::move(one), *tried);
            continue;
        }
        // Nothing of it was done, nor of what comes after it: all of that was tried and taken back before.
        *job = std::move(one.front());
        co_return put_back(Jobs(std::make_move_iterator(job), std::make_move_iterator(jobs.end())));
    }
}

// All of them in one transaction. Where that fails, it is taken back.
boost::asio::awaitable<SessionCore::Tried> SessionCore::try_together(Connection& connection, Jobs& jobs) {
    const auto proof = std::ranges::any_of(jobs, &SessionJob::is_proven) ? Proof::given : Proof::not_needed;
    if (!jobs.front().is_statement()) co_return co_await try_jobs(connection, jobs, proof);
    std::vector<Command> inner;
    inner.reserve(jobs.size());
    for (const auto& job : jobs)
        inner.push_back({job.statement, &job.parameters});
    const auto commands = whole_transaction(inner, proof, options_.count);
    auto exchanged = co_await connection.exchange(commands, options_.deadline);
    if (!exchanged.begun) co_return std::nullopt;
    const auto error = outcome_of(exchanged, commands.size(), proof);
    const auto head = head_of_transaction(proof, options_.count);
    if (exchanged.refused && options_.count != nullptr) options_.count->refused(exchanged.refused);
    if (exchanged.refused) co_await take_back(connection, exchanged.refused);
    if (!error && head == 2) options_.count->done(exchanged.rows[1][0].integer(0));
    for (std::size_t i = 0; !error && i < jobs.size(); ++i)
        jobs[i].result = std::move(exchanged.rows[i + head]);
    co_return error;
}

// In rounds: what every job asks next is sent in one go.
boost::asio::awaitable<SessionCore::Tried> SessionCore::try_jobs(Connection& connection, Jobs& jobs, Proof proof) {
    std::deque<RunningJob> running;
    begin_together(jobs, running);
    Transaction transaction(connection, proof, options_.deadline, options_.count);
    boost::system::error_code error;
    while (!error) {
        const Round round(running);
        if (round.commands().empty()) break;
        auto answered = co_await transaction.run(round.commands());
        if (stopped_) co_return lost_when_stopped;
        if (answered.has_error()) {
            error = answered.error();
            break;
        }
        auto rest = std::span(*answered).subspan(round.locks());
        for (auto& job : running) {
            const auto count = job.asking().size();
            if (count > 0 || !job.taking().empty()) job.answer(rest.first(count));
            rest = rest.subspan(count);
        }
        HeldLocks held;
        const bool all_at_once = std::ranges::all_of(running, [&](const RunningJob& job) { return held.add(job); });
        if (!all_at_once) error = sql_error(state::has_to_be_alone);
    }
    if (error && !transaction.has_begun() && connection.is_over()) co_return std::nullopt;
    if (!error) error = co_await transaction.commit();
    // What was refused right before the commit has left the transaction open, too.
    if (error.category() == category() && transaction.has_begun()) co_await take_back(connection, error);
    if (is_of_a_value(error)) {
        jobs.front().statement = transaction.failed().statement;
        jobs.front().parameters = transaction.failed().parameters;
    }
    for (std::size_t i = 0; !error && i < jobs.size(); ++i)
        if (running[i].failure()) jobs[i].result = running[i].failure();
    co_return error;
}

boost::asio::awaitable<void> SessionCore::perform_transaction(Connection& connection, SessionJob job) {
    auto error = co_await try_transaction(connection, job);
    for (int tries = 1; is_worth_repeating(error) && !connection.is_over() && !stopped_ && tries < most_tries; ++tries)
        error = co_await try_transaction(connection, job);
    if (stopped_) co_return;
    Jobs one;
    one.push_back(std::move(job));
    finish(std::move(one), error);
}

boost::asio::awaitable<boost::system::error_code> SessionCore::try_transaction(Connection& connection,
                                                                               const SessionJob& job) {
    Transaction transaction(connection, job.proof, options_.deadline, options_.count);
    const auto worked = co_await (*job.work)(transaction);
    if (!worked.has_error() && !transaction.failure()) {
        const auto error = co_await transaction.commit();
        // What was refused right before the commit has left the transaction open.
        if (error.category() == category()) co_await take_back(connection, error);
        co_return error;
    }
    if (is_of_a_value(transaction.failure()))
        say_refused_value(transaction.failed().statement, transaction.failed().parameters, {}, transaction.failure());
    if (transaction.has_begun()) co_await take_back(connection, transaction.failure());
    // The work may have put the server's error into words of its own.
    if (!worked.has_error() || is_worth_repeating(transaction.failure())) co_return transaction.failure();
    co_return worked.error();
}

// Ends a transaction that failed, where the connection is still there; and the connection, where it is to blame.
boost::asio::awaitable<void> SessionCore::take_back(Connection& connection, boost::system::error_code failure) {
    if (!connection.is_over()) co_await roll_back(connection, options_.deadline);
    if (needs_a_new_connection(failure) && !connection.is_over()) connection.close(failure.message());
}

// Gives what the jobs have; or, for all of them, this error.
void SessionCore::finish(Jobs jobs, const boost::system::error_code& error) {
    count(jobs, error);
    for (auto& job : jobs) {
        if (!error) continue;
        // Reads are never unknown: they are asked again.
        const bool only_read = error == errc::commit_unknown && !job.writes();
        job.result = only_read ? sql_error(state::warning) : error;
    }
    // Those who waited may use the session at once, which may be gone by then.
    auto complete = [self = shared_from_this(), jobs = std::make_shared<Jobs>(std::move(jobs))] {
        for (auto job = jobs->begin(); job != jobs->end() && !self->stopped_; ++job) {
            auto& done = *job->done;
            std::move(done)(std::move(job->result));
        }
    };
    boost::asio::post(executor_, std::move(complete));
}

void SessionCore::count(const Jobs& jobs, const boost::system::error_code& error) {
    const bool done = !error && !jobs.empty();
    useful_ = useful_ || done;
    if (done) say_back();
    const auto writers = std::ranges::count_if(jobs, [](const SessionJob& job) { return job.writes(); });
    if (writers == 0) return;
    stats_.steps += static_cast<std::uint64_t>(writers);
    stats_.commits += error ? 0 : 1;
    stats_.failures += error ? 1 : 0;
    // A statement that is refused for its own sake says nothing of the database.
    stats_.failure = error == errc::commit_unknown || is_of_the_server(error) ? error : boost::system::error_code();
    if (stats_.failure) in_trouble();
}

// Those who wait for it are ended.
void SessionCore::let_all_go() {
    const auto gone = std::exchange(queue_, {});
}

void SessionCore::put_back(Jobs jobs) {
    queue_.insert(queue_.begin(), std::make_move_iterator(jobs.begin()), std::make_move_iterator(jobs.end()));
}

void SessionCore::fail_all() {
    Jobs jobs(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.end()));
    queue_.clear();
    finish(std::move(jobs), sql_error(state::cannot_connect));
}

void SessionCore::in_trouble() {
    if (!stats_.since) stats_.since = RunMoment(clock_);
}

void SessionCore::say_away(const std::string& words) {
    in_trouble();
    if (std::exchange(away_said_, true) || options_.log == nullptr) return;
    options_.log->warn("journal.away", "the database cannot be used: {detail}", {{"detail", words}});
}

void SessionCore::say_back() {
    const auto since = std::exchange(stats_.since, {});
    if (!std::exchange(away_said_, false) || options_.log == nullptr) return;
    options_.log->warn("journal.back", "the database can be used again[, which it could not since {since}]",
                       {{"since", since ? to_local_text(since->wall()) : std::string()}});
}

// Once, however often it is refused: it is not the sale that is to blame.
void SessionCore::say_refusal(std::string words) {
    if (words.empty() || words == refusal_said_ || options_.log == nullptr) return;
    options_.log->error("journal.refused", "the database refused a statement: {detail}", {{"detail", words}});
    refusal_said_ = std::move(words);
}

boost::asio::awaitable<void> SessionCore::say_refused_value(Connection& connection, const SessionJob& job,
                                                            boost::system::error_code error) {
    Parameters which;
    which.add(job.statement.name).add(job.parameters.unfit());
    const std::array<Command, 1> asking{Command{name_of_parameter, &which}};
    const auto asked = co_await connection.exchange(asking, options_.deadline);
    const bool is_known = asked.rows.size() == 1 && !asked.rows[0].empty();
    const std::string name(is_known ? asked.rows[0][0].text(0) : std::string_view());
    if (!stopped_) say_refused_value(job.statement, job.parameters, name, error);
}

// Whose value it is and why it was refused, and never the value itself.
void SessionCore::say_refused_value(Statement statement, const Parameters& parameters, std::string_view name,
                                    const boost::system::error_code& error) {
    if (options_.log == nullptr) return;
    const auto number = parameters.unfit();
    auto which = fmt::format("a value of {}", statement.name);
    if (number > 0 && !name.empty()) which = fmt::format("the value {} of {}", name, statement.name);
    if (number > 0 && name.empty()) which = fmt::format("the value number {} of {}", number, statement.name);
    const auto why = number > 0 ? ", as it is no UTF-8 or has the character U+0000 in it" : "";
    options_.log->error(
        "journal.refused", "[{sale}: ]the database refused a statement: {detail}",
        {{"sale", parameters.sale()}, {"detail", fmt::format("{}{}: {}", which, why, error.message())}});
}

}  // namespace gateway::postgres
