#include "journal/postgres/session.hpp"

#include "base/check.hpp"
#include "base/wall_time.hpp"
#include "journal/chain/acknowledged_commits.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/error.hpp"
#include "journal/postgres/server_checks.hpp"
#include "journal/postgres/transaction.hpp"
#include "journal/tx.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <vector>

namespace gateway::postgres {
namespace {

// A commit takes at most this many jobs, so that a failed or slow commit never concerns everybody.
constexpr std::size_t most_in_a_commit = 1024;
// A transaction that the server ended in favour of another one is tried this many times in all. The other one is done
// by then, but a further one may come.
constexpr int most_tries = 5;
// After these pauses the connection is tried again: soon, for a server that restarts, and later seldom enough to do no
// harm.
constexpr Duration first_pause{500};
constexpr Duration longest_pause{2'000};
// The longest pause after an answer that did not come in time is longer, because each commit that waits occupies a
// server process.
constexpr Duration longest_pause_of_late{5'000};
// Nobody sees this error, because the session is gone.
const auto lost_when_stopped = sql_error(state::connection_failure);
// A connection that lasted this long was of use, whatever was done on it.
constexpr Duration long_life{5'000};

}  // namespace

// This is what a session is made of: the queue of what waits, and the coroutine that owns the connection and works the
// queue off. It outlives its session until that coroutine has ended.
class Session::Core : public std::enable_shared_from_this<Core> {
  public:
    // This is a job that waits for its commit. Its handler owns the coroutine that waits for it, and so also everything
    // that its work refers to.
    struct Waiting {
        Engine::Access access = Engine::Access::write;
        const Engine::Work* work = nullptr;
        std::string order{};
        bool apart = false;  // a commit that it shared with others was refused

        // The handler is behind a pointer, because assigning one in the Asio of Boost 1.81 never returns.
        using Done = boost::asio::any_completion_handler<void(Result<void>)>;
        std::unique_ptr<Done> done{};
        Result<void> result{};

        bool writes() const noexcept { return Engine::writes(access); }
        bool is_ahead() const noexcept { return order == ahead_of_all; }
    };

    using Jobs = std::vector<Waiting>;

    // The frame of run() has this object, even where run() never begins. It ends what waits in the queue, because the
    // handlers belong to the event loop, and the session may outlive that.
    struct LetGo {
        std::shared_ptr<Core> core;
        void operator()(Core*) const {
            core->let_all_go();
            core->wait_.reset();
        }
    };
    using Carrier = std::unique_ptr<Core, LetGo>;

    Core(boost::asio::any_io_executor executor, Clock& clock, const Client& client, SessionOptions options)
        : executor_(std::move(executor)), clock_(clock), client_(client), options_(std::move(options)) {}

    // Carries the session until it stops.
    static boost::asio::awaitable<void> run(Carrier self);
    void stop();
    boost::asio::awaitable<Result<void>> submit(Waiting job);
    void wake_up() {
        if (idle_ && wait_) wait_->wake();
    }
    void in_trouble() {
        if (!stats.since) stats.since = RunMoment(clock_);
    }

    std::string parting;  // the reason for leaving the server; empty: the session stays
    std::string server;   // where it is connected to; empty: nowhere
    std::optional<std::string> hindrance;
    JournalStats stats;
    bool connected = false;

  private:
    boost::asio::awaitable<Connection::Opened> open();
    boost::asio::awaitable<std::string> live();
    boost::asio::awaitable<std::string> why_late();
    boost::asio::awaitable<void> serve(Connection& connection);
    boost::asio::awaitable<void> perform(Connection& connection, Jobs jobs);
    // Is nothing where the connection was over before anything was sent.
    using Tried = std::optional<boost::system::error_code>;
    boost::asio::awaitable<Tried> try_often(Connection& connection, Jobs& jobs);
    boost::asio::awaitable<Tried> try_together(Connection& connection, Jobs& jobs);
    Jobs take_jobs();
    void let_all_go();
    void finish(Jobs jobs, const boost::system::error_code& error);
    void count(const Jobs& jobs, const boost::system::error_code& error);
    void put_back(Jobs jobs, bool apart = false);
    void fail_all();
    void say_away(const std::string& words);
    void say_back();
    void say_refusal(std::string words);
    void say_refused_value(const ServerTransaction::Refused& refused, const boost::system::error_code& error);

    const boost::asio::any_io_executor executor_;
    Clock& clock_;
    const Client& client_;
    const SessionOptions options_;
    std::deque<Waiting> queue_;
    std::optional<SocketWait> wait_;  // exists while run() is running
    bool idle_ = false;
    bool stopped_ = false;
    bool useful_ = false;  // something was done on the connection
    bool late_ = false;    // the last connection ended because the server did not answer in time
    bool away_said_ = false;
    std::string refusal_said_;
};

void Session::Core::stop() {
    stopped_ = true;
    let_all_go();
    if (wait_) wait_->stop();
}

boost::asio::awaitable<Result<void>> Session::Core::submit(Waiting job) {
    if (hindrance) co_return sql_error(state::cannot_connect);
    const auto begin = [this, &job](auto handler) {
        job.done = std::make_unique<Waiting::Done>(std::move(handler));
        queue_.insert(job.is_ahead() ? queue_.begin() : queue_.end(), std::move(job));
        wake_up();
    };
    co_return co_await boost::asio::async_initiate<decltype(boost::asio::use_awaitable), void(Result<void>)>(
        begin, boost::asio::use_awaitable);
}

boost::asio::awaitable<void> Session::Core::run(Carrier self) {
    if (self->stopped_) co_return;
    auto& wait = self->wait_.emplace(self->executor_, self->clock_);
    for (Duration pause = first_pause; !self->stopped_;) {
        auto words = co_await self->live();
        if (self->stopped_) co_return;
        self->connected = false;
        self->say_away(words);
        // A connection that had worked is opened again at once, and the jobs in the queue wait for that.
        if (std::exchange(self->useful_, false)) {
            pause = first_pause;
            continue;
        }
        self->hindrance = std::move(words);
        self->fail_all();
        const Instant again = wait.in(pause);
        while (!wait.has_come(again))
            co_await wait.until(again);
        pause = std::min(2 * pause, self->late_ ? longest_pause_of_late : longest_pause);
    }
}

// Works on one connection until it is over, and returns its last words.
boost::asio::awaitable<std::string> Session::Core::live() {
    late_ = false;
    auto opened = co_await open();
    if (opened.has_error() || stopped_) co_return opened.has_error() ? opened.error() : std::string();
    auto& connection = **opened;
    const Instant lasting = wait_->in(long_life);
    co_await serve(connection);
    server.clear();
    late_ = connection.is_late();
    useful_ = useful_ || (!late_ && wait_->has_come(lasting));
    auto words = connection.last_words();
    if (!late_ || stopped_) co_return words;
    opened->reset();
    auto why = co_await why_late();
    co_return why.empty() ? std::move(words) : std::move(why);
}

// Asks on a new connection whether the server waits for a standby; empty: nothing more is known.
boost::asio::awaitable<std::string> Session::Core::why_late() {
    const auto opened = co_await Connection::open(*wait_, client_, options_.connection, nullptr);
    if (opened.has_error() || stopped_) co_return std::string();
    ServerTransaction look(**opened, Proof::not_needed, options_.deadline);
    DatabaseState state;
    const Engine::Work work = [&](Transaction& tx) -> Job<void> { state = co_await read_standbys(tx); };
    const auto failed = co_await look.run(work);
    if (failed || !state.waits_for_standby) co_return std::string();
    state.server = (*opened)->server();
    co_return words_on_waiting(what_is_waited_for(state));
}

boost::asio::awaitable<Connection::Opened> Session::Core::open() {
    auto opened = co_await Connection::open(*wait_, client_, options_.connection, options_.heard);
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

boost::asio::awaitable<void> Session::Core::serve(Connection& connection) {
    connected = true;
    server = connection.server();
    parting.clear();
    hindrance.reset();
    while (!stopped_) {
        connection.look();
        if (!parting.empty() && !connection.is_over()) connection.close(std::exchange(parting, {}));
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

// Takes all jobs of the same sort as the first one, up to the limit. Jobs of other sorts that stand between them do not
// force a further commit; nothing depends on the order of jobs of different sorts.
auto Session::Core::take_jobs() -> Jobs {
    const auto access = queue_.front().access;
    const bool apart = queue_.front().apart;
    const std::size_t most = apart || access == Engine::Access::alone ? 1 : most_in_a_commit;
    // A job that reads page after page is of another sort than one that writes, so it keeps no row locked that others
    // have to wait for.
    const auto is_of_the_sort = [&](const Waiting& job) { return job.access == access && job.apart == apart; };
    const auto last = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), most));
    const auto end = std::stable_partition(queue_.begin(), last, is_of_the_sort);
    Jobs jobs(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
    std::ranges::stable_sort(
        jobs, {}, [](const Waiting& job) { return std::pair<bool, std::string_view>(!job.is_ahead(), job.order); });
    return jobs;
}

boost::asio::awaitable<void> Session::Core::perform(Connection& connection, Jobs jobs) {
    const auto tried = co_await try_often(connection, jobs);
    if (stopped_) co_return;
    const bool were_none_to_blame = tried && *tried == sql_error(state::has_to_be_alone) && connection.is_over();
    if (!tried || were_none_to_blame) co_return put_back(std::move(jobs));
    // One of several jobs is to blame. Nothing of them was done, and each of them is tried by itself.
    const bool apart = tried->category() == category() && !connection.is_over() && jobs.size() > 1;
    if (apart) co_return put_back(std::move(jobs), apart);
    finish(std::move(jobs), *tried);
}

// Tries again where the server ended the transaction in favour of another one.
auto Session::Core::try_often(Connection& connection, Jobs& jobs) -> boost::asio::awaitable<Tried> {
    auto tried = co_await try_together(connection, jobs);
    for (int tries = 1; tried && is_worth_repeating(*tried) && !connection.is_over() && !stopped_ && tries < most_tries;
         ++tries)
        tried = co_await try_together(connection, jobs);
    co_return tried;
}

// Runs all jobs in one transaction, which is rolled back where it fails.
auto Session::Core::try_together(Connection& connection, Jobs& jobs) -> boost::asio::awaitable<Tried> {
    const auto proof = jobs.front().access == Engine::Access::glance ? Proof::not_needed : Proof::given;
    ServerTransaction transaction(connection, proof, options_.deadline, options_.count);
    // A job that needs a lock of another one waits for the next commit.
    const auto begins = [&](const Waiting& job) { return transaction.begin(*job.work); };
    const auto end = std::stable_partition(jobs.begin(), jobs.end(), begins);
    put_back(Jobs(std::make_move_iterator(end), std::make_move_iterator(jobs.end())));
    jobs.erase(end, jobs.end());
    auto error = co_await transaction.run();
    if (error && !transaction.has_begun() && connection.is_over()) co_return std::nullopt;
    if (!error) error = co_await transaction.commit();
    if (stopped_) co_return lost_when_stopped;
    // A statement that was refused right before the commit has left the transaction open, too.
    if (error.category() == category()) co_await transaction.take_back(error);
    if (jobs.size() == 1 && is_of_a_value(error)) say_refused_value(transaction.refused(), error);
    for (std::size_t i = 0; !error && i < jobs.size(); ++i)
        if (transaction.failure_of(i)) jobs[i].result = transaction.failure_of(i);
    co_return error;
}

// Gives each job its own result; after `error`, all of them get that.
void Session::Core::finish(Jobs jobs, const boost::system::error_code& error) {
    count(jobs, error);
    for (auto& job : jobs) {
        if (!error) continue;
        // A job that only reads is never unknown, because it can be asked again.
        const bool only_read = error == errc::commit_unknown && !job.writes();
        job.result = only_read ? sql_error(state::warning) : error;
    }
    // The callers may use the session at once, and it may be gone by then.
    auto complete = [self = shared_from_this(), jobs = std::make_shared<Jobs>(std::move(jobs))] {
        for (auto job = jobs->begin(); job != jobs->end() && !self->stopped_; ++job) {
            auto& done = *job->done;
            std::move(done)(job->result);
        }
    };
    boost::asio::post(executor_, std::move(complete));
}

void Session::Core::count(const Jobs& jobs, const boost::system::error_code& error) {
    const bool done = !error && !jobs.empty();
    useful_ = useful_ || done;
    if (done) say_back();
    const auto writers = std::ranges::count_if(jobs, [](const Waiting& job) { return job.writes(); });
    if (writers == 0) return;
    stats.steps += static_cast<std::uint64_t>(writers);
    stats.commits += error ? 0 : 1;
    stats.failures += error ? 1 : 0;
    // A statement that is refused for its own sake tells nothing about the database.
    stats.failure = error == errc::commit_unknown || is_of_the_server(error) ? error : boost::system::error_code();
    if (stats.failure) in_trouble();
}

// Drops the queue, which ends the coroutines that wait for it.
void Session::Core::let_all_go() {
    const auto gone = std::exchange(queue_, {});
}

void Session::Core::put_back(Jobs jobs, bool apart) {
    for (auto& job : jobs)
        job.apart = apart;
    // A renewal that has come meanwhile stays in front, because each of those that follow may take a commit of its own.
    const auto at = std::ranges::find_if_not(queue_, &Waiting::is_ahead);
    queue_.insert(at, std::make_move_iterator(jobs.begin()), std::make_move_iterator(jobs.end()));
}

void Session::Core::fail_all() {
    Jobs jobs(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.end()));
    queue_.clear();
    finish(std::move(jobs), sql_error(state::cannot_connect));
}

void Session::Core::say_away(const std::string& words) {
    in_trouble();
    if (std::exchange(away_said_, true) || options_.log == nullptr) return;
    options_.log->warn("journal.away", "the database cannot be used: {detail}", {{"detail", words}});
}

void Session::Core::say_back() {
    const auto since = std::exchange(stats.since, {});
    if (!std::exchange(away_said_, false) || options_.log == nullptr) return;
    options_.log->warn("journal.back", "the database can be used again[, which it could not since {since}]",
                       {{"since", since ? to_local_text(since->wall()) : std::string()}});
}

// Reports a refusal once, however often it happens: it is not the fault of a single sale.
void Session::Core::say_refusal(std::string words) {
    if (words.empty() || words == refusal_said_ || options_.log == nullptr) return;
    options_.log->error("journal.refused", "the database refused a statement: {detail}", {{"detail", words}});
    refusal_said_ = std::move(words);
}

// Reports to which sale the value belongs and why it was refused, but never the value itself.
void Session::Core::say_refused_value(const ServerTransaction::Refused& refused,
                                      const boost::system::error_code& error) {
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

Session::Session(boost::asio::any_io_executor executor, Clock& clock, const Client& client, SessionOptions options)
    : core_(std::make_shared<Core>(executor, clock, client, std::move(options))) {
    boost::asio::co_spawn(executor, Core::run(Core::Carrier(core_.get(), {core_})), rethrow);
}

Session::~Session() {
    core_->stop();
}

Awaited<void> Session::commit(Engine::Access access, const Engine::Work& work, std::string order) {
    return core_->submit({.access = access, .work = &work, .order = std::move(order)});
}

// Every commit begins or ends with a write anyway, so the job has nothing to do.
Awaited<void> Session::prove(Engine::Access access) {
    const Engine::Work nothing = [](Transaction& tx) -> Job<void> {
        tx.run(sql::nothing);
        co_return;
    };
    co_return co_await commit(access, nothing);
}

std::optional<std::string> Session::hindrance() const {
    return core_->hindrance;
}

const std::string& Session::server() const {
    return core_->server;
}

void Session::leave(std::string words) {
    core_->parting = std::move(words);
    core_->wake_up();
}

void Session::in_trouble() {
    core_->in_trouble();
}

const JournalStats& Session::stats() const {
    return core_->stats;
}

bool Session::healthy() const noexcept {
    return core_->connected && !core_->stats.failure;
}

}  // namespace gateway::postgres
