#include "journal/chain/tally.hpp"
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

    // What comes of a commit of one row, and of the counts `here` while the database has what `sql` has made of it.
    boost::system::error_code commit(const std::string& sql = "SELECT 1") {
        cluster.sql(sql);
        auto wanted = options();
        wanted.count = &count;
        const auto one = session(wanted);
        return run(write(*one, "SELECT 1")).error();
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

TEST_F(CommitCountTest, WhereTheDatabaseKnowsOfFewerNothingIsCommitted) {
    count.begin(7, 41);
    EXPECT_EQ(sql_state(commit()), state::commits_are_lost) << "it would be the 41st a second time";
    EXPECT_EQ(made(), "40");
    EXPECT_EQ(count.state(), CommitCount::State::lost);
}

TEST_F(CommitCountTest, AGatewayThatTheDatabaseHasNeverHeardOfHasLostAll) {
    count.begin(7, 0);
    EXPECT_EQ(sql_state(commit("DELETE FROM commits")), state::commits_are_lost);
}

TEST_F(CommitCountTest, WhatAnotherGatewayHasNoticedAndAnEarlierEpochAreLosses) {
    count.begin(7, 40);
    EXPECT_EQ(sql_state(commit("UPDATE epoch SET lost_by = 'box-2'")), state::commits_are_lost);
    count.begin(8, 40);
    EXPECT_EQ(sql_state(commit("UPDATE epoch SET lost_by = ''")), state::commits_are_lost);
    EXPECT_EQ(sql_state(commit("DELETE FROM epoch")), state::commits_are_lost);
    EXPECT_EQ(made(), "40");
}

TEST_F(CommitCountTest, ALaterEpochEndsTheCountUntilItBeginsAnew) {
    count.begin(7, 40);
    EXPECT_EQ(sql_state(commit("UPDATE epoch SET number = 8")), state::epoch_is_over);
    EXPECT_EQ(count.state(), CommitCount::State::over);
    count.begin(8, 40);
    EXPECT_FALSE(commit());
    EXPECT_EQ(count.state(), CommitCount::State::whole);
}

// The restore holds the table of the counts while it begins the epoch.
TEST_F(CommitCountTest, OneThatWaitedForARestoreSeesItsEpoch) {
    count.begin(7, 40);
    auto wanted = options();
    wanted.count = &count;
    const auto one = session(wanted);
    // It goes on once somebody waits for it.
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

// What copy-journal leaves behind, met by a gateway that stood still until then.
TEST_F(CommitCountTest, AJournalThatWasMovedAwayIsNamedAndIsNoHealthyOne) {
    count.begin(7, 40);
    cluster.sql("ALTER TABLE commits ADD CONSTRAINT moved CHECK (made < 0) NOT VALID");
    auto wanted = options();
    wanted.count = &count;
    const auto one = session(wanted);
    EXPECT_EQ(sql_state(run(write(*one, "SELECT 1")).error()), state::moved_away);
    EXPECT_FALSE(one->healthy());
    EXPECT_EQ(sql_state(one->stats().failure), state::moved_away);
}

}  // namespace
}  // namespace gateway::postgres::test
