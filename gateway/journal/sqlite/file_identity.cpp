#include "journal/sqlite/file_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <bit>
#include <cerrno>

namespace gateway {

Result<FileIdentity> FileIdentity::of(const std::string& path) {
    struct statx file {};
    struct statfs system {};
    if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &file) != 0 || ::statfs(path.c_str(), &system) != 0)
        return boost::system::error_code(errno, boost::system::system_category());
    FileIdentity identity{.made_at = {},
                          .inode = static_cast<std::int64_t>(file.stx_ino),
                          .file_system = std::bit_cast<std::int64_t>(system.f_fsid)};
    constexpr std::int64_t nanoseconds_in_a_second = 1'000'000'000;
    if ((file.stx_mask & STATX_BTIME) != 0)
        identity.made_at = file.stx_btime.tv_sec * nanoseconds_in_a_second + file.stx_btime.tv_nsec;
    return identity;
}

bool are_same(const FileIdentity& one, const FileIdentity& other) noexcept {
    if (one.made_at && other.made_at) return one.made_at == other.made_at;
    return one.inode == other.inode && one.file_system == other.file_system;
}

}  // namespace gateway
