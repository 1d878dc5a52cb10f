// A layer between SQLite and the disk, which writes the journal's write-ahead log as a small disk takes it best. What
// is in the log is as SQLite makes it: any other program reads and writes the journal beside this one.
//
// - The log has its whole length before the first sale. A flush of a file that grew writes the file system's books as
//   well: on ext4 that is twice as many flushes and bytes.
// - A commit begins in a block in which no earlier one has a byte. Else the block that two commits share is written
//   twice, and a power cut during the second writing can take from the first what was promised.
// - What a commit writes reaches the system in one call, right before its flush.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/histogram.hpp"
#include "journal/sqlite.hpp"

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace gateway {

class LogVfs {
  public:
    // Of what is written at once: of flash cards, SSDs, and what file systems are made of.
    static constexpr int block_bytes = 4'096;

    // `under` is the VFS that has the files; nullptr: SQLite's default. The clock must outlive this, and this every
    // database that was opened by its name().
    LogVfs(const char* under, const Clock& clock);
    LogVfs(const LogVfs&) = delete;
    LogVfs& operator=(const LogVfs&) = delete;
    ~LogVfs();

    // Of one journal alone: no two of them have the same.
    const char* name() const noexcept { return name_.c_str(); }

    // Makes the log of this database so long, unless it is longer already, and writes its header: SQLite flushes that
    // by itself, and else the first sale would wait for it. SQLite's error where the disk does not take it: then the
    // log is as long as it was, and grows as it is used.
    static Result<void> make_log(sqlite::Database& database, std::int64_t bytes);

    // How long the disk takes to flush a block: one near the end of a log that was laid out is written over itself a
    // few times, of which this is the middle one. The database is in a write transaction that has written nothing.
    static Result<std::chrono::nanoseconds> try_flush(sqlite::Database& database);
    // How long the flushes of the log took, each of them. May be called on any thread.
    Histogram flush_times() const;

  private:
    struct LogFile;
    static LogFile& of(sqlite3_file* file);
    static sqlite3_file* log_of(sqlite::Database& database);
    static Result<void> map_index(sqlite::Database& database, std::int64_t bytes);
    static Result<void> lay_out(sqlite::Database& database, std::int64_t bytes);
    static int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags);
    static int open_log(LogVfs& self, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags);

    const Clock& clock_;
    sqlite3_vfs& under_;
    const std::string name_;
    sqlite3_vfs vfs_;
    sqlite3_io_methods database_methods_{};
    static const sqlite3_io_methods log_methods;

    mutable std::mutex mutex_;
    Histogram flush_times_{Histogram::of_a_disk};
};

}  // namespace gateway
