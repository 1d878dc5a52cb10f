#include "journal/sqlite/lock_holder.hpp"

#include "journal/sqlite/named_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace gateway {
namespace {

// Stands for a process that cannot be determined: it is in a container of its own, or gone.
constexpr int nobody_known = -1;

// This is a range of bytes of a file that SQLite locks. The bytes hold nothing, and an exclusive lock on them is in the
// way of others (https://sqlite.org/walformat.html#wal_locks, https://sqlite.org/fileformat.html#the_lock_byte_page).
struct LockedBytes {
    const char* ending;  // the end of the file's name, after the journal's name
    off_t start;
    off_t length;
};
constexpr LockedBytes whole_file{"", 0x40000000, 2 + 510};  // a shared lock of everybody who has it open with a log
constexpr LockedBytes locks[] = {
    {"-shm", 120, 1},  // the writer
    {"-shm", 122, 1},  // the process that rebuilds the index of the log
    whole_file,        // a process that has the whole file to itself
};
constexpr LockedBytes readers{"-shm", 123, 5};  // shared locks of those that read

// Returns the name of a process, with any bytes; empty where the system does not tell it.
std::string name_of(int process) {
    std::string name;
    std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
    std::ranges::replace_if(
        name, [](char c) { return c < ' ' || c > '~'; }, '?');
    return name;
}

class AnotherProgram final : public boost::system::error_category {
  public:
    // `does` says what the program does, `to_do` what the operator is asked to do.
    constexpr AnotherProgram(const char* does, const char* to_do) noexcept : does_(does), to_do_(to_do) {}
    const char* name() const noexcept override { return "journal lock"; }
    // `process` is the error's value: the id of the process.
    std::string message(int process) const override {
        std::string who;
        if (process != nobody_known) {
            const auto name = name_of(process);
            who = fmt::format(" ({}{}process {})", name, name.empty() ? "" : ", ", process);
        }
        return fmt::format("another program {}{}: {}", does_, who, to_do_);
    }

  private:
    const char* does_;
    const char* to_do_;
};

const AnotherProgram has_it_locked("has the journal locked", "let it finish, or close it");
const AnotherProgram reads_it(
    "reads the journal",
    "let it finish, or close it; until then the journal's log grows with every sale, and fills the disk");
const AnotherProgram has_it_open(
    "has the journal open, and the journal has several names (hard links)",
    "end it, or remove the other names, for each has a log of its own, and two logs destroy the journal");

// Returns the process whose lock on these bytes is in the way of a lock of this type; nothing where there is none, or
// where it is this process. The kernel returns 0 where the process is outside of the container.
std::optional<int> holder_of(int descriptor, const LockedBytes& bytes, short type) {
    if (descriptor < 0) return std::nullopt;
    struct flock asked {};
    asked.l_type = type;
    asked.l_whence = SEEK_SET;
    asked.l_start = bytes.start;
    asked.l_len = bytes.length;
    if (::fcntl(descriptor, F_GETLK, &asked) != 0 || asked.l_type == F_UNLCK) return std::nullopt;
    return asked.l_pid > 0 ? asked.l_pid : nobody_known;
}

std::optional<int> holder_of(const std::string& journal, const LockedBytes& bytes, short type) {
    return holder_of(descriptor_of(journal + bytes.ending), bytes, type);
}

}  // namespace

boost::system::error_code locked_by_another(const std::string& journal) {
    int holder = nobody_known;
    for (const auto& bytes : locks)  // an exclusive lock is in the way of a shared one, which is asked about
        if (holder == nobody_known) holder = holder_of(journal, bytes, F_RDLCK).value_or(nobody_known);
    return {holder, has_it_locked};
}

std::optional<boost::system::error_code> read_by_another(const std::string& journal) {
    const auto holder = holder_of(journal, readers, F_WRLCK);
    if (!holder) return std::nullopt;
    return boost::system::error_code(*holder, reads_it);
}

std::optional<boost::system::error_code> open_by_another_name(const std::string& journal) {
    struct stat file {};
    if (::stat(journal.c_str(), &file) != 0 || file.st_nlink < 2) return std::nullopt;
    const int descriptor = ::open(journal.c_str(), O_RDWR | O_CLOEXEC);
    const auto holder = holder_of(descriptor, whole_file, F_WRLCK);
    if (descriptor >= 0) ::close(descriptor);
    if (!holder) return std::nullopt;
    return boost::system::error_code(*holder, has_it_open);
}

}  // namespace gateway
