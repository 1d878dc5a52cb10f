// Shared by the tests of the journal on PostgreSQL: a schema of the test's own on the cluster, journals on it, and time
// that passes second by second.
#pragma once

#include "journal/postgres/postgres_journal.hpp"
#include "unit/journal/postgres/failing_client.hpp"
#include "unit/journal/postgres/rig.hpp"
#include "unit/support/new_sale.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gateway::postgres::test {

class JournalSchema {
  public:
    JournalSchema() : name_("journal_" + std::to_string(++made_)) { cluster().sql("CREATE SCHEMA " + name_); }

    // Returns a cluster for these tests alone. Its data is thrown away, so nothing need be flushed in its thousands of
    // commits.
    static gateway::test::PostgresCluster& cluster() {
        static gateway::test::PostgresCluster own;
        static const bool fast = (own.restart({"fsync=off", "full_page_writes=off"}), true);
        (void)fast;
        return own;
    }
    // Runs the commands, and returns what psql prints.
    std::string sql(const std::string& commands) const {
        return cluster().sql("SET search_path = " + name_ + ";\n" + commands);
    }
    SessionOptions session_options() const {
        SessionOptions options;
        auto read = read_url(built_client(), cluster().url(), Secret(""));
        EXPECT_TRUE(read.has_value()) << read.error();
        options.connection = std::move(*read);
        for (auto& [name, value] : options.connection.settings)
            if (name == "options") value += " -csearch_path=" + name_;
        return options;
    }
    PostgresOptions options(const std::string& gateway, std::vector<Secret> keys = {}) const {
        return {.session = session_options(),
                .identity = {.name = gateway, .provider = "p", .key_name = "", .rules = "r"},
                .keys = std::move(keys)};
    }
    using Opened = boost::system::result<std::unique_ptr<PostgresJournal>, std::string>;
    boost::asio::awaitable<Opened> opening(boost::asio::any_io_executor executor, Clock& clock,
                                           PostgresOptions wanted) {
        return open_postgres_journal(std::move(executor), clock, client, std::move(wanted), random_);
    }
    // Opens a journal. It waits for the sockets, and lets the clock stand still.
    std::unique_ptr<PostgresJournal> open(boost::asio::any_io_executor executor, gateway::test::VirtualClock& clock,
                                          const std::string& gateway, std::vector<Secret> keys = {},
                                          std::string tally_file = {}) {
        clock.wait_for_sockets();
        auto wanted = options(gateway, std::move(keys));
        wanted.tally_file = std::move(tally_file);
        auto opened = clock.run(opening(std::move(executor), clock, std::move(wanted)));
        EXPECT_TRUE(opened.has_value()) << opened.error();
        return opened.has_value() ? std::move(*opened) : nullptr;
    }
    // Ends the processes of all gateways, and lets the journal know it.
    void end_all_runs() const { sql("UPDATE gateways SET ended = 1"); }

    FailingClient client{built_client()};

  private:
    static inline int made_ = 0;

    const std::string name_;
    gateway::test::SeededRandom random_;
};

// Has several gateways on a schema. Time stands still, except where a test lets it pass.
class JournalTest : public testing::Test {
  protected:
    using Opened = JournalSchema::Opened;
    using Gateways = std::vector<PostgresJournal*>;

    Opened open(PostgresOptions wanted) {
        clock.wait_for_sockets();
        return clock.run(schema.opening(io.get_executor(), clock, std::move(wanted)));
    }
    // Returns why it cannot be opened, or "opened".
    std::string refusal(PostgresOptions wanted) {
        const auto opened = open(std::move(wanted));
        return opened.has_value() ? "opened" : opened.error();
    }
    std::unique_ptr<PostgresJournal> start(const std::string& gateway, std::vector<Secret> keys = {}) {
        return schema.open(io.get_executor(), clock, gateway, std::move(keys));
    }
    // Opens a journal, letting second after second pass as long as it waits for others.
    Opened open_in_time(PostgresOptions wanted, const Gateways& renewing = {}) {
        return in_time(schema.opening(io.get_executor(), clock, std::move(wanted)), renewing);
    }

    // Returns what the coroutine returns, which sleeps at most `most`. Time passes meanwhile, and in each second these
    // gateways renew their leases.
    template <class T>
    T in_time(boost::asio::awaitable<T> work, const Gateways& renewing = {}, Duration sleeps = renew_every) {
        std::optional<T> result;
        begin(std::move(work), result);
        while (!has_come(result, sleeps))
            pass_a_second(renewing);
        return std::move(*result);
    }
    template <class T>
    void begin(boost::asio::awaitable<T> work, std::optional<T>& result) {
        clock.wait_for_sockets();
        boost::asio::co_spawn(io, keep(std::move(work), result), boost::asio::detached);
    }
    // Tells whether the result is there. What its work asks the database is answered first: nothing has a deadline so
    // soon, and what had one before is given the time that the database takes for much else.
    template <class T>
    bool has_come(const std::optional<T>& result, Duration sleeps = renew_every) {
        const auto& time = boost::asio::use_service<gateway::test::VirtualTime>(io);
        while (!result && time.next() - clock.now() > sleeps)
            run_one();
        if (!result) clock.run(answering());
        return result.has_value();
    }
    void run_one() {
        io.restart();
        io.run_one();
    }
    void pass_a_second(const Gateways& renewing) {
        for (auto* journal : renewing)
            renew(*journal);
        clock.jump(renew_every);
    }
    void renew(PostgresJournal& journal) { clock.run(renewed(journal)); }
    Sale sale(std::string key = {}) { return gateway::test::new_sale(clock, random, std::move(key)); }

    JournalSchema schema;
    boost::asio::io_context io;
    gateway::test::VirtualClock clock{io};
    gateway::test::SeededRandom random{2};

  private:
    boost::asio::awaitable<bool> answering() {
        Session session(io.get_executor(), clock, schema.client, schema.session_options());
        const Engine::Work nothing = [](Transaction& tx) -> Job<void> { (void)co_await tx.ask("SELECT 1"); };
        for (int i = 0; i < 100; ++i)
            (void)co_await session.commit(Engine::Access::glance, nothing);
        co_return true;
    }
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, std::optional<T>& result) {
        result.emplace(co_await std::move(work));
    }
    static boost::asio::awaitable<bool> renewed(PostgresJournal& journal) {
        co_await journal.renew_lease();
        co_return true;
    }
};

}  // namespace gateway::postgres::test
