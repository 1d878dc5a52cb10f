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

// More jobs than this wait for the next commit, so that one failure or one slow commit never concerns everybody.
constexpr std::size_t most_in_a_commit = 1024;
// How often what the server ended for the sake of another transaction is tried: that one is done by then, and another
// may come.
constexpr int most_tries = 5;
// Between two tries to open the connection: soon after a server that starts again, and seldom enough to do no harm.
constexpr Duration first_pause{500};
constexpr Duration longest_pause{2'000};
// The same where the server gave no answer in time: each commit that waits for a standby keeps a process of the server.
constexpr Duration longest_pause_of_late{5'000};
// Nobody is told this, because the session is gone.
const auto lost_when_stopped = sql_error(state::connection_failure);
// A connection that lasted so long was of use, whatever was done on it.
constexpr Duration long_life{5'000};

}  // namespace

// Begins the jobs. One that holds what another one holds waits for the next commit.
void SessionCore::begin_together(Jobs& jobs, std::deque<RunningJob>& running) {
    HeldLocks held;
    const auto has_begun = [&](const SessionJob& job) {
        running.emplace_back(*job.work);
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

boost::asio::awaitable<Result<void>> SessionCore::submit(SessionJob job) {
    if (hindrance_) co_return sql_error(state::cannot_connect);
    const auto begin = [this, &job](auto handler) {
        job.done = std::make_unique<SessionJob::Done>(std::move(handler));
        queue_.push_back(std::move(job));
        if (idle_ && wait_ != nullptr) wait_->wake();
    };
    co_return co_await boost::asio::async_initiate<decltype(boost::asio::use_awaitable), void(Result<void>)>(
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
    ServerTransaction look(**opened, Proof::not_needed, options_.deadline);
    DatabaseState state;
    const Engine::Work work = [&](Transaction& tx) -> Job<void> { state = co_await read_standbys(tx); };
    const auto failed = co_await look.run(work);
    if (failed || !state.waits_for_standby) co_return std::string();
    state.server = (*opened)->server();
    co_return words_on_waiting(what_is_waited_for(state));
}

boost::asio::awaitable<Connection::Opened> SessionCore::open(SocketWait& wait) {
    auto opened = co_await Connection::open(executor_, wait, client_, options_.connection, options_.heard);
    if (opened.has_error() || !options_.opened || stopped_) co_return opened;
    ServerTransaction look(**opened, Proof::not_needed, options_.deadline);
    std::string words;
    const Engine::Work work = [&](Transaction& tx) -> Job<void> { words = co_await options_.opened(tx); };
    auto failed = co_await look.run(work);
    if (!failed && words.empty()) failed = co_await look.commit();
    if (failed) co_return failed.message();
    if (!words.empty()) co_return words;
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
        } else {
            co_await perform(connection, take_jobs());
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
SessionCore::Jobs SessionCore::take_jobs() {
    const auto access = queue_.front().access;
    const std::size_t most = access == Engine::Access::alone ? 1 : most_in_a_commit;
    // A job that reads page after page keeps no row from anybody that another job has written to.
    const auto is_of_the_sort = [&](const SessionJob& job) { return job.access == access; };
    const auto last = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), most));
    const auto end = std::stable_partition(queue_.begin(), last, is_of_the_sort);
    Jobs jobs(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
    std::ranges::stable_sort(jobs, {}, &SessionJob::order);
    return jobs;
}

boost::asio::awaitable<void> SessionCore::perform(Connection& connection, Jobs jobs) {
    const auto tried = co_await try_often(connection, jobs);
    if (stopped_) co_return;
    const bool were_none_to_blame = tried && is_state(*tried, state::has_to_be_alone) && connection.is_over();
    if (!tried || were_none_to_blame) co_return put_back(std::move(jobs));
    // One of several is to blame.
    const bool apart = tried->category() == category() && !connection.is_over() && jobs.size() > 1;
    if (apart) co_return co_await perform_each(connection, std::move(jobs));
    finish(std::move(jobs), *tried);
}

boost::asio::awaitable<void> SessionCore::perform_each(Connection& connection, Jobs jobs) {
    for (auto job = jobs.begin(); job != jobs.end(); ++job) {
        Jobs one;
        one.push_back(std::move(*job));
        const auto tried = co_await try_often(connection, one);
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

// Tries again where the server ended the transaction for the sake of another one.
boost::asio::awaitable<SessionCore::Tried> SessionCore::try_often(Connection& connection, Jobs& jobs) {
    auto tried = co_await try_together(connection, jobs);
    for (int tries = 1; tried && is_worth_repeating(*tried) && !connection.is_over() && !stopped_ && tries < most_tries;
         ++tries)
        tried = co_await try_together(connection, jobs);
    co_return tried;
}

// Runs all of them in one transaction. Where that fails, it is taken back.
boost::asio::awaitable<SessionCore::Tried> SessionCore::try_together(Connection& connection, Jobs& jobs) {
    const auto proof = jobs.front().access == Engine::Access::glance ? Proof::not_needed : Proof::given;
    std::deque<RunningJob> running;
    begin_together(jobs, running);
    ServerTransaction transaction(connection, proof, options_.deadline, options_.count);
    auto error = co_await transaction.run(running);
    if (error && !transaction.has_begun() && connection.is_over()) co_return std::nullopt;
    if (!error) error = co_await transaction.commit();
    if (stopped_) co_return lost_when_stopped;
    // What was refused right before the commit has left the transaction open, too.
    if (error.category() == category()) co_await transaction.take_back(error);
    if (jobs.size() == 1 && is_of_a_value(error)) say_refused_value(transaction.refused(), error);
    for (std::size_t i = 0; !error && i < jobs.size(); ++i)
        if (running[i].failure()) jobs[i].result = running[i].failure();
    co_return error;
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
            std::move(done)(job->result);
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

// Says whose value it is and why it was refused, and never the value itself.
void SessionCore::say_refused_value(const ServerTransaction::Refused& refused, const boost::system::error_code& error) {
    if (options_.log == nullptr) return;
    const auto& [statement, parameters] = refused;
    const std::string_view name = *statement.name != '\0' ? statement.name : "a statement that was composed";
    const auto number = parameters.unfit();
    const auto which =
        number > 0
            ? fmt::format("the value number {} of {} is no UTF-8 or has the character U+0000 in it", number, name)
            : fmt::format("a value of {}", name);
    options_.log->error("journal.refused", "[{sale}: ]the database refused a statement: {detail}",
                        {{"sale", parameters.sale()}, {"detail", fmt::format("{}: {}", which, error.message())}});
}

}  // namespace gateway::postgres
