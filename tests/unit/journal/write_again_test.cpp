#include "journal/write_again.hpp"

#include "journal/sqlite.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace gateway::test {
namespace {

class WriteAgain : public testing::Test {
  protected:
    WriteAgain() : path(folder.path("journal.db")) {}

    // Leaves a log behind, as a process that was killed does.
    void leave_a_log() {
        auto database = *sqlite::Database::open(path, nullptr);
        ASSERT_TRUE(
            database.run("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(200000))"));
        for (const auto* end : {"", "-wal"})
            std::filesystem::copy_file(path + end, folder.path("left.db") + end);
        path = folder.path("left.db");
    }
    std::string log() const {
        std::ifstream file(path + "-wal", std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    TemporaryFolder folder;
    std::string path;
    const CountingVfs vfs;
    CountedWrites& counted = CountingVfs::counted;
};

TEST_F(WriteAgain, WritesEveryByteOfTheLogOverItselfAndThenFlushes) {
    leave_a_log();
    const auto before = log();
    ASSERT_GT(before.size(), 200'000U);
    ASSERT_TRUE(write_log_again(path, CountingVfs::name).has_value());
    EXPECT_EQ(counted.written, static_cast<std::int64_t>(before.size()));
    EXPECT_EQ(counted.flushes, 1);
    EXPECT_TRUE(log() == before);
    auto database = *sqlite::Database::open(path, nullptr);
    EXPECT_EQ(database.number("SELECT count(*) FROM t").value(), 1);
}

TEST_F(WriteAgain, LeavesTheRestOfALogThatWasLongerOnceAlone) {
    leave_a_log();
    const auto found = log();
    std::ofstream(path + "-wal", std::ios::binary | std::ios::app) << std::string(300'000, 'x');
    ASSERT_TRUE(write_log_again(path, CountingVfs::name).has_value());
    EXPECT_EQ(counted.written, static_cast<std::int64_t>(found.size()));
    EXPECT_EQ(counted.flushes, 1);
}

TEST_F(WriteAgain, FlushesALogInWhichSQLiteFindsNothing) {
    leave_a_log();
    for (const auto size : {0, 8, 4'000}) {
        std::ofstream(path + "-wal", std::ios::binary) << std::string(static_cast<std::size_t>(size), 'x');
        ASSERT_TRUE(write_log_again(path, CountingVfs::name).has_value()) << size;
    }
    EXPECT_EQ(counted.written, 32) << "the header of the longest";
}

TEST_F(WriteAgain, DoesNothingWithoutALog) {
    ASSERT_TRUE(write_log_again(path, CountingVfs::name).has_value());
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_EQ(counted.written, 0);
}

TEST_F(WriteAgain, ALookAloneWritesNothing) {
    leave_a_log();
    const auto before = log();
    ASSERT_TRUE(look_at_log(path, CountingVfs::name).has_value());
    EXPECT_FALSE(look_at_log(path, CountingVfs::name)->has_gap);
    EXPECT_EQ(counted.writes + counted.flushes, 0);
    EXPECT_TRUE(log() == before);
}

TEST_F(WriteAgain, SaysThatTheDiskFails) {
    leave_a_log();
    counted.write_fails = true;
    EXPECT_TRUE(write_log_again(path, CountingVfs::name).has_error());
    counted.write_fails = false;
    counted.flush_fails = true;
    EXPECT_TRUE(write_log_again(path, CountingVfs::name).has_error());
    EXPECT_EQ(counted.flushes, 0);
}

TEST_F(WriteAgain, KnowsNoDoorOfAnotherName) {
    EXPECT_TRUE(write_log_again(path, "there is none").has_error());
}

}  // namespace
}  // namespace gateway::test
