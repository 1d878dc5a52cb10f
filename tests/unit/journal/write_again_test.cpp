#include "journal/write_again.hpp"

#include "journal/sqlite.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace gateway::test {
namespace {

// SQLite's default VFS, with the writes and flushes of write-ahead logs counted, or failing.
struct Counted {
    std::int64_t written = 0;
    int flushed_after = 0;  // flushes with every byte written before
    bool write_fails = false;
    bool flush_fails = false;
} counted;

sqlite3_io_methods methods;
const sqlite3_io_methods* below = nullptr;

int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
    if (counted.write_fails) return SQLITE_IOERR_WRITE;
    counted.written += size;
    return below->xWrite(file, data, size, at);
}
int flush(sqlite3_file* file, int flags) {
    if (counted.flush_fails) return SQLITE_IOERR_FSYNC;
    ++counted.flushed_after;
    return below->xSync(file, flags);
}
int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
    auto* const standard = sqlite3_vfs_find(nullptr);
    const int code = standard->xOpen(standard, name, file, flags, out);
    if (code != SQLITE_OK) return code;
    below = file->pMethods;
    methods = *below;
    methods.xWrite = &write;
    methods.xSync = &flush;
    file->pMethods = &methods;
    return code;
}

class WriteAgain : public testing::Test {
  protected:
    WriteAgain() : path(folder.path("journal.db")), vfs(*sqlite3_vfs_find(nullptr)) {
        counted = {};
        vfs.zName = "counting";
        vfs.xOpen = &open;
        vfs.pNext = nullptr;
        EXPECT_EQ(sqlite3_vfs_register(&vfs, 0), SQLITE_OK);
    }
    ~WriteAgain() override { sqlite3_vfs_unregister(&vfs); }

    // Leaves a log behind, as a process that was killed does.
    void leave_a_log() {
        auto connection = *sqlite::Connection::open(path, nullptr);
        ASSERT_TRUE(
            connection.run("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(200000))"));
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
    sqlite3_vfs vfs;
};

TEST_F(WriteAgain, WritesEveryByteOfTheLogOverItselfAndThenFlushes) {
    leave_a_log();
    const auto before = log();
    ASSERT_GT(before.size(), 200'000U);
    ASSERT_TRUE(write_log_again(path, "counting").has_value());
    EXPECT_EQ(counted.written, static_cast<std::int64_t>(before.size()));
    EXPECT_EQ(counted.flushed_after, 1);
    EXPECT_TRUE(log() == before);
    auto connection = *sqlite::Connection::open(path, nullptr);
    EXPECT_EQ(connection.number("SELECT count(*) FROM t").value(), 1);
}

TEST_F(WriteAgain, DoesNothingWithoutALog) {
    ASSERT_TRUE(write_log_again(path, "counting").has_value());
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_EQ(counted.written, 0);
}

TEST_F(WriteAgain, SaysThatTheDiskFails) {
    leave_a_log();
    counted.write_fails = true;
    EXPECT_TRUE(write_log_again(path, "counting").has_error());
    counted.write_fails = false;
    counted.flush_fails = true;
    EXPECT_TRUE(write_log_again(path, "counting").has_error());
    EXPECT_EQ(counted.flushed_after, 0);
}

TEST_F(WriteAgain, KnowsNoDoorOfAnotherName) {
    EXPECT_TRUE(write_log_again(path, "there is none").has_error());
}

}  // namespace
}  // namespace gateway::test
