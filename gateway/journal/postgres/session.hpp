// One connection to the database that is opened again whenever it breaks, and what waits for it. Everything that waits
// when a commit begins goes into that commit, which is sent in one go ("group commit"); a commit that fails because of
// one statement is repeated statement by statement, so that a bad one fails alone.
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
#include "journal/postgres/rows.hpp"
#include "journal/postgres/statement.hpp"
#include "journal/postgres/transaction.hpp"

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

// What went wrong, as the result of what an error could be taken for: a number, a truth.
template <class T>
Result<T> failure(const boost::system::error_code& error) {
    return {boost::system::in_place_error, error};
}

class CommitCount;
class SessionCore;

struct SessionOptions {
    ConnectionOptions connection;
    // How long a commit, or one statement of a transaction, may take: the connection is closed then.
    Duration deadline{4'000};
    // Called on each new connection before anything else uses it, for what is a connection's own (LISTEN) and for a
    // look at the server; it cannot write. What it finds wrong, in words, closes the connection, and it is tried again
    // later.
    std::function<boost::asio::awaitable<boost::system::result<void, std::string>>(Transaction&)> opened{};
    // Called with each notification, on the executor.
    std::function<void(std::string_view channel, std::string_view payload)> heard{};
    // Counts what is proven; nullptr: nothing is counted. Must outlive the session.
    CommitCount* count = nullptr;
    // Told once when the database goes away and once when it is back; nullptr: nobody is. Of the sessions of one
    // gateway one tells it.
    Log* log = nullptr;
};

class Session {
  public:
    template <class T>
    using Awaited = boost::asio::awaitable<Result<T>>;
    // Whether what is read decides anything or is told to anybody.
    enum class Told { yes, no };

    // Opens the connection at once, and says nothing of it: what is asked meanwhile waits for the first try. The
    // references must outlive the session; coroutines that wait for it are ended with it.
    Session(boost::asio::any_io_executor executor, Clock& clock, const Client& client, SessionOptions options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // One statement, in the next commit. `order`: statements of one commit are sent in the order of this word, so that
    // two gateways come to the same rows in the same order. errc::commit_unknown as journal.hpp says; any other error:
    // nothing has happened.
    Awaited<Rows> write(Statement statement, Parameters parameters, std::string order = {});
    // One statement that only reads, in the next commit. Never unknown.
    Awaited<Rows> read(Statement statement, Parameters parameters, Told told = Told::yes);
    // Alone on the connection, between two commits. The transaction is rolled back where the work gives an error, and
    // repeated from its beginning where the server ended it for the sake of another one. Told::no: it cannot write,
    // and is never unknown.
    template <class T>
    Awaited<T> transaction(std::function<Awaited<T>(Transaction&)> work, Told told = Told::yes);
    // A job, in the next commit. It may be run more than once, and lives until the caller has awaited this. One that
    // only reads is never unknown. `order`: as above.
    Awaited<void> commit(Engine::Access access, const Engine::Work& work, std::string order = {});

    // Why the database cannot be used, in words; nothing where it can.
    std::optional<std::string> hindrance() const;
    // HOST:PORT of the server that it is connected to; empty: of none.
    const std::string& server() const;
    // The server was found to be no use: the connection is closed with these words, once what is under way on it is
    // done, and is tried again.
    void leave(std::string words);
    // It was seen elsewhere that commits are not done: the outage begins now, where it has not begun.
    void in_trouble();
    JournalStats stats() const;
    // How many commits of writes are done.
    std::uint64_t commits() const noexcept;
    // Whether the connection is there, and the last commit that was tried succeeded.
    bool healthy() const noexcept;

  private:
    using Work = std::function<boost::asio::awaitable<Result<void>>(Transaction&)>;

    // The one place where the queue is met, so that a transaction costs the compiler little.
    boost::asio::awaitable<Result<void>> alone(const Work& work, Told told);

    const std::shared_ptr<SessionCore> core_;
};

template <class T>
boost::asio::awaitable<Result<T>> Session::transaction(std::function<Awaited<T>(Transaction&)> work, Told told) {
    std::optional<Result<T>> result;
    const Work keep_result = [&result, &work](Transaction& transaction) -> boost::asio::awaitable<Result<void>> {
        result.emplace(co_await work(transaction));
        if (result->has_error()) co_return result->error();
        co_return Result<void>();
    };
    const auto committed = co_await alone(keep_result, told);
    if (committed.has_error()) co_return committed.error();
    co_return std::move(*result);
}

}  // namespace gateway::postgres
