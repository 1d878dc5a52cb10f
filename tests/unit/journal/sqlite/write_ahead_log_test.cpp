#include "journal/sqlite/write_ahead_log.hpp"

#include "journal/sqlite/log_gap.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/log_gap_in.hpp"
#include "unit/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gateway::test {
namespace {

constexpr std::int64_t log_bytes = 262'144;
constexpr std::size_t block_bytes = 4'096;
constexpr std::size_t frame_bytes = 4'096 + 24;

// Returns the offset of the first block in which the two differ; an offset behind the shorter one where they do not
// differ.
std::size_t unlike_block(std::string_view one, std::string_view other) {
    std::size_t at = 0;
    while (at < std::min(one.size(), other.size()) && one.substr(at, block_bytes) == other.substr(at, block_bytes))
        at += block_bytes;
    return at;
}

// Returns what SQLite reads of a database and its log after a power cut.
std::int64_t rows_found(const std::string& database, const std::string& log) {
    const TemporaryFolder left;
    const auto path = left.path("left.db");
    std::ofstream(path, std::ios::binary) << database;
    std::ofstream(path + "-wal", std::ios::binary) << log;
    auto opened = *sqlite::Database::open(path, nullptr);
    const auto rows = opened.number("SELECT count(hex(b)) FROM t");
    return rows.has_value() ? *rows : -1;
}

// Returns how many frames of the log, from the first one on, belong to its run.
std::size_t frames_in(const std::string& log) {
    wal::Header header{};
    std::copy_n(log.begin(), header.size(), header.begin());
    std::size_t frames = 0;
    for (auto at = header.size(); at + frame_bytes <= log.size() && wal::is_of(header, log.data() + at);)
        at += frame_bytes, ++frames;
    return frames;
}

class WriteAheadLog : public testing::Test {
  protected:
    // Makes a table whose rows have two index entries each.
    static void set_up(sqlite::Database& database) {
        const auto made = database.run(
            "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
            "CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, a TEXT, b TEXT);"
            "CREATE INDEX IF NOT EXISTS a_of_t ON t (a)");
        EXPECT_TRUE(made.has_value()) << database.message();
    }
    sqlite::Database opened() {
        auto database = *sqlite::Database::open(path, CountingVfs::name);
        set_up(database);
        return database;
    }
    sqlite::Database grown() {
        auto database = opened();
        EXPECT_TRUE(grow_log(database, log_bytes).has_value()) << database.message();
        return database;
    }
    // Inserts a row of this many bytes, which takes as many pages as it needs.
    static Result<void> insert(sqlite::Database& database, int bytes) {
        return database.run(
            fmt::format("INSERT INTO t (a, b) VALUES (hex(randomblob(16)), hex(randomblob({})))", bytes / 2).c_str());
    }
    // Leaves a log behind, as a process that was killed does.
    void leave_a_log() {
        {
            auto database = opened();
            ASSERT_TRUE(insert(database, 200'000).has_value());
            for (const auto* end : {"", "-wal"})
                std::filesystem::copy_file(path + end, folder.path("left.db") + end);
        }
        path = folder.path("left.db");
        counted = {};
    }
    std::string log() const { return contents_of(path + "-wal"); }

    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    const CountingVfs vfs;
    CountedWrites& counted = CountingVfs::counted;
};

// The commits have all lengths, from one page on.
TEST_F(WriteAheadLog, ACommitIsPaddedToItsSectorByDatabasesThatThisProgramWrites) {
    auto database = opened();
    for (int i = 0; i < 20; ++i) {
        const auto before = frames_in(log());
        ASSERT_TRUE(insert(database, 20 + 377 * i).has_value());
        const auto after = log();
        const auto frames = frames_in(after);
        ASSERT_GT(frames, before);
        const auto at = [&](std::size_t frame) { return after.data() + wal::header_bytes + frame * frame_bytes; };
        EXPECT_TRUE(wal::ends_commit(at(frames - 1)));
        EXPECT_TRUE(wal::ends_commit(at(frames - 2))) << "the last one of commit " << i << " is no padding";
        EXPECT_TRUE(std::equal(at(frames - 1), at(frames - 1) + 8, at(frames - 2))) << "it repeats the one before";
    }
}

TEST_F(WriteAheadLog, ABlockThatACommitSpoilsHasNothingOfTheOnesBefore) {
    const auto is_lost = [&](sqlite3* database) {
        bool lost = false;
        for (int i = 0; i < 60; ++i) {
            const auto before = log();
            const auto insert = fmt::format("INSERT INTO t (a) VALUES (hex(randomblob({})))", 10 + 19 * i);
            EXPECT_EQ(sqlite3_exec(database, insert.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
            auto after = log();
            const auto first = unlike_block(before, after);
            std::memset(&after[first], 0xff, after.size() - first);
            lost = lost || rows_found(contents_of(path), after) != i;
        }
        return lost;
    };
    auto database = opened();
    EXPECT_FALSE(is_lost(database.raw()));
    sqlite3* plain = nullptr;
    ASSERT_EQ(sqlite3_open_v2(path.c_str(), &plain, SQLITE_OPEN_READWRITE, CountingVfs::name), SQLITE_OK);
    ASSERT_TRUE(database.run("DELETE FROM t").has_value());
    EXPECT_TRUE(is_lost(plain)) << "without the padding it is seen";
    sqlite3_close(plain);
}

TEST_F(WriteAheadLog, HasItsWholeLengthFromTheStartAndStaysSo) {
    auto database = grown();
    const auto length = log().size();
    EXPECT_GE(length, static_cast<std::size_t>(log_bytes));
    EXPECT_FALSE(is_log_shorter(database, log_bytes));
    EXPECT_TRUE(is_log_shorter(database, 2 * log_bytes));
    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(insert(database, 700).has_value());
    EXPECT_EQ(log().size(), length);
    EXPECT_EQ(database.number("SELECT count(*) FROM sqlite_schema").value(), 2) << "nothing is left of the growing";
}

TEST_F(WriteAheadLog, ACommitIsFlushedOnceTheFirstOneToo) {
    auto database = grown();
    for (int i = 0; i < 20; ++i) {
        const auto before = counted.flushes;
        ASSERT_TRUE(insert(database, 700).has_value());
        EXPECT_EQ(counted.flushes, before + 1) << i;
    }
}

TEST_F(WriteAheadLog, ThatGrowsBehindCommitsKeepsThem) {
    auto database = opened();
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(insert(database, 700).has_value());
    ASSERT_TRUE(grow_log(database, log_bytes).has_value());
    EXPECT_EQ(rows_found(contents_of(path), log()), 3);
    EXPECT_EQ(rows_found(contents_of(path), counted.on_disk), 3);
    ASSERT_TRUE(insert(database, 700).has_value());
    EXPECT_EQ(rows_found(contents_of(path), counted.on_disk), 4);
}

TEST_F(WriteAheadLog, ForWhichThereIsNoRoomLeavesTheJournalUsable) {
    auto database = opened();
    counted.room = 100'000;
    EXPECT_TRUE(grow_log(database, log_bytes).has_error());
    EXPECT_FALSE(database.in_transaction());
    EXPECT_TRUE(insert(database, 700).has_value());
    counted.room.reset();
    EXPECT_TRUE(grow_log(database, log_bytes).has_value());
    EXPECT_EQ(database.number("SELECT count(*) FROM t").value(), 1);
}

TEST_F(WriteAheadLog, IsWrittenAgainByteForByteOrOnlyFlushedOrOnlyLookedAt) {
    leave_a_log();
    const auto before = log();
    ASSERT_GT(before.size(), 200'000U);
    EXPECT_FALSE(look_at_log(path, CountingVfs::name)->has_gap);
    EXPECT_EQ(counted.writes + counted.flushes, 0);
    ASSERT_TRUE(flush_log(path, CountingVfs::name).has_value());
    EXPECT_EQ(counted.writes, 0);
    EXPECT_EQ(counted.flushes, 1);
    ASSERT_TRUE(write_log_again(path, CountingVfs::name).has_value());
    EXPECT_EQ(counted.written, static_cast<std::int64_t>(before.size()));
    EXPECT_EQ(counted.flushes, 2);
    EXPECT_TRUE(log() == before);
    auto database = *sqlite::Database::open(path, nullptr);
    EXPECT_EQ(database.number("SELECT count(*) FROM t").value(), 1);
}

TEST_F(WriteAheadLog, ThatWasLongerOnceKeepsTheRest) {
    leave_a_log();
    const auto found = log();
    std::ofstream(path + "-wal", std::ios::binary | std::ios::app) << std::string(300'000, 'x');
    ASSERT_TRUE(write_log_again(path, CountingVfs::name).has_value());
    EXPECT_EQ(counted.written, static_cast<std::int64_t>(found.size()));
    EXPECT_EQ(counted.flushes, 1);
}

TEST_F(WriteAheadLog, InWhichSQLiteFindsNothingIsFlushed) {
    leave_a_log();
    for (const auto size : {0, 8, 4'000}) {
        std::ofstream(path + "-wal", std::ios::binary) << std::string(static_cast<std::size_t>(size), 'x');
        ASSERT_TRUE(write_log_again(path, CountingVfs::name).has_value()) << size;
    }
    EXPECT_EQ(counted.written, 32) << "the header of the longest";
    EXPECT_EQ(counted.flushes, 2) << "one without a byte is none";
}

TEST_F(WriteAheadLog, ThatIsNotThereStaysSo) {
    ASSERT_TRUE(write_log_again(path, CountingVfs::name).has_value());
    ASSERT_TRUE(flush_log(path, CountingVfs::name).has_value());
    EXPECT_FALSE(look_at_log(path, CountingVfs::name)->has_gap);
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_EQ(counted.written, 0);
}

TEST_F(WriteAheadLog, SaysWhetherItsLastCommitLacksItsPadding) {
    const auto is_exposed = [&] { return look_at_log(path, nullptr)->exposes_last_commit; };
    auto database = opened();
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(insert(database, 20 + 377 * i).has_value());
        EXPECT_FALSE(is_exposed()) << i;
    }
    // This is also true for commits of the single page that the padding before them repeats.
    for (int i = 0; i < 4; ++i) {
        const auto whole = log();
        const auto end = wal::header_bytes + frames_in(whole) * frame_bytes;
        auto cut = whole;
        std::fill(cut.begin() + static_cast<std::ptrdiff_t>(end / block_bytes * block_bytes), cut.end(), '\0');
        std::ofstream(path + "-wal", std::ios::binary | std::ios::in) << cut;
        EXPECT_TRUE(is_exposed()) << "what is written after the flush is lost by a power cut, " << i;
        std::ofstream(path + "-wal", std::ios::binary | std::ios::in) << whole;
        ASSERT_TRUE(database.run(fmt::format("PRAGMA user_version = {}", i + 1).c_str()).has_value());
        EXPECT_FALSE(is_exposed()) << i;
    }
    sqlite3* plain = nullptr;
    ASSERT_EQ(sqlite3_open_v2(path.c_str(), &plain, SQLITE_OPEN_READWRITE, CountingVfs::name), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(plain, "INSERT INTO t (a) VALUES ('x')", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_TRUE(is_exposed()) << "another program pads nothing";
    sqlite3_close(plain);
}

// Linux loses the pages where the flush of the database fails, and shows them to every reader until then.
TEST_F(WriteAheadLog, IsMovedAgainWhereTheDatabaseMayHaveLostPages) {
    for (const bool again : {false, true}) {
        path = folder.path(again ? "again.db" : "once.db");
        auto database = opened();
        ASSERT_TRUE(database.run("PRAGMA wal_checkpoint(TRUNCATE)").has_value());
        const auto on_disk = contents_of(path);
        ASSERT_TRUE(insert(database, 50'000).has_value());
        auto reader = *sqlite::Database::open_to_read(path);
        ASSERT_TRUE(reader.run("BEGIN; SELECT count(*) FROM t").has_value());
        ASSERT_TRUE(insert(database, 50'000).has_value());
        ASSERT_TRUE(database.run("PRAGMA wal_checkpoint(PASSIVE)").has_value());
        ASSERT_TRUE(reader.run("COMMIT").has_value());
        std::filesystem::resize_file(path, on_disk.size());
        std::ofstream(path, std::ios::binary | std::ios::in) << on_disk;
        ASSERT_TRUE(!again || move_log_again(database));
        ASSERT_TRUE(database.run("PRAGMA wal_checkpoint(TRUNCATE)").has_value());
        EXPECT_EQ(rows_found(contents_of(path), ""), again ? 2 : -1);
    }
}

TEST_F(WriteAheadLog, IsAnotherOneWhereAnotherProgramBeginsItAnewDuringTheLook) {
    auto database = opened();
    ASSERT_TRUE(insert(database, 20'000).has_value());
    const auto noted = base_of_log(database).value();
    EXPECT_EQ(base_of_log(database, noted.log), std::nullopt) << "it is the noted one";
    ASSERT_TRUE(insert(database, 20'000).has_value());
    ASSERT_TRUE(database.run("PRAGMA wal_checkpoint(PASSIVE)").has_value());
    EXPECT_TRUE(does_log_fit(path, CountingVfs::name, noted).value()) << "its first page was moved";
    counted.before_frames_are_read = [&] {
        auto other = *sqlite::Database::open(path, nullptr);
        EXPECT_TRUE(insert(other, 200'000).has_value());
    };
    EXPECT_TRUE(does_log_fit(path, CountingVfs::name, noted).value());
    EXPECT_NE(base_of_log(database).value().log, noted.log) << "it has begun the log anew";
}

TEST_F(WriteAheadLog, OfADiskThatFailsIsAnError) {
    leave_a_log();
    counted.write_fails = true;
    EXPECT_TRUE(write_log_again(path, CountingVfs::name).has_error());
    counted.write_fails = false;
    counted.flush_fails = true;
    EXPECT_TRUE(sqlite::is_failed_flush(write_log_again(path, CountingVfs::name).error()));
    EXPECT_TRUE(sqlite::is_failed_flush(flush_log(path, CountingVfs::name).error()));
    EXPECT_EQ(counted.flushes, 0);
}

TEST_F(WriteAheadLog, BehindADoorOfAnotherNameIsAnError) {
    EXPECT_TRUE(write_log_again(path, "there is none").has_error());
}

// Commits in a log that then loses blocks on the disk.
class LogGapTest : public WriteAheadLog {
  protected:
    LogGapTest() {
        EXPECT_TRUE(grow_log(database, 1'048'576).has_value());
        for (int i = 0; i < 30; ++i)
            EXPECT_TRUE(insert(300));
    }

    bool insert(int bytes) {
        return database.run(fmt::format("INSERT INTO t (a) VALUES (hex(randomblob({})))", bytes / 2).c_str())
            .has_value();
    }
    // Returns the offsets of the blocks that have the next commit.
    std::vector<std::size_t> blocks_of_next_commit() {
        const auto before = log();
        EXPECT_TRUE(insert(2'000));
        const auto after = log();
        std::vector<std::size_t> spoilt;
        for (std::size_t at = 0; at < after.size(); at += block_bytes)
            if (before.compare(at, block_bytes, after, at, block_bytes) != 0) spoilt.push_back(at);
        return spoilt;
    }
    static std::string without(std::string log, std::size_t at) {
        return log.replace(at, block_bytes, std::string(block_bytes, '\0'));
    }

    sqlite::Database database = opened();
};

TEST_F(LogGapTest, IsFoundWhicheverBlockIsMissingBeforeTwoCommits) {
    const auto last_but_one = blocks_of_next_commit();
    const auto last = blocks_of_next_commit();
    ASSERT_GE(last_but_one.size(), 2U) << "commits of several blocks";
    const auto whole = log();
    EXPECT_FALSE(has_gap(whole));
    EXPECT_FALSE(has_gap(without(whole, 0))) << "without its beginning there is no log";
    for (std::size_t at = block_bytes; at < last_but_one.front(); at += block_bytes)
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
    const auto at = 3 * block_bytes;
    EXPECT_TRUE(has_gap(std::string(again).replace(at, block_bytes, whole, at, block_bytes)));
}

TEST_F(LogGapTest, IsNotFoundInWhatAPowerCutLeavesOfACommit) {
    const auto before = log();
    const auto spoilt = blocks_of_next_commit();
    const auto after = log();
    ASSERT_GE(spoilt.size(), 2U);
    for (std::size_t kept = 0; kept < std::size_t{1} << spoilt.size(); ++kept) {
        auto left = before;
        for (std::size_t i = 0; i < spoilt.size(); ++i)
            if ((kept >> i & 1U) != 0) left.replace(spoilt[i], block_bytes, after, spoilt[i], block_bytes);
        EXPECT_FALSE(has_gap(left)) << kept;
    }
}

TEST_F(LogGapTest, IsNotFoundInALogThatEndsAnywhere) {
    const auto whole = log();
    for (std::size_t end = 0; end < whole.size(); end += 389)
        ASSERT_FALSE(has_gap(whole.substr(0, end))) << end;
}

// The commits have all lengths, so that the rest of a longer one stays behind a shorter one. What a failed flush has
// lost is written again before the next commit that is done, as the engine does it.
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
    EXPECT_TRUE(has_gap(without(log(), 3 * block_bytes)));
}

TEST_F(LogGapTest, IsFoundInALogOfAnotherOrderOfBytes) {
    // A machine with the other byte order writes the same frames, but its checksums add the numbers in its own order.
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
    EXPECT_TRUE(has_gap(without(other, 3 * block_bytes)));
}

}  // namespace
}  // namespace gateway::test
