#include "journal/placing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace gateway {
namespace {

namespace fs = std::filesystem;

std::string system_words() {
    return std::generic_category().message(errno);
}

}  // namespace

boost::system::result<void, std::string> hand_over(const std::string& file, const std::string& journal) {
    if (::geteuid() != 0) return {};
    const auto parent = fs::path(journal).parent_path();
    struct stat folder {};
    if (::stat(parent.empty() ? "." : parent.c_str(), &folder) != 0 ||
        ::chown(file.c_str(), folder.st_uid, folder.st_gid) != 0)
        return fmt::format("{} cannot be given to the owner of its folder: {}", file, system_words());
    return {};
}

boost::system::result<void, std::string> flush_folder_of(const std::string& file) {
    const auto parent = fs::path(file).parent_path();
    const auto folder = parent.empty() ? std::string(".") : parent.string();
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool flushed = descriptor >= 0 && ::fsync(descriptor) == 0;
    const auto why = system_words();
    if (descriptor >= 0) ::close(descriptor);
    if (!flushed) return fmt::format("the folder {} cannot be flushed to the disk: {}", folder, why);
    return {};
}

}  // namespace gateway
