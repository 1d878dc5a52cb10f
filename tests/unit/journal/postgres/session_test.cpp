#include "journal/postgres/session.hpp"

#include "journal/postgres/error.hpp"
#include "unit/journal/postgres/rig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <span>
#include <vector>

namespace gateway::postgres::test {
namespace {

constexpr auto insert = "INSERT INTO t VALUES (?1, ?2)";
constexpr auto count_rows = "SELECT count(*) FROM t";
constexpr auto my_backend = "SELECT pg_backend_pid()";
constexpr auto commits_waiting = R"(DO $$ BEGIN
    WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep') LOOP
        PERFORM pg_stat_clear_snapshot();
    END LOOP; END $$)";
constexpr auto cancel_waiting = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
constexpr auto terminate_waiting =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

using Row = std::vector<std::string>;

Row row(std::int64_t a, std::string b = "b") {
    return {std::to_string(a), std::move(b)};
}

class SessionTest : public PostgresTest {
  protected:
    SessionTest() {
        cluster.sql("DROP TABLE IF EXISTS t; CREATE TABLE t (a bigint PRIMARY KEY, b text CHECK (b <> 'bad'))");
    }
    // Makes the server wait for a standby that does not exist, in every session that begins from now on.
    void lose_standby() {
        cluster.restart({"synchronous_standby_names=nobody"});
        standby_is_lost_ = true;
    }

    ~SessionTest() override {
        if (standby_is_lost_) cluster.restart();
    }

    std::int64_t rows() { return look(count_rows).front().integer(0); }
    // Returns a session of a user who may do no more than a gateway has to.
    std::unique_ptr<Session> session_of_gateway() {
        cluster.sql("DROP ROLE IF EXISTS gateway; CREATE ROLE gateway LOGIN; GRANT SELECT, INSERT ON t TO gateway");
        auto url = cluster.url();
        url.replace(url.find("postgres@"), 9, "gateway@");
        return session(options(url));
    }
    std::int64_t backend_of(Session& one) {
        const auto backend = run(ask(one, Engine::Access::glance, my_backend));
        EXPECT_TRUE(backend.has_value());
        return backend.has_value() ? backend->front().integer(0) : 0;
    }
    std::vector<Asked> write_together(Session& one, const std::vector<Row>& all) {
        std::vector<Asked> results(all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            start(write(one, insert, all[i]), results[i]);
        run_until([&] { return std::ranges::all_of(results, [](const auto& r) { return r.has_value(); }); });
        return results;
    }

  private:
    bool standby_is_lost_ = false;
};

TEST_F(SessionTest, WhatIsWrittenIsThere) {
    const auto one = session(options());
    const auto written = run(write(*one, insert, row(1)));
    ASSERT_TRUE(written.has_value()) << written.error().message();
    EXPECT_EQ(written->changed(), 1);
    EXPECT_EQ(rows(), 1);
    EXPECT_TRUE(one->healthy());
}

TEST_F(SessionTest, WhatWaitsTogetherSharesACommit) {
    const auto one = session(options());
    std::vector<Row> all;
    for (int i = 0; i < 3000; ++i)
        all.push_back(row(i));
    for (const auto& result : write_together(*one, all))
        EXPECT_TRUE(result->has_value());
    EXPECT_EQ(rows(), 3000);
    EXPECT_EQ(one->stats().steps, 3000u);
    EXPECT_EQ(one->stats().commits, 3u);  // a commit has 1024 jobs at most
}

TEST_F(SessionTest, ABadJobOfACommitFailsAlone) {
    const auto one = session(options());
    const auto results = write_together(*one, {row(1), row(2, "bad"), row(3), row(1), row(4)});
    EXPECT_TRUE(results[0]->has_value());
    EXPECT_EQ(sql_state(results[1]->error()), "23514");
    EXPECT_TRUE(results[2]->has_value());
    EXPECT_EQ(sql_state(results[3]->error()), "23505");
    EXPECT_TRUE(results[4]->has_value());
    EXPECT_EQ(rows(), 3);
    EXPECT_TRUE(one->healthy());
}

TEST_F(SessionTest, TheJobsOfOneCommitAskInTheOrderThatTheyWant) {
    const auto one = session(options());
    std::vector<Asked> results(3);
    const std::vector<std::string> orders{"c", "a", "b"};
    for (std::size_t i = 0; i < orders.size(); ++i)
        start(ask(*one, Engine::Access::write, "INSERT INTO t SELECT count(*), CAST(?1 AS text) FROM t", {orders[i]},
                  orders[i]),
              results[i]);
    run_until([&] { return results[0] && results[1] && results[2]; });
    EXPECT_EQ(cluster.sql("SELECT string_agg(b, ',' ORDER BY a) FROM t"), "a,b,c");
}

TEST_F(SessionTest, ATextWithAZeroIsRefusedAndNotCut) {
    const auto one = session(options());
    const auto written = run(write(*one, insert, row(1, std::string("a\0b", 3))));
    EXPECT_EQ(sql_state(written.error()), "22021");
    ASSERT_EQ(log.count("journal.refused"), 1u);
    EXPECT_EQ(rows(), 0);
}

// Nothing of the commit had been sent, so it is done on the next connection.
TEST_F(SessionTest, AConnectionThatBrokeWhileItWasIdleCostsNothing) {
    const auto one = session(options());
    EXPECT_TRUE(run(write(*one, insert, row(1))).has_value());
    cluster.sql("SELECT pg_terminate_backend(" + std::to_string(backend_of(*one)) + ", 10000)");
    const auto written = run(write(*one, insert, row(2)));
    EXPECT_TRUE(written.has_value()) << written.error().message();
    EXPECT_EQ(rows(), 2);
    EXPECT_EQ(log.count("journal.away"), 1u);
    EXPECT_EQ(log.count("journal.back"), 1u);
}

// PostgreSQL calls a commit a success where its wait was cancelled: it is durable on one machine.
TEST_F(SessionTest, ACommitThatWaitsForTheStandbyInVainOrWhoseConnectionBreaksIsUnknown) {
    lose_standby();
    for (const auto* ended_by : {cancel_waiting, terminate_waiting}) {
        const auto one = session(options());
        Asked written, counted;
        start(write(*one, insert, row(ended_by == cancel_waiting ? 1 : 2)), written);
        start(read(*one, count_rows), counted);
        look(commits_waiting);
        look(ended_by);
        run_until([&] { return written && counted; });
        EXPECT_EQ(written->error(), errc::commit_unknown);
        EXPECT_FALSE(counted->has_value());
        EXPECT_NE(counted->error(), errc::commit_unknown);
        EXPECT_EQ(sql_state(counted->error()) == "01000", ended_by == cancel_waiting);
        if (ended_by == cancel_waiting) EXPECT_EQ(log.count("journal.away"), 0u) << "it is as good as before";
        EXPECT_FALSE(one->healthy());
        EXPECT_EQ(one->stats().failures, 1u);
    }
    EXPECT_EQ(rows(), 2);  // only the standby lacks them
}

// A transaction that wrote nothing would wait for no standby.
TEST_F(SessionTest, WhatIsToBeToldIsReadByACommitThatWaitsForTheStandby) {
    lose_standby();
    const auto one = session(options());
    EXPECT_TRUE(run(ask(*one, Engine::Access::glance, count_rows)).has_value());
    Asked counted;
    start(read(*one, count_rows), counted);
    look(commits_waiting);
    EXPECT_FALSE(counted.has_value());
    look(terminate_waiting);
    run_until([&] { return counted.has_value(); });
    EXPECT_FALSE(counted->has_value());
}

// The commit was not sent, so it is known that nothing has happened.
TEST_F(SessionTest, ARoundWithoutAnAnswerInTimeIsNotDone) {
    auto wanted = options();
    wanted.deadline = Duration(300);
    const auto one = session(wanted);
    const auto backend = static_cast<pid_t>(backend_of(*one));
    ASSERT_EQ(::kill(backend, SIGSTOP), 0);
    const auto written = run(write(*one, insert, row(1)));
    EXPECT_EQ(sql_state(written.error()), "08006");
    run_until([&] { return log.count("journal.away") == 1; });
    EXPECT_TRUE(log.has("no answer in time"));
    ASSERT_EQ(::kill(backend, SIGCONT), 0);
    EXPECT_NE(backend_of(*one), backend);
    EXPECT_TRUE(run(write(*one, insert, row(2))).has_value());
    EXPECT_EQ(rows(), 1);
}

TEST_F(SessionTest, ACommitThatWaitsForAStandbyThatIsAwayNamesIt) {
    lose_standby();
    auto wanted = options();
    wanted.deadline = Duration(1'500);
    const auto one = session(wanted);
    EXPECT_EQ(run(write(*one, insert, row(1))).error(), errc::commit_unknown);
    run_until([&] { return log.count("journal.away") == 1; });
    EXPECT_TRUE(log.has("nobody is away"));
    EXPECT_FALSE(log.has("no answer in time"));
    look(terminate_waiting);
}

TEST_F(SessionTest, WhileTheDatabaseIsAwayEverythingFailsAtOnceAndItHealsByItself) {
    const auto one = session(options());
    EXPECT_TRUE(run(write(*one, insert, row(1))).has_value());
    cluster.stop();
    for (std::int64_t i = 2; !one->hindrance(); ++i)
        EXPECT_FALSE(run(write(*one, insert, row(i))).has_value());
    const auto refused = run(write(*one, insert, row(100)));
    EXPECT_EQ(sql_state(refused.error()), "08001");
    EXPECT_FALSE(one->healthy());
    cluster.start();
    run_until([&] { return !one->hindrance(); });
    EXPECT_TRUE(run(write(*one, insert, row(101))).has_value());
    EXPECT_TRUE(one->healthy());
    EXPECT_EQ(log.count("journal.away"), 1u);
    EXPECT_EQ(log.count("journal.back"), 1u);
    EXPECT_EQ(rows(), 2);
}

TEST_F(SessionTest, ItIsToldOfEachNewConnectionBeforeAnythingElseUsesIt) {
    std::vector<std::string> heard;
    int opened = 0;
    auto wanted = options();
    wanted.opened = [&](Transaction& tx) -> Job<std::string> {
        ++opened;
        tx.run("LISTEN words");
        co_return std::string();
    };
    wanted.heard = [&](std::string_view channel, std::string_view payload) {
        heard.push_back(std::string(channel) + " " + std::string(payload));
    };
    const auto one = session(wanted);
    const auto backend = backend_of(*one);
    cluster.sql("NOTIFY words, 'one'");
    run_until([&] { return heard.size() == 1; });
    cluster.sql("SELECT pg_terminate_backend(" + std::to_string(backend) + ", 10000)");
    EXPECT_NE(backend_of(*one), backend);
    cluster.sql("NOTIFY words, 'two'");
    run_until([&] { return heard.size() == 2; });
    EXPECT_EQ(heard, (std::vector<std::string>{"words one", "words two"}));
    EXPECT_EQ(opened, 2);
}

TEST_F(SessionTest, WhatALookAtTheServerFindsKeepsItFromBeingUsed) {
    auto wanted = options();
    wanted.opened = [](Transaction&) -> Job<std::string> { co_return std::string("it is too old"); };
    const auto one = session(wanted);
    EXPECT_EQ(sql_state(run(write(*one, insert, row(1))).error()), "08001");
    EXPECT_EQ(one->hindrance(), "it is too old");
    EXPECT_TRUE(log.has("it is too old"));
}

// The session may be doing anything when it is interrupted.
TEST_F(SessionTest, ASessionThatIsGoneTellsNobodyAnythingAndLeavesNothingBehind) {
    bool is_gone = false;
    const Engine::Work work = [&](Transaction& tx) -> Job<void> {
        (void)co_await tx.ask("INSERT INTO t SELECT count(*), 'b' FROM t");
        EXPECT_FALSE(is_gone) << "what it would go on with is gone, too";
    };
    for (int steps = 1; steps < 30; ++steps) {
        auto one = session(options());
        is_gone = false;
        std::optional<Result<void>> written;
        start(one->commit(Engine::Access::write, work), written);
        io.restart();
        for (int i = 0; i < steps && !written; ++i)
            io.run_one();
        const bool told = written.has_value();
        // By now the server has answered the question.
        cluster.sql("SELECT 1");
        one.reset();
        is_gone = true;
        io.run();
        EXPECT_EQ(written.has_value(), told);
    }
}

TEST_F(SessionTest, ItMayOutliveTheEventLoop) {
    for (int steps = 1; steps < 30; ++steps) {
        std::unique_ptr<Session> one;
        bool told = false;
        auto ends_first = std::make_unique<boost::asio::io_context>(1);
        SystemClock its_clock{ends_first->get_executor()};
        one = std::make_unique<Session>(ends_first->get_executor(), its_clock, built_client(), options());
        boost::asio::co_spawn(*ends_first, write(*one, insert, row(steps)),
                              [&told](const std::exception_ptr&, const Result<Rows>&) { told = true; });
        for (int i = 0; i < steps && !told; ++i)
            ends_first->run_one();
        ends_first.reset();
        EXPECT_FALSE(one->hindrance());
    }
}

constexpr std::span<const Value> nothing;

// Writes a row, and returns how many rows there are then.
Job<std::int64_t> insert_and_count(Transaction& tx, std::int64_t a, std::string b) {
    const std::array<Value, 2> values{a, b};
    tx.run("INSERT INTO t VALUES (?1, ?2)", values);
    const auto counted = co_await tx.ask("SELECT count(*) FROM t", nothing);
    co_return counted.front().integer(0);
}

TEST_F(SessionTest, JobsThatWaitTogetherShareACommitAndItsRounds) {
    const auto one = session(options());
    std::vector<std::optional<Result<std::int64_t>>> counts(3);
    for (std::size_t i = 0; i < counts.size(); ++i)
        start(one->perform<std::int64_t>(
                  Engine::Access::write,
                  [i](Transaction& tx) { return insert_and_count(tx, static_cast<std::int64_t>(i), "b"); }),
              counts[i]);
    run_until([&] { return counts[0] && counts[1] && counts[2]; });
    EXPECT_EQ(counts[0]->value() + counts[1]->value() + counts[2]->value(), 1 + 2 + 3);
    EXPECT_EQ(one->stats().steps, 3u);
    EXPECT_EQ(one->stats().commits, 1u);
}

boost::asio::awaitable<bool> noted(Session& one, const Engine::Work& work, std::string order,
                                   std::vector<std::string>& done, std::string name) {
    (void)co_await one.commit(Engine::Access::write, work, std::move(order));
    done.push_back(std::move(name));
    co_return true;
}

TEST_F(SessionTest, WhatGoesAheadWaitsForNoneOfThoseThatARefusalSetsApart) {
    const auto one = session(options());
    std::vector<std::string> done;
    std::vector<std::optional<bool>> ended(4);
    bool has_begun = false;
    const Engine::Work good = [](Transaction& tx) -> Job<void> { (void)co_await tx.ask("SELECT 1"); };
    // This job comes while the commit that will be refused is under way.
    const Engine::Work bad = [&](Transaction& tx) -> Job<void> {
        if (!std::exchange(has_begun, true)) start(noted(*one, good, ahead_of_all, done, "ahead"), ended[0]);
        (void)co_await tx.ask("INSERT INTO t VALUES (1, 'bad')");
    };
    start(noted(*one, bad, "", done, "bad"), ended[1]);
    start(noted(*one, good, "", done, "good"), ended[2]);
    start(noted(*one, good, "", done, "good"), ended[3]);
    run_until([&] { return done.size() == ended.size(); });
    EXPECT_EQ(done, (std::vector<std::string>{"ahead", "bad", "good", "good"}));
}

TEST_F(SessionTest, AJobThatFailsForItselfLeavesTheOthersOfItsCommit) {
    const auto one = session(options());
    std::optional<Result<std::int64_t>> written;
    std::optional<Result<void>> failed;
    const Engine::Work failing = [](Transaction& tx) -> Job<void> {
        const auto found = co_await tx.ask("SELECT 1 FROM t", nothing);
        if (found.empty()) throw JobFailed(errc::not_found);
        tx.run("DELETE FROM t", nothing);
    };
    start(one->commit(Engine::Access::write, failing), failed);
    start(
        one->perform<std::int64_t>(Engine::Access::write, [](Transaction& tx) { return insert_and_count(tx, 1, "b"); }),
        written);
    run_until([&] { return failed && written; });
    EXPECT_EQ(failed->error(), errc::not_found);
    EXPECT_EQ(written->value(), 1);
    EXPECT_EQ(one->stats().commits, 1u);
}

TEST_F(SessionTest, AJobThatHasToBeByItselfSharesNoCommit) {
    const auto one = session(options());
    Asked before, alone, after;
    start(write(*one, insert, row(2)), before);
    start(ask(*one, Engine::Access::alone, insert, row(1)), alone);
    start(write(*one, insert, row(3)), after);
    run_until([&] { return before && alone && after; });
    EXPECT_EQ(one->stats().commits, 2u) << "those before and behind it share one";
    EXPECT_EQ(rows(), 3);
}

// Each transaction has the lock that the other one wants next.
TEST_F(SessionTest, TransactionsThatWaitForEachOtherAreRepeated) {
    cluster.sql("INSERT INTO t VALUES (1, ''), (2, '')");
    const auto one = session(options());
    const auto other = session(options());
    int tries = 0;
    const auto work_on = [&](int first, int second) {
        return [&tries, first, second](Transaction& tx) -> Job<void> {
            ++tries;
            const auto append = [&](int row) { return fmt::format("UPDATE t SET b = b || 'x' WHERE a = {}", row); };
            // Each waits until the other one has its first row, or is done.
            const auto wait = fmt::format(R"(DO $$ BEGIN
                WHILE (SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock') < 2
                    AND NOT EXISTS (SELECT FROM t WHERE a = {} AND b <> '') LOOP
                    PERFORM pg_sleep(0.01);
                END LOOP; END $$)",
                                          second);
            tx.run(append(first));
            (void)co_await tx.ask(wait);
            (void)co_await tx.ask(append(second));
        };
    };
    const Engine::Work here = work_on(1, 2), there = work_on(2, 1);
    std::optional<Result<void>> done_here, done_there;
    start(one->commit(Engine::Access::write, here), done_here);
    start(other->commit(Engine::Access::write, there), done_there);
    run_until([&] { return done_here && done_there; });
    EXPECT_TRUE(done_here->has_value());
    EXPECT_TRUE(done_there->has_value());
    EXPECT_GE(tries, 3);  // the server may end both
    EXPECT_EQ(cluster.sql("SELECT string_agg(length(b)::text, ',') FROM t"), "2,2");
}

// Each job of such a commit then gets a commit of its own.
TEST_F(SessionTest, JobsThatComeToHoldTheSameAreDoneOneAfterTheOther) {
    const auto one = session(options());
    const auto late = [](Transaction& tx) -> Job<std::int64_t> {
        (void)co_await tx.ask(std::string_view("SELECT 1"));
        tx.hold("statements");
        const auto number = co_await tx.ask(std::string_view("INSERT INTO t SELECT count(*), 'b' FROM t RETURNING a"));
        co_return number.front().integer(0);
    };
    std::vector<std::optional<Result<std::int64_t>>> numbers(3);
    for (auto& number : numbers)
        start(one->perform<std::int64_t>(Engine::Access::write, late), number);
    run_until([&] { return numbers[0] && numbers[1] && numbers[2]; });
    for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_EQ(numbers[i]->value(), static_cast<std::int64_t>(i));
    EXPECT_EQ(one->stats().commits, 3u);
}

TEST_F(SessionTest, AnOrdinaryUserIsEnough) {
    const auto one = session_of_gateway();
    EXPECT_TRUE(run(write(*one, insert, row(1))).has_value());
    EXPECT_TRUE(run(read(*one, count_rows)).has_value());
}

TEST_F(SessionTest, ACommitThatIsRefusedIsNotDoneAndLeavesNothingOpen) {
    cluster.sql("DROP TABLE IF EXISTS u; CREATE TABLE u (a bigint REFERENCES t DEFERRABLE INITIALLY DEFERRED)");
    const auto one = session(options());
    EXPECT_EQ(sql_state(run(write(*one, "INSERT INTO u VALUES (7)")).error()), "23503");
    EXPECT_TRUE(run(write(*one, insert, row(1))).has_value());
    EXPECT_EQ(cluster.sql("SELECT count(*) FROM u; DROP TABLE u"), "0");
}

TEST_F(SessionTest, AProofThatIsRefusedLeavesNothingOpen) {
    // The parameters belong to the name; PostgreSQL 17 has one more.
    const std::string emit =
        "ON FUNCTION " + cluster.sql(
                             "SELECT oid::regprocedure FROM pg_proc WHERE proname = 'pg_logical_emit_message' AND "
                             "proargtypes[2] = 'text'::regtype");
    cluster.sql("REVOKE EXECUTE " + emit + " FROM PUBLIC");
    const auto one = session_of_gateway();
    EXPECT_EQ(sql_state(run(write(*one, insert, row(1))).error()), "42501");
    cluster.sql("GRANT EXECUTE " + emit + " TO PUBLIC");
    EXPECT_TRUE(run(write(*one, insert, row(1))).has_value());
    EXPECT_EQ(rows(), 1);
    EXPECT_EQ(log.count("journal.away"), 0u);
}

TEST_F(SessionTest, WhatTheServerSaysOfItselfIsToldOnceAndWhatItSaysOfRowsNever) {
    const auto one = session(options());
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(sql_state(run(read(*one, "SELECT 1 FROM no_such_table")).error()), "42P01");
    run_until([&] { return log.has("journal.refused"); });
    EXPECT_EQ(sql_state(run(read(*one, "SELECT CAST(CAST(?1 AS text) AS bigint)", {"12345678909x"})).error()), "22P02");
    (void)run(write(*one, insert, row(1)));
    EXPECT_EQ(log.count("journal.refused"), 2u);
    EXPECT_TRUE(log.has("a value of a statement that was composed")) << "which statement it was";
    EXPECT_TRUE(log.has("relation \\\"no_such_table\\\" does not exist"));
    EXPECT_FALSE(log.has("12345678909x"));
}

TEST_F(SessionTest, AReadThatIsToldToNobodyCannotWrite) {
    const auto one = session(options());
    const auto written = run(ask(*one, Engine::Access::glance, insert, row(1)));
    EXPECT_EQ(sql_state(written.error()), "25006");
    EXPECT_EQ(rows(), 0);
}

}  // namespace
}  // namespace gateway::postgres::test
