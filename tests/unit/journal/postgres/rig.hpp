// Shared by the tests of the sessions: the cluster, the real clock, and the module as it was built.
#pragma once

#include "base/system.hpp"
#include "journal/postgres/client.hpp"
#include "journal/postgres/session.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/postgres_cluster.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway::postgres::test {

using gateway::test::MemoryLog;
using gateway::test::PostgresCluster;

inline const Client& built_client() {
    static const auto loaded = load_client({POSTGRES_MODULE_FOLDER});
    EXPECT_TRUE(loaded.has_value()) << loaded.error();
    return **loaded;
}

class PostgresTest : public testing::Test {
  protected:
    // Returns what the coroutine returns, with real time passing while it waits.
    template <class T>
    T run(boost::asio::awaitable<T> coroutine) {
        std::optional<T> result;
        start(std::move(coroutine), result);
        run_until([&] { return result.has_value(); });
        return std::move(*result);
    }
    // Begins the coroutine. Its result comes while something else is run.
    template <class T>
    void start(boost::asio::awaitable<T> coroutine, std::optional<T>& result) {
        boost::asio::co_spawn(io, keep(std::move(coroutine), result), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure);
        });
    }
    template <class Condition>
    void run_until(Condition condition) {
        io.restart();
        while (!condition())
            io.run_one();
    }

    SessionOptions options(const std::string& url, const std::string& password = "") {
        SessionOptions options;
        auto read = read_url(built_client(), url, Secret(password));
        EXPECT_TRUE(read.has_value()) << read.error();
        options.connection = std::move(*read);
        options.log = &log;
        return options;
    }
    SessionOptions options() { return options(cluster.url()); }
    std::unique_ptr<Session> session(SessionOptions wanted) {
        return std::make_unique<Session>(io.get_executor(), clock, built_client(), std::move(wanted));
    }

    using Asked = std::optional<Result<Rows>>;

    // Runs one statement with these parameters in a commit of the session.
    static Awaited<Rows> ask(Session& one, Engine::Access access, std::string sql, std::vector<std::string> values = {},
                             std::string order = {}) {
        Rows rows;
        const Engine::Work work = [&](Transaction& tx) -> Job<void> {
            const std::vector<Value> bound(values.begin(), values.end());
            rows = co_await tx.ask(sql, bound);
        };
        const auto asked = co_await one.commit(access, work, std::move(order));
        if (asked.has_error()) co_return asked.error();
        co_return std::move(rows);
    }
    static Awaited<Rows> write(Session& one, std::string sql, std::vector<std::string> values = {}) {
        return ask(one, Engine::Access::write, std::move(sql), std::move(values));
    }
    static Awaited<Rows> read(Session& one, std::string sql, std::vector<std::string> values = {}) {
        return ask(one, Engine::Access::read, std::move(sql), std::move(values));
    }
    // Runs one statement as the operator would, which proves nothing and waits for no standby.
    Rows look(const std::string& sql) {
        auto wanted = options();
        wanted.log = nullptr;
        const auto of_the_operator = session(std::move(wanted));
        auto rows = run(ask(*of_the_operator, Engine::Access::glance, sql));
        EXPECT_TRUE(rows.has_value()) << rows.error().message();
        return rows.has_value() ? *rows : Rows();
    }

    PostgresCluster& cluster = PostgresCluster::shared();
    MemoryLog log;
    boost::asio::io_context io{1};
    SystemClock clock{io.get_executor()};

  private:
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> coroutine, std::optional<T>& result) {
        result.emplace(co_await std::move(coroutine));
    }
};

}  // namespace gateway::postgres::test
