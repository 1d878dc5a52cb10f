// Tells the journal that a gateway left behind from a copy of it that has taken its place by hand: by cp, by sqlite3's
// .restore, by a snapshot. Such a copy does not know what became of the sales that it holds open, and a gateway that
// went on with them might confirm what a terminal was told is not sold.
//
// It is told by which file it is (FileIdentity), and, since a file may be written over, by the sale that was
// recorded last: the lock file beside the journal notes it (file_lock.hpp), and a history is only ever appended to. A
// disk that has lost what it had flushed leaves such a journal too, and its write-ahead log says so (log_gap.hpp).
// What cannot be told from the journal is its copy together with the whole disk: an image of a virtual machine, a
// snapshot that takes the lock file along.
#pragma once

#include "base/clock.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/sqlite/placing.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway {

// Which file a journal is: what stays as it is through every write, rename and link, through VACUUM, a remount, and the
// move of its disk to another machine, and differs in every copy that is made of it.
struct FileIdentity {
    // When the file was made, in nanoseconds since 1970; nothing where its file system does not keep that.
    std::optional<std::int64_t> made_at;
    std::int64_t inode = 0;
    std::int64_t file_system = 0;  // its f_fsid

    // The system's error where there is no such file.
    static Result<FileIdentity> of(const std::string& path);

    bool operator==(const FileIdentity&) const = default;
};

// Whether both are of one file. Where it is known of both when they were made, that alone decides: ext4, XFS, btrfs,
// ZFS, tmpfs and an overlay keep it to the nanosecond, while an overlay, FAT and FUSE may number a file anew at every
// mount, and XFS the file system itself. Elsewhere it is the number of the file and of its file system.
bool are_same(const FileIdentity& one, const FileIdentity& other) noexcept;

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
Explained<Recognition> recognise(sqlite::Database& journal, const std::string& path, FileLock& lock, bool lost_commits,
                                 WallTime now);

// The same look alone, which changes nothing. At what is taken for a copy, the log too stays as it is when `journal`
// ends, for the gateway's own look.
Explained<Recognition> look_for_copy(sqlite::Database& journal, const std::string& path, const FileLock& lock);

// Does to a copy what restore() does to one, in one transaction: leaves its open sales to the provider's word
// (after_restore.hpp), takes copy-journal's mark away, and has it remember which file it is, or nothing, where it is
// about to be put into another place. How many sales a person is asked to look at; the database says why it fails.
Result<std::int64_t> prepare_copy(sqlite::Database& journal, WallTime now, const std::optional<FileIdentity>& is);

}  // namespace gateway
