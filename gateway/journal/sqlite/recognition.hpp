// Distinguishes the journal that a gateway left behind from a copy that was put in its place by hand: by cp, by
// sqlite3's .restore, by a snapshot. Such a copy does not know what became of the sales that are open in it. A gateway
// that went on with them might confirm a sale although the terminal was told that it is not sold.
//
// A copy is recognised by which file it is (FileIdentity) and, since a file may be overwritten, by the sale that was
// recorded last: the lock file beside the journal notes that sale (file_lock.hpp), and a history is only ever appended
// to. A disk that has lost flushed data leaves such a journal, too, and its write-ahead log shows it (log_gap.hpp). A
// copy of the whole disk cannot be recognised: an image of a virtual machine, or a snapshot that includes the lock
// file.
#pragma once

#include "base/clock.hpp"
#include "journal/sqlite/database.hpp"
#include "journal/sqlite/file_lock.hpp"
#include "journal/sqlite/file_user.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// Says which file a journal is. It stays the same through every write, rename and link, through VACUUM, a remount, and
// the move of its disk to another machine. It is different in every copy of the journal.
struct FileIdentity {
    // when the file was made, in nanoseconds since 1970; nothing where its file system does not keep that
    std::optional<std::int64_t> made_at;
    std::int64_t inode = 0;
    std::int64_t file_system = 0;  // its f_fsid

    // Fails with the system's error where there is no such file.
    static Result<FileIdentity> of(const std::string& path);

    bool operator==(const FileIdentity&) const = default;
};

// Tells whether both identities are of one file. Where both know when the file was made, that alone decides: ext4, XFS,
// btrfs, ZFS, tmpfs and overlay keep that time to the nanosecond, whereas overlay, FAT and FUSE may number a file anew
// at every mount, and XFS may number the file system anew. Elsewhere the numbers of the file and of its file system
// decide.
bool are_same(const FileIdentity& one, const FileIdentity& other) noexcept;

struct Recognition {
    std::int64_t unsure = 0;           // sales whose end the copy does not know; each is marked for a person
    std::optional<WallTime> newest{};  // when the newest sale in it was begun; nothing: it has none
    std::string why_a_copy;            // in words; empty: it is not taken for a copy
};

// Tells whether the journal is taken for a copy, and prepares a copy as restore() does (backup.hpp), in one
// transaction. Without any sign it is not taken for one: a journal of a version that remembered nothing is trusted, and
// so is one without its lock file. From now on the journal remembers which file it is.
//
// The journal has the schema of this program, no gateway runs on it, and its file is flushed, because a copy may have
// been written without a flush. `is` is nothing where the system does not know the file: only `lock`, which is held,
// and the log tell a copy then. `lost_commits` says that its disk has lost flushed data. The error says in words why
// the journal cannot be prepared; it is then unchanged.
Explained<Recognition> recognise(sqlite::Database& journal, const std::optional<FileIdentity>& is, FileLock& lock,
                                 bool lost_commits, WallTime now);

// Fails in words where the log belongs to another file than the one that is in the journal's place, as `lock` notes:
// SQLite would make a journal of the pages of both. So this comes before anything else reads the two. A log of an
// earlier boot of the machine is trusted; `boot` is the present one. `vfs` is as in JournalOptions.
Explained<void> check_log(const std::string& path, const char* vfs, const FileLock& lock, std::string_view boot);

// Does only the look of recognise(), and changes nothing. Where it finds a copy, it also leaves the log as it is when
// `journal` is closed, for the gateway's own look.
Explained<Recognition> look_for_copy(sqlite::Database& journal, const std::string& path, const FileLock& lock);

// Prepares a copy as restore() does, in one transaction: leaves the status of its open sales to the provider
// (after_restore.hpp), removes the mark of copy-journal, and makes it remember which file it is; `is` is nothing where
// the file will be moved to another place. Returns how many sales a person is asked to look at. After an error,
// Database::message() says why.
Result<std::int64_t> prepare_copy(sqlite::Database& journal, WallTime now, const std::optional<FileIdentity>& is);

}  // namespace gateway
