#include "journal/lock_holder.hpp"

#include "journal/named_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
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
