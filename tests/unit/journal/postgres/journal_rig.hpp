// What the tests of the journal on PostgreSQL share: a schema of its own on the cluster, and journals on it.
#pragma once

#include "journal/postgres/open_postgres_journal.hpp"
#include "unit/journal/postgres/failing_client.hpp"
#include "unit/journal/postgres/rig.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/virtual_clock.hpp"

#include <string>
#include <vector>

namespace gateway::postgres::test {

// Asks the database so many times, so that what is under way is answered meanwhile.
inline boost::asio::awaitable<bool> answering(Session& session, int times = 100) {
    const Engine::Work nothing = [](Transaction& tx) -> Job<void> { (void)co_await tx.ask("SELECT 1"); };
    for (int i = 0; i < times; ++i)
        (void)co_await session.commit(Engine::Access::glance, nothing);
    co_return true;
}

class JournalSchema {
  public:
    JournalSchema() : name_("journal_" + std::to_string(++made_)) { cluster().sql("CREATE SCHEMA " + name_); }

    // One of their own: what is thrown away needs no flush, and there are thousands of commits.
    static gateway::test::PostgresCluster& cluster() {
        static gateway::test::PostgresCluster own;
        static const bool fast = (own.restart({"fsync=off", "full_page_writes=off"}), true);
        (void)fast;
        return own;
    }
    // What psql prints.
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
    // Waits for the sockets, and lets the clock stand still.
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
    // The processes of all gateways are gone, and it is known.
    void end_all_runs() const { sql("UPDATE gateways SET ended = 1"); }

    FailingClient client{built_client()};

  private:
    static inline int made_ = 0;

    const std::string name_;
    gateway::test::SeededRandom random_;
};

}  // namespace gateway::postgres::test
