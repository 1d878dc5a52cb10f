// Tells the journal that a gateway left behind from a copy of it that has taken its place by hand: by cp, by sqlite3's
// .restore, by a snapshot. Such a copy does not know what became of the sales that it holds open, and a gateway that
// went on with them might confirm what a terminal was told is not sold.
//
// A copy is known by which file it is (FileIdentity), and, since a file may be written over, by the sale that was
// recorded last: the lock file beside the journal notes it (file_lock.hpp), and a history is only ever appended to. A
// disk that has lost what it had flushed leaves such a journal too, and its write-ahead log says so (log_gap.hpp). What
// cannot be told from the journal is its copy together with the whole disk: an image of a virtual machine, a snapshot
// that takes the lock file along.
#pragma once

#include "base/clock.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/sqlite/file_user.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway {

// Says which file a journal is. It stays as it is through every write, rename and link, through VACUUM, a remount, and
// the move of its disk to another machine, and differs in every copy that is made of the journal.
struct FileIdentity {
    // The file was made then, in nanoseconds since 1970; nothing where its file system does not keep that.
    std::optional<std::int64_t> made_at;
    std::int64_t inode = 0;
    std::int64_t file_system = 0;  // its f_fsid

    // Fails with the system's error where there is no such file.
    static Result<FileIdentity> of(const std::string& path);

    bool operator==(const FileIdentity&) const = default;
};

// Tells whether both are of one file. Where it is known of both when they were made, that alone decides: ext4, XFS,
// btrfs, ZFS, tmpfs and an overlay keep it to the nanosecond, while an overlay, FAT and FUSE may number a file anew at
// every mount, and XFS the file system itself. Elsewhere the numbers of the file and of its file system decide.
bool are_same(const FileIdentity& one, const FileIdentity& other) noexcept;

struct Recognition {
    std::int64_t unsure = 0;           // sales whose end the copy does not know; each is marked for a person
    std::optional<WallTime> newest{};  // when the last sale that it knows was begun; nothing: it knows none
    std::string why_a_copy;            // in words; empty: it is not taken for one
};

// Tells whether the journal is taken for a copy. Where nothing says so it is not: what a version that remembered
// nothing has left is trusted, and so is a journal without its lock file. To a copy everything is done that restore()
// does to one (backup.hpp), in one transaction. From now on the journal remembers which file it is. `path` is the full
// name of the journal, which has the schema of this program and which no gateway runs on; `lock` is held;
// `lost_commits` says that its disk has lost what it had flushed. The error says in words why the journal cannot be
// prepared; it is then as it was.
Explained<Recognition> recognise(sqlite::Database& journal, const std::string& path, FileLock& lock, bool lost_commits,
                                 WallTime now);

// Takes the same look alone, and changes nothing. At what is taken for a copy, the log too stays as it is when
// `journal` ends, for the gateway's own look.
Explained<Recognition> look_for_copy(sqlite::Database& journal, const std::string& path, const FileLock& lock);

// Does to a copy what restore() does, in one transaction: leaves its open sales to the provider's word
// (after_restore.hpp), takes copy-journal's mark away, and has it remember which file it is, or nothing, where it will
// be put into another place. Returns how many sales a person is asked to look at; the database says why it fails.
Result<std::int64_t> prepare_copy(sqlite::Database& journal, WallTime now, const std::optional<FileIdentity>& is);

}  // namespace gateway
