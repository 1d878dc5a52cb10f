// One connection to PostgreSQL, for a command that does one thing after the other and waits for each: no deadline of
// seconds, and words for everything that goes wrong.
#pragma once

#include "base/clock.hpp"
#include "journal/copy/place.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/migrations.hpp"
#include "journal/postgres/session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gateway::moving {

// What a place on PostgreSQL needs of the program. Every reference must outlive the place; nobody else runs `io`.
struct PostgresAccess {
    boost::asio::io_context& io;
    Clock& clock;
    const postgres::Client& client;
    postgres::ConnectionOptions connection;
    std::string url;
};

class Talk {
  public:
    explicit Talk(PostgresAccess access);

    const std::string& url() const noexcept { return access_.url; }
    Clock& clock() const noexcept { return access_.clock; }
    // Why the server cannot be reached or used.
    Done open();
    // Brings the tables up to date, or makes them, and does `with` these what a new journal begins with.
    Done migrate(std::function<postgres::Awaited<void>(postgres::Transaction&)> with = {});

    // One statement: by itself, or in the transaction that is open.
    Explained<postgres::Rows> ask(postgres::Statement statement, postgres::Parameters parameters = {});
    // All of it in a transaction, which is done then.
    Explained<std::vector<postgres::Rows>> write(std::span<const postgres::Command> commands);
    // Begins one that goes on while other things are done.
    Done begin();
    Done commit();

    // Notes how many bytes are to be written; 0 means that nobody knows.
    void expect(std::uint64_t bytes) noexcept { expected_bytes_ = bytes; }

    template <class T>
    T wait_for(boost::asio::awaitable<T> work) {
        std::optional<T> result;
        start(std::move(work), result);
        while (!result)
            access_.io.run_one();
        return std::move(*result);
    }

  private:
    template <class T>
    void start(boost::asio::awaitable<T> work, std::optional<T>& result) {
        boost::asio::co_spawn(access_.io, keep(std::move(work), result), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
        access_.io.restart();
    }
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, std::optional<T>& result) {
        result.emplace(co_await std::move(work));
    }
    // Closes the connection where the server waits for a standby, because that may have no end.
    postgres::Exchanged exchange(std::span<const postgres::Command> commands);
    // Tells which standby a commit waits for; empty where none waits.
    std::string standby_waited_for();
    void roll_back();
    std::string trouble(const postgres::Exchanged& exchanged);
    std::string without_standby();

    PostgresAccess access_;
    postgres::SocketWait wait_;
    std::unique_ptr<postgres::Connection> connection_;
    std::string standby_;  // which one was waited for in vain; empty: none
    std::uint64_t expected_bytes_ = 0;
};

}  // namespace gateway::moving
