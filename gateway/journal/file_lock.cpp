#include "journal/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace gateway {

namespace {

boost::system::error_code system_error() {
    return {errno, boost::system::system_category()};
}

Result<void> take_from_others(int descriptor) {
    constexpr mode_t of_others = S_IRWXG | S_IRWXO;
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return system_error();
    if ((status.st_mode & of_others) != 0 && ::fchmod(descriptor, S_IRUSR | S_IWUSR) != 0) return system_error();
    return {};
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& path) {
    FileLock lock;
    lock.descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock.descriptor_ < 0) return system_error();
    if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return errc::journal_in_use;
        return system_error();
    }
    return lock;
}

Result<void> FileLock::make_private(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return system_error();
    auto taken_away = take_from_others(descriptor);
    ::close(descriptor);
    return taken_away;
}

FileLock::~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace gateway
