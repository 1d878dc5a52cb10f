#include "journal/gathering_vfs.hpp"

#include "journal/sqlite.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace gateway::test {
namespace {

class GatheringVfs : public testing::Test {
  protected:
    GatheringVfs() : path(folder.path("journal.db")) {
        connection = *sqlite::Connection::open(path, gathering_vfs(CountingVfs::name));
        run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t(n INTEGER PRIMARY KEY, x)");
        counted = {};
    }

    void run(const char* sql) { ASSERT_TRUE(connection.run(sql).has_value()) << connection.message(); }
    // As somebody else finds it who opens the file while it is in use.
    std::int64_t found(const char* sql) const {
        auto other = *sqlite::Connection::open_to_read(path);
        return other.number(sql).value();
    }
    // As it is found after the process was killed now.
    std::int64_t found_after_a_kill(const char* sql) const {
        const auto left = folder.path("left.db");
        for (const auto* end : {"", "-wal"})
            std::filesystem::copy_file(path + end, left + end, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::remove(left + "-shm");
        auto other = *sqlite::Connection::open(left, nullptr);
        EXPECT_EQ(other.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'").value(), 1);
        return other.number(sql).value();
    }

    const CountingVfs vfs;
    CountedWrites& counted = CountingVfs::counted;
    const TemporaryFolder folder;
    const std::string path;
    sqlite::Connection connection;
};

constexpr const char* insert_ten_pages =
    "BEGIN; INSERT INTO t(x) VALUES(zeroblob(20000)); INSERT INTO t(x) VALUES(zeroblob(20000)); COMMIT";

TEST_F(GatheringVfs, ACommitIsOneWriteAndOneFlush) {
    for (int commits = 1; commits <= 3; ++commits) {
        run(insert_ten_pages);
        EXPECT_EQ(counted.writes, commits);
        EXPECT_EQ(counted.flushes, commits);
        EXPECT_GT(counted.written, commits * 40'000);
    }
}

TEST_F(GatheringVfs, WhatIsCommittedIsThereForEverybodyAndAfterAKill) {
    for (int commits = 1; commits <= 3; ++commits) {
        run(insert_ten_pages);
        EXPECT_EQ(found("SELECT count(*) FROM t"), 2 * commits);
        EXPECT_EQ(found_after_a_kill("SELECT sum(length(x)) FROM t"), 40'000 * commits);
    }
}

TEST_F(GatheringVfs, ACommitThatCannotBeWrittenOrFlushedFailsAndLeavesNothing) {
    run(insert_ten_pages);
    for (bool CountedWrites::*trouble : {&CountedWrites::write_fails, &CountedWrites::flush_fails}) {
        counted.*trouble = true;
        EXPECT_TRUE(connection.run("INSERT INTO t(x) VALUES(zeroblob(90000))").has_error());
        EXPECT_FALSE(connection.in_transaction());
        EXPECT_EQ(found("SELECT count(*) FROM t"), 2);
        EXPECT_EQ(connection.number("SELECT count(*) FROM t").value(), 2);
        counted.*trouble = false;
    }
    // What was gathered for them is gone: this is one write again, of this alone.
    counted = {};
    run("INSERT INTO t(x) VALUES('a')");
    EXPECT_EQ(counted.writes, 1);
    EXPECT_LT(counted.written, 20'000);
    EXPECT_EQ(found_after_a_kill("SELECT count(*) FROM t"), 3);
}

TEST_F(GatheringVfs, AnEndlessCommitTakesFewWritesAndBoundedMemory) {
    run("INSERT INTO t(x) VALUES(zeroblob(10000000))");
    EXPECT_GT(counted.writes, 10'000'000 / 65'536);
    EXPECT_LT(counted.writes, 200);
    EXPECT_EQ(found_after_a_kill("SELECT sum(length(x)) FROM t"), 10'000'000);
}

// A cache that is too small has SQLite write pages before the commit, read them back, and write some of them again
// where they are.
TEST_F(GatheringVfs, ATransactionLargerThanTheCacheReadsBackWhatItWrote) {
    run("PRAGMA cache_size = 10");
    run("BEGIN");
    for (int i = 0; i < 300; ++i)
        run("INSERT INTO t(x) VALUES(hex(randomblob(4000)))");
    run("UPDATE t SET x = n || x; UPDATE t SET x = x || n WHERE n % 7 = 0");
    const auto length = connection.number("SELECT sum(length(x)) FROM t").value();
    EXPECT_EQ(found("SELECT count(*) FROM t"), 0);
    run("COMMIT");
    EXPECT_GT(counted.writes, 2);
    EXPECT_EQ(found("SELECT sum(length(x)) FROM t"), length);
    EXPECT_EQ(found_after_a_kill("SELECT sum(length(x)) FROM t"), length);
}

TEST_F(GatheringVfs, NothingIsLeftOfALargeTransactionThatIsRolledBack) {
    run("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 0");
    run("PRAGMA wal_checkpoint(TRUNCATE)");  // or the rollback reads the log, and has it written first
    run("BEGIN; INSERT INTO t(x) VALUES(zeroblob(2000000)); ROLLBACK");
    drop_gathered(connection);
    // Where it would have gone.
    auto other = *sqlite::Connection::open(path, nullptr);
    ASSERT_TRUE(other.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t(x) VALUES(zeroblob(3000000))").has_value());
    run(insert_ten_pages);
    EXPECT_EQ(found("SELECT count(*) FROM t"), 3);
    EXPECT_EQ(found_after_a_kill("SELECT sum(length(x)) FROM t"), 3'040'000);
}

TEST_F(GatheringVfs, WhatTheLogHeldIsInTheDatabaseAfterACheckpoint) {
    run(insert_ten_pages);
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    EXPECT_EQ(std::filesystem::file_size(path + "-wal"), 0U);
    run(insert_ten_pages);
    EXPECT_EQ(found_after_a_kill("SELECT count(*) FROM t"), 4);
}

TEST_F(GatheringVfs, HasOneNameForEachVfsBelow) {
    EXPECT_STREQ(gathering_vfs(CountingVfs::name), gathering_vfs(CountingVfs::name));
    EXPECT_STRNE(gathering_vfs(CountingVfs::name), gathering_vfs(nullptr));
    EXPECT_EQ(gathering_vfs("there is none"), nullptr);
}

}  // namespace
}  // namespace gateway::test
