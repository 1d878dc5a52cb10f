#include "journal/chain/acknowledged_commits.hpp"
#include "journal/postgres/error.hpp"
#include "unit/journal/postgres/rig.hpp"

#include <thread>

namespace gateway::postgres::test {
namespace {

class CommitCountTest : public PostgresTest {
  protected:
    CommitCountTest() {
        cluster.sql(
            "DROP TABLE IF EXISTS commits, epoch; CREATE TABLE commits (gateway text, connection smallint, made "
            "bigint);"
            " CREATE TABLE epoch (number bigint, lost_by text);"
            " INSERT INTO commits VALUES ('box-1', 1, 40); INSERT INTO epoch VALUES (7, '')");
    }
    ~CommitCountTest() override { cluster.sql("DROP TABLE commits, epoch"); }

    // Runs `sql` at the database, and then commits one row with the counts `here`. Returns what came of the commit.
    boost::system::error_code commit(const std::string& sql = "SELECT 1") {
        cluster.sql(sql);
        return run(write(*counted(), "SELECT 1")).error();
    }
    std::unique_ptr<Session> counted() {
        auto wanted = options();
        wanted.count = &count;
        return session(std::move(wanted));
    }
    std::string made() { return cluster.sql("SELECT made FROM commits"); }

    CommitCount count{"box-1", 1};
};

TEST_F(CommitCountTest, EachCommitIsCountedByItself) {
    count.begin(7, 40);
    EXPECT_FALSE(commit());
    EXPECT_FALSE(commit());
    EXPECT_EQ(count.acknowledged(), 42);
    EXPECT_EQ(made(), "42");
    EXPECT_EQ(count.state(), CommitCount::State::whole);
}

TEST_F(CommitCountTest, WhatTheDatabaseDoesNotKnowIsALossAndNothingIsCommitted) {
    struct Case {
        std::int64_t epoch;
        std::int64_t acknowledged;
        const char* made_of_it;
    };
    for (const auto& [epoch, acknowledged, sql] : {
             Case{7, 41, "SELECT 'it would be the 41st a second time'"},
             Case{7, 40, "UPDATE epoch SET lost_by = 'box-2'"},
             Case{8, 40, "UPDATE epoch SET lost_by = ''"},
             Case{8, 40, "DELETE FROM epoch"},
             Case{7, 0, "INSERT INTO epoch VALUES (7, ''); UPDATE commits SET gateway = 'box-9'"},
         }) {
        count.begin(epoch, acknowledged);
        EXPECT_EQ(sql_state(commit(sql)), state::commits_are_lost) << sql;
        EXPECT_EQ(count.state(), CommitCount::State::lost);
        EXPECT_EQ(made(), "40");
    }
}

TEST_F(CommitCountTest, ALaterEpochEndsTheCountUntilItBeginsAnew) {
    count.begin(7, 40);
    EXPECT_EQ(sql_state(commit("UPDATE epoch SET number = 8")), state::epoch_is_over);
    EXPECT_EQ(count.state(), CommitCount::State::over);
    count.begin(8, 40);
    EXPECT_FALSE(commit());
    EXPECT_EQ(count.state(), CommitCount::State::whole);
}

// The restore holds the lock of the counts' table while it begins the epoch.
TEST_F(CommitCountTest, OneThatWaitedForARestoreSeesItsEpoch) {
    count.begin(7, 40);
    const auto one = counted();
    // The restore goes on when somebody waits for it.
    std::thread restore([this] {
        cluster.sql(
            "BEGIN; LOCK TABLE commits IN EXCLUSIVE MODE;"
            " DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'commits'::regclass)"
            " LOOP PERFORM pg_sleep(0.01); END LOOP; END $$; UPDATE epoch SET number = 8; COMMIT");
    });
    look(
        "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE granted AND relation = 'commits'::regclass AND mode ="
        " 'ExclusiveLock') LOOP PERFORM pg_sleep(0.01); END LOOP; END $$");
    const auto counted = run(write(*one, "SELECT 1"));
    restore.join();
    EXPECT_EQ(sql_state(counted.error()), state::epoch_is_over);
    EXPECT_EQ(made(), "40");
}

// This is what copy-journal leaves behind, met by a gateway that was paused until then.
TEST_F(CommitCountTest, AJournalThatWasMovedAwayIsNamedAndIsNoHealthyOne) {
    count.begin(7, 40);
    cluster.sql("ALTER TABLE commits ADD CONSTRAINT moved CHECK (made < 0) NOT VALID");
    const auto one = counted();
    EXPECT_EQ(sql_state(run(write(*one, "SELECT 1")).error()), state::moved_away);
    EXPECT_FALSE(one->healthy());
    EXPECT_EQ(sql_state(one->stats().failure), state::moved_away);
}

}  // namespace
}  // namespace gateway::postgres::test
