#include "journal/named_file.hpp"

#include <sys/stat.h>

#include <cerrno>

namespace gateway {

Result<NamedFile> NamedFile::at(std::string path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return boost::system::error_code(errno, boost::system::system_category());
    return NamedFile(std::move(path), status.st_dev, status.st_ino);
}

Result<NamedFile> NamedFile::opened_as(std::string path, int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return boost::system::error_code(errno, boost::system::system_category());
    return NamedFile(std::move(path), status.st_dev, status.st_ino);
}

bool NamedFile::has_name() const noexcept {
    struct stat status {};
    return ::stat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == number_;
}

}  // namespace gateway
