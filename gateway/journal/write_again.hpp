// What an fsync that failed has left behind. Linux then forgets that the pages were to be written, and goes on showing
// them to every reader: a later fsync succeeds and writes nothing of them. A process that takes such a write-ahead log
// for durable builds on commits that the next power cut takes away, together with all that follow them.
#pragma once

#include "base/error.hpp"

#include <string>

namespace gateway {

// What an earlier run has left of the log.
struct LogLeft {
    bool has_gap = false;  // see log_gap.hpp: the disk has lost what it had flushed
};

// Writes what SQLite finds in the write-ahead log of the journal at `path` over itself, byte for byte, and flushes it,
// so that it is on the disk. Before anything is built on what SQLite found there, and while no other program can write:
// the caller has begun a transaction that has written nothing. `path` is sqlite::full_path()'s. Takes no more of the
// disk, and does nothing where there is no log. `vfs` as in JournalOptions. A gap is told, for what is built on
// the log overwrites what stands behind it. Fails with SQLite's error where the log cannot be read, written or flushed.
Result<LogLeft> write_log_again(const std::string& path, const char* vfs);
// The same look at the log alone, which writes nothing.
Result<LogLeft> look_at_log(const std::string& path, const char* vfs);

}  // namespace gateway
