// A session is a connection to the database, which is opened again whenever it breaks, and the queue of the jobs that
// wait for it. All jobs that wait when a commit begins go into that commit ("group commit"). A commit that fails
// because of one job is repeated job by job, so that only the bad one fails.
//
// Every operation has one of three results, as journal/journal.hpp says: done, not done, unknown. Only an operation
// that may have written returns unknown: where the connection broke or the deadline passed after the commit was sent,
// or where the server says that its standby may not have it. After a deadline the connection is opened anew.
//
// What was read is proven before the caller is told: the transaction that read it also writes, and its commit is done.
// A commit that wrote nothing would not wait for the standby.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "journal/engine.hpp"
#include "journal/journal.hpp"
#include "journal/postgres/connection_options.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gateway::postgres {

template <class T>
using Awaited = boost::asio::awaitable<Result<T>>;

class CommitCount;

// A job with this order is in the next commit, however long the queue is.
inline constexpr auto ahead_of_all = "\x01";

struct SessionOptions {
    ConnectionOptions connection;
    // A commit, or a round of statements before it, may take this long. Then the connection is closed.
    Duration deadline{4'000};
    // This job runs on each new connection before anything else. It is for commands such as LISTEN, and for a check of
    // the server; it cannot write. A text that it returns says what is wrong: the connection is closed, and tried again
    // later.
    std::function<Job<std::string>(Transaction&)> opened{};
    // Is called on the executor with each notification.
    std::function<void(std::string_view channel, std::string_view payload)> heard{};
    // Counts the commits that prove something; nullptr: nothing is counted. It must outlive the session.
    CommitCount* count = nullptr;
    // Is told once when the database goes away, and once when it is back; nullptr: nobody is told. Only one session of
    // a gateway has it.
    Log* log = nullptr;
};

class Session {
  public:
    // Begins to open the connection, and returns at once: what is asked meanwhile waits for the first try. The
    // references must outlive the session. The coroutines that wait for the session are ended with it.
    Session(boost::asio::any_io_executor executor, Clock& clock, const Client& client, SessionOptions options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Runs a job in the next commit. `work` may run more than once, and must live until the caller has awaited this.
    // Among the jobs of one commit, those with the smaller `order` ask first, so that two gateways come to the same
    // rows in the same order; a job whose order is ahead_of_all is in the next commit, whatever is waiting.
    // errc::commit_unknown means what journal.hpp says, and a job that only reads never fails with it. After any other
    // error nothing has happened.
    Awaited<void> commit(Engine::Access access, const Engine::Work& work, std::string order = {});
    // Runs a job that has a result in the same way.
    template <class T>
    Awaited<T> perform(Engine::Access access, std::function<Job<T>(Transaction&)> work);

    // Makes a commit that changes nothing, which shows whether the database keeps what is committed now. It touches no
    // row that another gateway may have locked. With Access::read it shows whether a job that only reads would succeed.
    Awaited<void> prove(Engine::Access access = Engine::Access::write);

    // Says in words why the database cannot be used; nothing where it can be used.
    std::optional<std::string> hindrance() const;
    // Returns HOST:PORT of the server that it is connected to; empty: it is connected to none.
    const std::string& server() const;
    // Makes the session leave a server that is of no use: as soon as the commit that is under way on it is done, the
    // connection is closed with these words, and tried again.
    void leave(std::string words);
    // Tells the session that commits were seen elsewhere not to be done. The outage begins now, unless it has begun
    // already.
    void in_trouble();
    const JournalStats& stats() const;
    // Tells whether the connection is open, and the last commit that was tried succeeded.
    bool healthy() const noexcept;

  private:
    class Core;

    const std::shared_ptr<Core> core_;
};

template <class T>
boost::asio::awaitable<Result<T>> Session::perform(Engine::Access access, std::function<Job<T>(Transaction&)> work) {
    std::optional<T> result;
    const Engine::Work keep_result = [&](Transaction& tx) -> Job<void> {
        auto made = co_await work(tx);
        result.emplace(std::move(made));
    };
    const auto committed = co_await commit(access, keep_result);
    if (committed.has_error()) co_return Result<T>(boost::system::in_place_error, committed.error());
    co_return Result<T>(boost::system::in_place_value, std::move(*result));
}

}  // namespace gateway::postgres
