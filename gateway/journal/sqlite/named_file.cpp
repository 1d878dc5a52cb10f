#include "journal/sqlite/named_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

namespace gateway {

boost::system::error_code system_error() noexcept {
    return {errno, boost::system::system_category()};
}

Result<NamedFile> NamedFile::at(std::string path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return system_error();
    return NamedFile(std::move(path), status.st_dev, status.st_ino);
}

Result<NamedFile> NamedFile::opened_as(std::string path, int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return system_error();
    return NamedFile(std::move(path), status.st_dev, status.st_ino);
}

bool NamedFile::has_name() const noexcept {
    struct stat status {};
    return ::stat(path_.c_str(), &status) == 0 && status.st_dev == device_ && status.st_ino == number_;
}

int descriptor_of(const std::string& path) {
    struct stat wanted {};
    if (::stat(path.c_str(), &wanted) != 0) return -1;
    std::error_code failed;
    for (std::filesystem::directory_iterator open("/proc/self/fd", failed), end; !failed && open != end;
         open.increment(failed)) {
        const auto text = open->path().filename().string();
        int descriptor = -1;
        (void)std::from_chars(text.data(), text.data() + text.size(), descriptor);
        struct stat status {};
        if (::fstat(descriptor, &status) == 0 && status.st_dev == wanted.st_dev && status.st_ino == wanted.st_ino)
            return descriptor;
    }
    return -1;
}

}  // namespace gateway
