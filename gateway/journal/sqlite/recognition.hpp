// Tells the journal that a gateway left behind from a copy of it that has taken its place by hand: by cp, by sqlite3's
// .restore, by a snapshot. Such a copy does not know what became of the sales that it holds open, and a gateway that
// went on with them might confirm what a terminal was told is not sold.
//
// It is told by which file it is (file_identity.hpp), and, since a file may be written over, by the sale that was
// recorded last: the lock file beside the journal notes it (file_lock.hpp), and a history is only ever appended to. A
// disk that has lost what it had flushed leaves such a journal too, and its write-ahead log says so (log_gap.hpp).
// What cannot be told from the journal is its copy together with the whole disk: an image of a virtual machine, a
// snapshot that takes the lock file along.
#pragma once

#include "base/clock.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/file_lock.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway {

struct Recognition {
    std::int64_t unsure = 0;           // sales whose end the copy does not know; each is marked for a person
    std::optional<WallTime> newest{};  // when the last sale that it knows was begun; nothing: it knows none
    std::string why_a_copy;            // in words; empty: it is not taken for one
};

// Whether the journal is taken for a copy. Where nothing says so it is not: what a version that remembered nothing has
// left is trusted, and so is a journal without its lock file. To a copy everything is done that restore() does to one
// (copy.hpp), in one transaction. Which file it is is remembered from now on.
// `path` is the full name of the journal, which has the schema of this program and which no gateway runs on; `lock` is
// held; `lost_commits`: its disk has lost what it had flushed. The error says in words why the journal cannot be
// prepared; it is as it was then.
boost::system::result<Recognition, std::string> recognise(sqlite::Database& journal, const std::string& path,
                                                          FileLock& lock, bool lost_commits, WallTime now);

// The same look alone, which changes nothing. At what is taken for a copy, the log too stays as it is when `journal`
// ends, for the gateway's own look.
boost::system::result<Recognition, std::string> look_for_copy(sqlite::Database& journal, const std::string& path,
                                                              const FileLock& lock);

// Has the journal remember that it is the file at `path`, which is about to be put into its own place.
boost::system::result<void, std::string> remember_file(sqlite::Database& journal, const std::string& path);

// Has the journal remember nothing: it is about to be put into another place on purpose.
Result<void> forget_identity(sqlite::Database& journal);

}  // namespace gateway
