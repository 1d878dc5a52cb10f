// A session is one connection to the database, which is opened again whenever it breaks, and what waits for it.
// Everything that waits when a commit begins goes into that commit ("group commit"); a commit that fails because of one
// job is repeated job by job, so that a bad one fails alone.
//
// Every operation has one of three results, as journal/journal.hpp says: done, not done, unknown. Unknown is said only
// of what may have written: where the connection broke or the deadline passed after the commit was sent, or where the
// server says that its standby may not have it. The connection is opened anew after a deadline.
//
// What was read is proven before it is told: the transaction that read it writes as well, and is done. A commit that
// wrote nothing waits for no standby.
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

// A job of this order is kept by no queue, however long that is.
inline constexpr auto ahead_of_all = "\x01";

struct SessionOptions {
    ConnectionOptions connection;
    // A commit, or a round of statements before it, may take so long: then the connection is closed.
    Duration deadline{4'000};
    // This is run on each new connection before anything else, for what is a connection's own (LISTEN) and for a look
    // at the server; it cannot write. What it finds wrong, in words, closes the connection, which is tried again later.
    std::function<Job<std::string>(Transaction&)> opened{};
    // Is called with each notification, on the executor.
    std::function<void(std::string_view channel, std::string_view payload)> heard{};
    // Counts what is proven; nullptr: nothing is counted. It must outlive the session.
    CommitCount* count = nullptr;
    // Is told once when the database goes away and once when it is back; nullptr: nobody is told. One session of a
    // gateway tells it.
    Log* log = nullptr;
};

class Session {
  public:
    // Opens the connection at once, and says nothing of it: what is asked meanwhile waits for the first try. The
    // references must outlive the session; coroutines that wait for it are ended with it.
    Session(boost::asio::any_io_executor executor, Clock& clock, const Client& client, SessionOptions options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Runs a job in the next commit. It may be run more than once, and lives until the caller has awaited this. Of the
    // jobs of one commit those whose `order` sorts first ask first, so that two gateways come to the same rows in the
    // same order; one whose order is ahead_of_all is in the next commit, whatever waits. errc::commit_unknown means
    // what journal.hpp says, and no job that only reads fails so; any other error means that nothing has happened.
    Awaited<void> commit(Engine::Access access, const Engine::Work& work, std::string order = {});
    // Runs a job that gives something, likewise.
    template <class T>
    Awaited<T> perform(Engine::Access access, std::function<Job<T>(Transaction&)> work);

    // Commits nothing, which shows whether the database keeps what is committed now, and touches no row that another
    // gateway may hold. With Access::read, it shows what one who only reads is told.
    Awaited<void> prove(Engine::Access access = Engine::Access::write);

    // Says in words why the database cannot be used; nothing where it can.
    std::optional<std::string> hindrance() const;
    // Returns HOST:PORT of the server that it is connected to; empty: it is connected to none.
    const std::string& server() const;
    // Is called where the server was found to be of no use: the connection is closed with these words, once what is
    // under way on it is done, and is tried again.
    void leave(std::string words);
    // Is called where it was seen elsewhere that commits are not done: the outage begins now, unless it has begun.
    void in_trouble();
    const JournalStats& stats() const;
    // Tells whether the connection is there, and the last commit that was tried succeeded.
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
