// Works on the journal's write-ahead log besides SQLite: before a start builds on it, after a flush that failed, and
// where it is too short. Nothing here stands between a commit and the disk.
//
// Two things make that necessary. Where an fsync fails, Linux forgets that the pages were to be written, and goes on
// showing them to every reader: a later fsync succeeds and writes nothing of them. A process that takes such a log for
// durable builds on commits that the next power cut takes away, together with all that follow them. And SQLite writes
// the end of a commit's padding after the flush (see sqlite::Database::open): where that finds no room, SQLite calls a
// commit failed that the next start would find done.
#pragma once

#include "base/error.hpp"
#include "journal/sqlite/database.hpp"

#include <cstdint>
#include <string>

namespace gateway {

// `path` is sqlite::full_path()'s, and `vfs` is as in JournalOptions. Each function fails with SQLite's error where the
// log cannot be read, written or flushed, and does nothing where there is no log.

// Says how a run has left the log (log_gap.hpp). What is built on a log with a gap overwrites what tells of the gap.
struct LogLook {
    bool has_gap = false;              // the disk has lost what it had flushed
    bool exposes_last_commit = false;  // what is written next shares a block with the last commit
};
Result<LogLook> look_at_log(const std::string& path, const char* vfs);
bool is_log_there(const std::string& path, const char* vfs);
Result<void> flush_log(const std::string& path, const char* vfs);
// Writes what SQLite finds in the log over itself, byte for byte, and flushes it. No other program may write meanwhile:
// the caller has begun a transaction that writes. It takes no more of the disk.
Result<void> write_log_again(const std::string& path, const char* vfs);

// Says whether the log of this database is shorter than so many bytes.
bool is_log_shorter(sqlite::Database& database, std::int64_t bytes);
// Makes the log of this database, which is in no transaction, at least so many bytes long, and flushes its length. It
// does that by a transaction that writes so many frames and is rolled back, and a commit that changes nothing. Fails
// with SQLite's error where the disk has no room: then the log grows as it is used.
Result<void> grow_log(sqlite::Database& database, std::int64_t bytes);
// Has the disk keep room for the index of the log, which SQLite's processes share as memory. Without it, on a file
// system whose blocks are smaller than a page of memory, a process that uses more of the index on a full disk is ended
// by SIGBUS. Does nothing where the index is no file, or the file system cannot do it.
void reserve_index(sqlite::Database& database);
// Flushes the database itself: what a checkpoint has moved there so far.
Result<void> flush_database(sqlite::Database& database);
// Is called after a flush that failed: it may have been of the database, and what a checkpoint had moved there before
// may be lost with it, although SQLite would not move it again. Afterwards all of the log counts as not moved. Returns
// false where another program is moving pages now.
bool move_log_again(sqlite::Database& database);
// Writes a page as it is, in the transaction that the caller has begun.
Result<void> change_nothing(sqlite::Database& database);

// Has the next commit begin in an empty log: what stands in the log is moved into the database. Fails with SQLite's
// error where that cannot be: another program reads the log meanwhile, or there is no room for it.
Result<void> begin_log_anew(sqlite::Database& database);

}  // namespace gateway
