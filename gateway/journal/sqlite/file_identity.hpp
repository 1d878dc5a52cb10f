// Which file a journal is: what stays as it is through every write, rename and link, through VACUUM, a remount, and the
// move of its disk to another machine, and differs in every copy that is made of it.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gateway {

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

}  // namespace gateway
