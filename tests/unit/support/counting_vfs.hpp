// Registers SQLite's default VFS under the name "counting". It counts the writes and flushes of write-ahead logs, or
// lets them fail.
#pragma once

#include "journal/sqlite/database.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gateway::test {

struct CountedWrites {
    int writes = 0;
    std::int64_t written = 0;  // bytes
    int flushes = 0;           // those that succeeded
    bool write_fails = false;
    bool flush_fails = false;
    int fails_in = 0;                    // the n-th write or flush from now on fails, and none after it; 0: none
    std::optional<std::int64_t> room{};  // the longest that a log may get, in bytes; nothing: there is no limit
    std::function<void()> before_frames_are_read{};  // is called once
    bool flush_skipped = false;                      // for long tests that need no durable disk
    // This is what the disk has of the log that was written last. As on Linux, a flush that fails forgets what it had
    // to write, although readers still see that.
    std::string on_disk;
};

// Only one object may exist at a time.
class CountingVfs {
  public:
    CountingVfs() {
        sqlite::set_up();
        vfs_ = *sqlite3_vfs_find(nullptr);
        vfs_.zName = name;
        vfs_.xOpen = &open;
        vfs_.pNext = nullptr;
        counted = {};
        unflushed_.clear();
        EXPECT_EQ(sqlite3_vfs_register(&vfs_, 0), SQLITE_OK);
    }
    CountingVfs(const CountingVfs&) = delete;
    CountingVfs& operator=(const CountingVfs&) = delete;
    ~CountingVfs() { sqlite3_vfs_unregister(&vfs_); }

    static constexpr const char* name = "counting";
    static inline CountedWrites counted;

  private:
    struct Piece {
        std::size_t at;
        std::string bytes;
    };
    static bool is_the_one_to_fail() { return counted.fails_in > 0 && --counted.fails_in == 0; }
    static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
        if (counted.write_fails || is_the_one_to_fail()) return SQLITE_IOERR_WRITE;
        if (counted.room && at + size > *counted.room) return SQLITE_FULL;
        unflushed_.push_back({static_cast<std::size_t>(at),
                              std::string(static_cast<const char*>(data), static_cast<std::size_t>(size))});
        ++counted.writes;
        counted.written += size;
        return below_->xWrite(file, data, size, at);
    }
    static int read(sqlite3_file* file, void* data, int size, sqlite3_int64 at) {
        if (at > 0 && counted.before_frames_are_read) std::exchange(counted.before_frames_are_read, {})();
        return below_->xRead(file, data, size, at);
    }
    static int flush(sqlite3_file* file, int flags) {
        const auto pieces = std::exchange(unflushed_, {});
        if (counted.flush_fails || is_the_one_to_fail()) return SQLITE_IOERR_FSYNC;
        for (const auto& piece : pieces) {
            counted.on_disk.resize(std::max(counted.on_disk.size(), piece.at + piece.bytes.size()));
            counted.on_disk.replace(piece.at, piece.bytes.size(), piece.bytes);
        }
        ++counted.flushes;
        if (counted.flush_skipped) return SQLITE_OK;
        return below_->xSync(file, flags);
    }
    static int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out) {
        auto* const standard = sqlite3_vfs_find(nullptr);
        const int code = standard->xOpen(standard, path, file, flags, out);
        if (code != SQLITE_OK || (flags & SQLITE_OPEN_WAL) == 0) return code;
        below_ = file->pMethods;
        methods_ = *below_;
        methods_.xRead = &read;
        methods_.xWrite = &write;
        methods_.xSync = &flush;
        file->pMethods = &methods_;
        return code;
    }

    static inline std::vector<Piece> unflushed_;
    static inline sqlite3_io_methods methods_;
    static inline const sqlite3_io_methods* below_ = nullptr;
    sqlite3_vfs vfs_{};
};

}  // namespace gateway::test
