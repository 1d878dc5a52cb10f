#include "journal/chain/leases.hpp"
#include "unit/journal/copy/rig.hpp"

namespace gateway::moving::test {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr const char* held_or_an_error =
    "SET lock_timeout = '50ms'; DO $$ BEGIN UPDATE sales SET valor = 1; ASSERT false;"
    " EXCEPTION WHEN lock_not_available THEN NULL; END $$; SELECT 'held'";

// Runs the jobs of a lease without the rest of a journal.
class Jobs final : public JobRunner {
  public:
    Jobs(postgres::Session& session, Clock& clock)
        : JobRunner(std::make_unique<FieldCipher>(), clock), session_(session) {}

  private:
    Awaited<void> commit(Lane, Access access, const Engine::Work& work, std::string order) override {
        return session_.commit(access, work, std::move(order));
    }

    postgres::Session& session_;
};

class PostgresPlaceTest : public MovingTest {
  protected:
    void SetUp() override {
        make_odd_journal("a.db", 3);
        sqlite("a.db", "DELETE FROM sealing_keys");
        ASSERT_EQ(why_not("a.db", url), "");
    }
    void enter(const std::string& name) const {
        database.sql(
            "INSERT INTO gateways (run, name, began_at, provider, key_name, rules)"
            " VALUES ('" +
            name + ".1', '" + name + "', 1, 'p', '', 'r')");
    }

    static void cut_all_off() {
        OwnDatabase::cluster().sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'moving%'"
            " AND pid <> pg_backend_pid()");
    }
    // Runs ALTER SYSTEM, and returns when every session of the server has been told of it.
    static void set(const std::string& command) {
        constexpr auto loaded_at = "SELECT pg_conf_load_time()";
        auto& cluster = OwnDatabase::cluster();
        const auto before = cluster.sql(loaded_at);
        cluster.sql(command + "; SELECT pg_reload_conf()");
        while (cluster.sql(loaded_at) == before) {
        }
    }

    OwnDatabase database;
    const std::string url = database.url();
};

TEST_F(PostgresPlaceTest, AGatewayThatLivesIsNamed) {
    enter("box-1");
    clock.waits = [&](Duration length) {
        if (length <= 1s) database.sql("UPDATE gateways SET renewals = renewals + 1");
    };
    EXPECT_THAT(why_not(url, "b.db"), HasSubstr("the gateway box-1 is running on " + url + ": stop it first"));
    const OwnDatabase empty;
    clock.waits = {};
    ASSERT_EQ(start_postgres(empty.url()), "");
    stop_postgres();
    empty.sql(
        "INSERT INTO gateways (run, name, began_at, provider, key_name, rules) VALUES ('x', 'x', 1, 'p', '', '')");
    clock.waits = [&](Duration length) {
        if (length <= 1s) empty.sql("UPDATE gateways SET renewals = renewals + 1");
    };
    EXPECT_THAT(why_not(url, empty.url()), HasSubstr("the gateway x is running on"));
}

TEST_F(PostgresPlaceTest, AGatewayThatDiedIsWaitedOutAndOver) {
    enter("box-1");
    clock.speed = 10;
    EXPECT_EQ(why_not(url, "b.db"), "");
    EXPECT_EQ(database.sql("SELECT ended FROM gateways WHERE name = 'box-1'"), "1");
}

TEST_F(PostgresPlaceTest, WhatAGatewayHasToDoFirstIsSaid) {
    database.sql("UPDATE sales SET owner = 'box-1.1', settled = 0 WHERE n = 10");
    EXPECT_THAT(why_not(url, "b.db"), AllOf(HasSubstr("1 open sales"), HasSubstr("did not stop in order")));
    database.sql(
        "UPDATE sales SET owner = '', settled = 1,"
        " taken_from = '[{\"gateway\": \"box-2\", \"idExterno\": \"E\"}]' WHERE n = 10");
    EXPECT_THAT(why_not(url, "b.db"), AllOf(HasSubstr("wait for the gateway box-2"), HasSubstr("--gone box-2")));
    database.sql(
        "UPDATE sales SET taken_from = NULL; INSERT INTO forwarded_commands (sale, event, request_id, forwarded_at)"
        " VALUES ('S1', 't', '', 1)");
    EXPECT_THAT(why_not(url, "b.db"), HasSubstr("1 decisions wait"));
    EXPECT_EQ(start_postgres(url), "") << "a gateway can do it";
    stop_postgres();
    database.sql("DELETE FROM forwarded_commands");
    EXPECT_EQ(why_not(url, "b.db"), "");
}

TEST_F(PostgresPlaceTest, NobodyWritesMeanwhileAndNoGatewayStarts) {
    std::string started, written;
    progress.on_begin = [&](const std::string& what) {
        if (what != "comparing sales") return;
        started = start_postgres(url);
        written = database.sql(held_or_an_error);
    };
    ASSERT_EQ(why_not(url, "b.db"), "");
    EXPECT_THAT(started, HasSubstr("is copying it to " + folder.path("b.db") + " right now"));
    EXPECT_EQ(written, "held");
}

TEST_F(PostgresPlaceTest, NobodyWritesIntoACopyFromItsComparisonOn) {
    const OwnDatabase other;
    std::string written;
    progress.on_begin = [&](const std::string& what) {
        if (what == "comparing sales" || what == "checking " + other.url()) written += other.sql(held_or_an_error);
    };
    ASSERT_EQ(why_not(url, other.url()), "");
    EXPECT_EQ(written, "heldheld");
}

// The run has looked before the mark was there, and gets the lock of the runs after it.
TEST_F(PostgresPlaceTest, ARunThatBeginsAfterTheMarkIsRefused) {
    ASSERT_EQ(why_not(url, "b.db"), "");
    const auto to_it = session(options(url));
    Jobs jobs(*to_it, clock);
    const postgres::TallyFile file("", "f");
    postgres::Leases leases(jobs, {.name = "a", .provider = "p", .key_name = "", .rules = "r"}, file, random);
    EXPECT_TRUE(run(leases.begin()).has_error());
    EXPECT_FALSE(leases.trusted());
}

TEST_F(PostgresPlaceTest, WhatPostgresCannotHoldIsNamed) {
    make_odd_journal("c.db", 0);
    struct Fault {
        const char* set;
        const char* column;
    };
    for (const auto& [set, column] :
         {Fault{"terminal = 'a' || char(0) || 'b'", "terminal"}, Fault{"story = CAST(x'ff41' AS TEXT)", "story"},
          Fault{"settled = 40000", "settled"}}) {
        sqlite("c.db", "SAVEPOINT s; UPDATE sales SET " + std::string(set) + " WHERE n = 7; RELEASE s");
        const OwnDatabase other;
        EXPECT_THAT(why_not("c.db", other.url()),
                    HasSubstr("table sales, row n 7: PostgreSQL cannot hold what stands in "
                              "the column " +
                              std::string(column)));
        sqlite("c.db", "UPDATE sales SET terminal = '', story = '', settled = 0 WHERE n = 7");
    }
}

TEST_F(PostgresPlaceTest, NewNumbersFollowThoseThatArrived) {
    EXPECT_EQ(database.sql("INSERT INTO notes (sale) VALUES ('S1') RETURNING n"), "11");
    EXPECT_EQ(database.sql("INSERT INTO callbacks (received_at, sale, kind, valid) VALUES (1, 'S1', 'sale', 1); SELECT "
                           "max(n) FROM callbacks"),
              "5");
    EXPECT_EQ(database.sql("SELECT nextval(pg_get_serial_sequence('sales', 'n')),"
                           " nextval(pg_get_serial_sequence('statements', 'id')),"
                           " nextval(pg_get_serial_sequence('findings', 'number'))"),
              "13|7|10");
}

TEST_F(PostgresPlaceTest, KeysAndSalesThatDoNotBelongTogetherAreFound) {
    database.sql("DELETE FROM keys WHERE sale = 'S1'");
    EXPECT_THAT(why_not(url, "b.db"), HasSubstr("is damaged: 1 sales have no key"));
    database.sql(
        "INSERT INTO keys (terminal, key, sale) SELECT terminal, key, id FROM sales WHERE id = 'S1';"
        "INSERT INTO keys (terminal, key, sale) VALUES ('t', 'k', 'S1')");
    EXPECT_THAT(why_not(url, "b.db"), HasSubstr("is damaged: 1 keys have no sale"));
}

TEST_F(PostgresPlaceTest, AServerThatIsNotThereOrBreaksOffIsSaid) {
    EXPECT_THAT(why_not("postgresql://postgres@127.0.0.1:1/x", "b.db"), HasSubstr("cannot be reached"));
    progress.on_begin = [&](const std::string& what) {
        if (what == "comparing sales") cut_all_off();
    };
    EXPECT_THAT(why_not(url, "b.db"), HasSubstr("the connection to the server is lost"));
    progress.on_begin = {};
    EXPECT_EQ(why_not(url, "b.db"), "");
}

TEST_F(PostgresPlaceTest, WhatIsLeftIsSaidThoughTheServerIsLost) {
    make_odd_journal("s.db", 10);
    const OwnDatabase target;
    progress.on_begin = [&](const std::string& what) {
        if (what == "copying sales") cut_all_off();
    };
    const auto why = why_not("s.db", target.url());
    EXPECT_THAT(why, AllOf(HasSubstr("the connection to the server is lost: "),
                           HasSubstr(target.url() + " is marked as a copy that is not whole, and no gateway starts on"),
                           HasSubstr("s.db is the journal still. When the cause is gone, call the same command")));
    progress.on_begin = {};
    EXPECT_EQ(why_not("s.db", target.url()), "");
}

TEST_F(PostgresPlaceTest, AStandbyThatIsAwayIsNamedAndTheCopyStaysMarked) {
    make_odd_journal("s.db", 10);
    const OwnDatabase empty;
    const auto away = [](const OwnDatabase& target) {
        return AllOf(HasSubstr(target.url()), HasSubstr(" waits for a synchronous standby before it says of anything"),
                     HasSubstr("nobody is away; bring one back"), Not(HasSubstr("is not known")),
                     HasSubstr("s.db is the journal still. When the cause is gone, call the same command once more"));
    };
    set("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    clock.speed = 2;
    EXPECT_THAT(why_not("s.db", empty.url()),
                AllOf(away(empty), HasSubstr(empty.url() + " may be marked by now as a copy that is not whole: let no "
                                                           "gateway start on it")));
    set("ALTER SYSTEM RESET synchronous_standby_names");
    EXPECT_EQ(why_not("s.db", empty.url()), "");
}

TEST_F(PostgresPlaceTest, AStandbyThatGoesAwayMeanwhileIsNotWaitedForWithoutAnEnd) {
    make_odd_journal("s.db", 10);
    const OwnDatabase target;
    progress.on_begin = [&](const std::string& what) {
        if (what != "copying sales") return;
        set("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
        clock.speed = 3;
    };
    // The server may learn of the standby only after it has committed the first rows.
    EXPECT_THAT(why_not("s.db", target.url()),
                AllOf(HasSubstr(", rows from "), HasSubstr("nobody is away; bring one back"),
                      HasSubstr(target.url() + " is marked as a copy that is not whole, and no gateway starts on it"),
                      HasSubstr("s.db is the journal still. When the cause is gone, call the same command")));
    progress.on_begin = {};
    set("ALTER SYSTEM RESET synchronous_standby_names");
    EXPECT_EQ(why_not("s.db", target.url()), "");
}

}  // namespace
}  // namespace gateway::moving::test
