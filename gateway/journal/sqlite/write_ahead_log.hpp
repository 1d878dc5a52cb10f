// Works on the journal's write-ahead log past SQLite: before a start builds on it, after a flush that failed, and where
// it is too short. Nothing here stands between a commit and the disk.
//
// Two things make this necessary. First, where an fsync fails, Linux forgets that the pages had to be written, but goes
// on showing them to every reader: a later fsync succeeds and writes none of them. A process that takes such a log for
// durable builds on commits that the next power cut removes, together with all that follow them. Second, SQLite writes
// the end of a commit's padding after the flush (see sqlite::Database::open()): where there is no room for it, SQLite
// reports a failed commit that the next start would take for done.
#pragma once

#include "base/error.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/file_lock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// `path` comes from sqlite::full_path(), and `vfs` is as in JournalOptions. Each function fails with SQLite's error
// where the log cannot be read, written or flushed, and does nothing where there is no log.

// Says how the last run has left the log (log_gap.hpp). New commits on a log with a gap overwrite the traces of the
// gap.
struct LogLook {
    bool has_gap = false;              // the disk has lost flushed data
    bool exposes_last_commit = false;  // what is written next shares a block with the last commit
};
Result<LogLook> look_at_log(const std::string& path, const char* vfs);
bool is_log_there(const std::string& path, const char* vfs);
Result<void> flush_log(const std::string& path, const char* vfs);
// Overwrites what SQLite finds in the log with the same bytes, and flushes it. No other program may write meanwhile, so
// the caller has begun a writing transaction. The log does not grow.
Result<void> write_log_again(const std::string& path, const char* vfs);

// Tells whether the log is another one than the noted one, or stands on this file of the database. A copy that was
// written over the file, with the log left beside it, begins in another way than the noted file, and no checkpoint has
// made it so: the log has no first page that begins in this way. After a power cut a checkpoint may have torn it.
Result<bool> does_log_fit(const std::string& path, const char* vfs, const LogBase& noted);
// Returns what is to be noted of the log of this database; nothing where there is none, or where `noted` names it.
std::optional<LogBase> base_of_log(sqlite::Database& database, std::string_view noted = {});

// Tells whether the log of this database is shorter than `bytes`.
bool is_log_shorter(sqlite::Database& database, std::int64_t bytes);
// Makes the log of this database at least `bytes` long, and flushes its length. The database must be in no transaction.
// The function rolls back a transaction that writes enough frames, and then makes a commit that changes nothing. Fails
// with SQLite's error where the disk has no room; the log then grows as it is used.
Result<void> grow_log(sqlite::Database& database, std::int64_t bytes);
// Makes the disk keep room for the index of the log, which SQLite's processes share as memory. Otherwise, on a file
// system whose blocks are smaller than a page of memory, SIGBUS would end a process that uses more of the index on a
// full disk. Does nothing where the index is no file, or where the file system does not support this.
void reserve_index(sqlite::Database& database);
// Flushes the database itself, with what checkpoints have moved into it so far.
Result<void> flush_database(sqlite::Database& database);
// Makes the whole log count as not moved, after a flush that failed. That flush may have been of the database, so that
// pages which a checkpoint had moved there are lost, and SQLite would not move them again. Returns false where another
// program is moving pages now.
bool move_log_again(sqlite::Database& database);
// Writes a page without changing it, in the transaction that the caller has begun.
Result<void> change_nothing(sqlite::Database& database);

// Moves the log into the database, so that the next commit begins in an empty log. Fails with SQLite's error where
// another program reads the log meanwhile, or where there is no room.
Result<void> begin_log_anew(sqlite::Database& database);

}  // namespace gateway
