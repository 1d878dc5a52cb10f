#include "journal/log_vfs.hpp"

#include "unit/support/counting_vfs.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gateway::test {
namespace {

constexpr std::int64_t log_bytes = 262'144;

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

// What SQLite reads of a database and its log that a power cut left so.
std::int64_t rows_found(const std::string& database, const std::string& log) {
    const TemporaryFolder left;
    const auto path = left.path("left.db");
    put(path, database);
    put(path + "-wal", log);
    auto opened = *sqlite::Database::open(path, nullptr);
    const auto rows = opened.number("SELECT count(*) FROM t");
    return rows.has_value() ? *rows : -1;
}

class LogVfsTest : public testing::Test {
  protected:
    LogVfsTest() : path(folder.path("journal.db")) {}

    // Through the layer, with a table of rows of two index entries each.
    sqlite::Database opened(const char* vfs) {
        auto database = *sqlite::Database::open(path, vfs);
        const auto made = database.run(
            "PRAGMA page_size = 512; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL;"
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, a TEXT, b TEXT);"
            "CREATE INDEX IF NOT EXISTS a_of_t ON t (a)");
        EXPECT_TRUE(made.has_value()) << database.message();
        return database;
    }
    sqlite::Database opened() {
        auto database = opened(layer.name());
        EXPECT_TRUE(LogVfs::make_log(database, log_bytes).has_value()) << database.message();
        return database;
    }
    // A row that takes so many bytes, and so more pages.
    static Result<void> insert(sqlite::Database& database, int bytes) {
        return database.run(
            fmt::format("INSERT INTO t (a, b) VALUES (hex(randomblob(16)), hex(randomblob({})))", bytes / 2).c_str());
    }
    std::string log() const { return content(path + "-wal"); }

    const CountingVfs counting;
    CountedWrites& counted = CountingVfs::counted;
    boost::asio::io_context io;
    VirtualClock clock{io};
    TemporaryFolder folder;
    std::string path;
    LogVfs layer{CountingVfs::name, clock};
};

TEST_F(LogVfsTest, TheLogHasItsWholeLengthFromTheStartAndStaysSo) {
    auto database = opened();
    EXPECT_EQ(log().size(), static_cast<std::size_t>(log_bytes));
    for (int i = 0; i < 20; ++i)
        ASSERT_TRUE(insert(database, 700).has_value());
    EXPECT_EQ(log().size(), static_cast<std::size_t>(log_bytes));
}

TEST_F(LogVfsTest, ALogThatIsLongerStaysAsItIs) {
    auto database = opened(layer.name());
    ASSERT_TRUE(insert(database, 300'000).has_value());
    const auto before = log();
    ASSERT_GT(before.size(), static_cast<std::size_t>(log_bytes));
    ASSERT_TRUE(LogVfs::make_log(database, log_bytes).has_value());
    EXPECT_TRUE(log().starts_with(before.substr(0, before.size() - LogVfs::block_bytes)));
    EXPECT_EQ(rows_found(content(path), log()), 1);
}

TEST_F(LogVfsTest, ACommitIsFlushedOnceTheFirstOneToo) {
    auto database = opened();
    for (int i = 0; i < 20; ++i) {
        const auto before = counted.flushes;
        ASSERT_TRUE(insert(database, 700).has_value());
        EXPECT_EQ(counted.flushes, before + 1) << i;
    }
}

TEST_F(LogVfsTest, ACommitReachesTheSystemInOneWriteAndTheRestOfItsLastFrame) {
    auto database = opened();
    for (int i = 0; i < 20; ++i) {
        const auto before = counted.writes;
        ASSERT_TRUE(insert(database, 700).has_value());
        EXPECT_LE(counted.writes, before + 3) << i;  // of a frame's two parts, the rest is a part and a half
    }
}

// Commits of all lengths: whatever is left of a frame in the next block.
TEST_F(LogVfsTest, ABlockThatACommitSpoilsHasNothingOfTheOnesBefore) {
    auto database = opened();
    for (int i = 0; i < 60; ++i) {
        const auto before = log();
        ASSERT_TRUE(insert(database, 20 + 37 * i).has_value());
        auto after = log();
        const auto [unlike, also] = std::ranges::mismatch(before, after);
        ASSERT_NE(also, after.end());
        const auto first = also - after.begin();
        std::fill(after.begin() + first / LogVfs::block_bytes * LogVfs::block_bytes, after.end(), '\xff');
        ASSERT_EQ(rows_found(content(path), after), i) << "with the block of commit " << i << " spoilt";
    }
}

TEST_F(LogVfsTest, WithoutTheLayerACommitSharesABlockWithTheOneBefore) {
    auto database = opened(CountingVfs::name);
    bool lost = false;
    for (int i = 0; i < 20; ++i) {
        const auto before = log();
        ASSERT_TRUE(insert(database, 20 + 37 * i).has_value());
        auto after = log();
        const auto first = static_cast<std::ptrdiff_t>(before.size());
        std::fill(after.begin() + first / LogVfs::block_bytes * LogVfs::block_bytes, after.end(), '\xff');
        lost = lost || rows_found(content(path), after) != i;
    }
    EXPECT_TRUE(lost) << "the test above would see it";
}

TEST_F(LogVfsTest, AnotherProgramReadsEveryCommitAsSoonAsItHasReturned) {
    auto database = opened();
    auto other = *sqlite::Database::open_to_read(path);
    for (int i = 1; i <= 100; ++i) {
        ASSERT_TRUE(insert(database, 20 + 37 * i).has_value());
        ASSERT_EQ(other.number("SELECT count(*) FROM t").value(), i);
        ASSERT_EQ(other.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'").value(), 1)
            << i;
    }
}

TEST_F(LogVfsTest, ACommitAfterOneThatTheDiskRefusedIsAsGoodAsAnyOther) {
    auto database = opened();
    int kept = 0;
    for (int i = 0; i < 120; ++i) {
        counted.fails_in = i % 3 == 2 ? 1 + i % 5 : 0;
        const bool done = insert(database, 20 + 37 * i).has_value();
        counted.fails_in = 0;
        if (done) ++kept;
        ASSERT_EQ(database.number("SELECT count(*) FROM t").value(), kept) << i;
        // What could not be flushed is in the file until the next commit is written over it.
        if (done) {
            ASSERT_EQ(rows_found(content(path), log()), kept) << i;
        }
    }
    EXPECT_LT(kept, 120);
    EXPECT_GE(kept, 80);
}

TEST_F(LogVfsTest, ALogForWhichThereIsNoRoomLeavesTheJournalUsable) {
    auto database = opened(layer.name());
    counted.write_fails = true;
    const auto before = log().size();
    EXPECT_TRUE(LogVfs::make_log(database, log_bytes).has_error());
    EXPECT_EQ(log().size(), before);
    counted.write_fails = false;
    EXPECT_FALSE(database.in_transaction());
    EXPECT_TRUE(insert(database, 700).has_value());
    EXPECT_EQ(database.number("SELECT count(*) FROM t").value(), 1);
}

// By the next start, that is: SQLite takes from the log whatever is whole in it.
TEST_F(LogVfsTest, ACommitThatFailedForWantOfRoomIsNotFoundDone) {
    auto database = opened();
    const auto room = static_cast<int>(log_bytes / 100);
    counted.room = log_bytes;
    int kept = 0;
    for (bool failed = false; !failed;) {
        failed = insert(database, 100 + 53 * (kept % 40)).has_error();
        if (!failed) ++kept;
        ASSERT_LT(kept, room);
        ASSERT_EQ(rows_found(content(path), log()), kept);
    }
    counted.room.reset();
    EXPECT_TRUE(insert(database, 100).has_value());
    EXPECT_EQ(rows_found(content(path), log()), kept + 1);
}

TEST_F(LogVfsTest, WhatIsKnownIsReadWhereNothingCanBeWritten) {
    auto database = opened();
    ASSERT_TRUE(insert(database, 700).has_value());
    counted.write_fails = true;
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(insert(database, 700).has_error());
        ASSERT_TRUE(database.run("PRAGMA shrink_memory").has_value());  // so that pages are read from the log
        EXPECT_EQ(database.number("SELECT count(*) FROM t").value(), 1);
        EXPECT_EQ(database.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'").value(),
                  1);
    }
    counted.write_fails = false;
    EXPECT_TRUE(insert(database, 700).has_value());
    EXPECT_EQ(rows_found(content(path), log()), 2);
}

TEST_F(LogVfsTest, CountsTheFlushesOfCommitsAndHowLongTheyTook) {
    auto database = opened();
    const auto before = layer.flush_times().count();
    ASSERT_TRUE(insert(database, 700).has_value());
    ASSERT_TRUE(insert(database, 700).has_value());
    EXPECT_EQ(layer.flush_times().count(), before + 2);
    counted.flush_fails = true;
    EXPECT_TRUE(insert(database, 700).has_error());
    EXPECT_EQ(layer.flush_times().count(), before + 2) << "one that failed";
}

TEST_F(LogVfsTest, TryingTheDiskFlushesItAndChangesNothing) {
    auto database = opened();
    ASSERT_TRUE(insert(database, 700).has_value());
    const auto before = log();
    const auto flushes = counted.flushes;
    ASSERT_TRUE(database.run("BEGIN IMMEDIATE").has_value());
    EXPECT_TRUE(LogVfs::try_flush(database).has_value());
    ASSERT_TRUE(database.run("ROLLBACK").has_value());
    EXPECT_EQ(counted.flushes, flushes + 3);
    EXPECT_EQ(log(), before);
    counted.flush_fails = true;
    ASSERT_TRUE(database.run("BEGIN IMMEDIATE").has_value());
    EXPECT_TRUE(LogVfs::try_flush(database).has_error());
}

TEST_F(LogVfsTest, WhatAFlushThatFailedHasForgottenIsMissingFromNoLaterCommit) {
    auto database = opened();
    int kept = 0;
    for (int i = 0; i < 90; ++i) {
        counted.flush_fails = i % 3 == 1;
        const bool done = insert(database, 20 + 37 * i).has_value();
        counted.flush_fails = false;
        ASSERT_EQ(done, i % 3 != 1);
        if (done) ++kept;
        ASSERT_EQ(rows_found(content(path), counted.on_disk), kept) << i;
    }
}

}  // namespace
}  // namespace gateway::test
