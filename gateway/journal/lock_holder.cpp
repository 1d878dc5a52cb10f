#include "journal/lock_holder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace gateway {
namespace {

// Of a process that cannot be told: in a container of its own, or gone.
constexpr int nobody_known = -1;

// Where SQLite's locks are, which stand in the way of others when they are exclusive: on bytes of its files that hold
// nothing (https://sqlite.org/walformat.html#wal_locks, https://sqlite.org/fileformat.html#the_lock_byte_page).
struct LockedBytes {
    const char* ending;  // of the file's name, after the journal's
    off_t start;
    off_t length;
};
constexpr LockedBytes locks[] = {
    {"-shm", 120, 1},           // the writer
    {"-shm", 122, 1},           // the one that makes the index of the log anew
    {"", 0x40000000, 2 + 510},  // one that has the whole file to itself
};

// The name of a process; empty where the system does not tell it. Any program may have any bytes for a name.
std::string name_of(int process) {
    std::string name;
    std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
    std::ranges::replace_if(
        name, [](char c) { return c < ' ' || c > '~'; }, '?');
    return name;
}

class LockedByAnother final : public boost::system::error_category {
  public:
    const char* name() const noexcept override { return "journal lock"; }
    // The value is the process.
    std::string message(int process) const override {
        std::string who;
        if (process != nobody_known) {
            const auto name = name_of(process);
            who = fmt::format(" ({}{}process {})", name, name.empty() ? "" : ", ", process);
        }
        return fmt::format("another program has the journal locked{}: let it finish, or close it", who);
    }
};

const LockedByAnother& locked_by_another_category() noexcept {
    static const LockedByAnother category;
    return category;
}

// The descriptor that SQLite has the file open by; -1 where it has none. One of our own would not do: closing it lets
// go of every lock that this process has on the file.
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

// The process that has an exclusive lock on these bytes. The kernel says none where it is this one, and 0 where the
// process is outside of the container.
int holder_of(const std::string& journal, const LockedBytes& bytes) {
    const int descriptor = descriptor_of(journal + bytes.ending);
    if (descriptor < 0) return nobody_known;
    struct flock asked {};
    asked.l_type = F_RDLCK;  // which only an exclusive lock is in the way of
    asked.l_whence = SEEK_SET;
    asked.l_start = bytes.start;
    asked.l_len = bytes.length;
    if (::fcntl(descriptor, F_GETLK, &asked) != 0 || asked.l_type == F_UNLCK || asked.l_pid <= 0) return nobody_known;
    return asked.l_pid;
}

}  // namespace

boost::system::error_code locked_by_another(const std::string& journal) {
    int holder = nobody_known;
    for (const auto& bytes : locks)
        if (holder == nobody_known) holder = holder_of(journal, bytes);
    return {holder, locked_by_another_category()};
}

}  // namespace gateway
