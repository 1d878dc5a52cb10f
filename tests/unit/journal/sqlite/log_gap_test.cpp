#include "journal/sqlite/log_gap.hpp"

#include "journal/sqlite/write_ahead_log.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/log_gap_in.hpp"
#include "unit/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gateway::test {
namespace {

constexpr std::size_t block = 4'096;
constexpr std::int64_t small_log_bytes = 1'048'576;

class LogGapTest : public testing::Test {
  protected:
    LogGapTest() : path(folder.path("journal.db")), database(*sqlite::Database::open(path, CountingVfs::name)) {
        EXPECT_TRUE(
            database.run("PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL;"
                         "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (n INTEGER PRIMARY KEY, a TEXT);"
                         "CREATE INDEX a_of_t ON t (a)"));
        EXPECT_TRUE(grow_log(database, small_log_bytes).has_value());
        for (int i = 0; i < 30; ++i)
            EXPECT_TRUE(insert(300));
    }

    bool insert(int bytes) {
        return database.run(fmt::format("INSERT INTO t (a) VALUES (hex(randomblob({})))", bytes / 2).c_str())
            .has_value();
    }
    std::string log() const { return contents_of(path + "-wal"); }
    // Where the blocks begin in which the next commit is.
    std::vector<std::size_t> blocks_of_next_commit() {
        const auto before = log();
        EXPECT_TRUE(insert(2'000));
        const auto after = log();
        std::vector<std::size_t> spoilt;
        for (std::size_t at = 0; at < after.size(); at += block)
            if (before.compare(at, block, after, at, block) != 0) spoilt.push_back(at);
        return spoilt;
    }
    static std::string without(std::string log, std::size_t at) {
        return log.replace(at, block, std::string(block, '\0'));
    }

    const CountingVfs counting;
    CountedWrites& counted = CountingVfs::counted;
    const TemporaryFolder folder;
    std::string path;
    sqlite::Database database;
};

TEST_F(LogGapTest, IsFoundWhicheverBlockIsMissingBeforeTwoCommits) {
    const auto last_but_one = blocks_of_next_commit();
    const auto last = blocks_of_next_commit();
    ASSERT_GE(last_but_one.size(), 2U) << "commits of several blocks";
    const auto whole = log();
    EXPECT_FALSE(has_gap(whole));
    EXPECT_FALSE(has_gap(without(whole, 0))) << "without its beginning there is no log";
    for (std::size_t at = block; at < last_but_one.front(); at += block)
        EXPECT_TRUE(has_gap(without(whole, at))) << at;
    for (const auto at : last)
        EXPECT_FALSE(has_gap(without(whole, at))) << "it was not flushed, as far as the log says";
}

TEST_F(LogGapTest, IsFoundWhereABlockIsAsItWasBefore) {
    const auto whole = log();
    ASSERT_TRUE(database.run("PRAGMA wal_checkpoint(RESTART)"));
    for (int i = 0; i < 12; ++i)
        ASSERT_TRUE(insert(300));
    const auto again = log();
    EXPECT_FALSE(has_gap(again)) << "frames of the run before stand behind its end";
    const auto at = 3 * block;
    EXPECT_TRUE(has_gap(std::string(again).replace(at, block, whole, at, block)));
}

TEST_F(LogGapTest, IsNotFoundInWhatAPowerCutLeavesOfACommit) {
    const auto before = log();
    const auto spoilt = blocks_of_next_commit();
    const auto after = log();
    ASSERT_GE(spoilt.size(), 2U);
    for (std::size_t kept = 0; kept < std::size_t{1} << spoilt.size(); ++kept) {
        auto left = before;
        for (std::size_t i = 0; i < spoilt.size(); ++i)
            if ((kept >> i & 1U) != 0) left.replace(spoilt[i], block, after, spoilt[i], block);
        EXPECT_FALSE(has_gap(left)) << kept;
    }
}

TEST_F(LogGapTest, IsNotFoundInALogThatEndsAnywhere) {
    const auto whole = log();
    for (std::size_t end = 0; end < whole.size(); end += 389)
        ASSERT_FALSE(has_gap(whole.substr(0, end))) << end;
}

// They have all lengths, so that something of a longer one is left behind a shorter one. What the flush of a failed one
// has forgotten is written again before the next one that is done, as the writer does it.
TEST_F(LogGapTest, IsNotFoundAfterCommitsThatFailed) {
    for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(i % 3 != 0 || write_log_again(path, CountingVfs::name).has_value());
        counted.flush_fails = i % 3 != 0;
        EXPECT_EQ(insert(40 + 677 * i % 5'000), i % 3 == 0);
        counted.flush_fails = false;
        ASSERT_FALSE(has_gap(log())) << i;
        ASSERT_FALSE(has_gap(counted.on_disk)) << i;
    }
    EXPECT_TRUE(insert(300));
    EXPECT_TRUE(insert(300));
    EXPECT_TRUE(has_gap(without(log(), 3 * block)));
}

TEST_F(LogGapTest, IsFoundInALogOfAnotherOrderOfBytes) {
    // What a machine of the other kind writes: the same frames, whose checksums add up the numbers the other way round.
    auto other = log();
    const auto put = [&](std::size_t at, std::uint32_t number) {
        for (int i = 3; i >= 0; --i, number >>= 8U)
            other[at + static_cast<std::size_t>(i)] = static_cast<char>(number & 0xFFU);
    };
    std::array<std::uint32_t, 2> sum{};
    const auto add_up = [&](std::size_t at, std::size_t length) {
        for (const auto end = at + length; at < end; at += 8) {
            sum[0] += wal::number_at(&other[at]) + sum[1];
            sum[1] += wal::number_at(&other[at + 4]) + sum[0];
        }
    };
    ASSERT_EQ(wal::number_at(other.data()), 0x377f0682U);
    put(0, 0x377f0683U);
    add_up(0, 24);
    put(24, sum[0]);
    put(28, sum[1]);
    for (std::size_t at = 32; at + 4'120 <= other.size() && wal::number_at(&other[at]) != 0; at += 4'120) {
        add_up(at, 8);
        add_up(at + 24, 4'096);
        put(at + 16, sum[0]);
        put(at + 20, sum[1]);
    }
    EXPECT_FALSE(has_gap(other));
    EXPECT_TRUE(has_gap(without(other, 3 * block)));
}

}  // namespace
}  // namespace gateway::test
