#include "journal/sqlite/file_user.hpp"

#include "base/check.hpp"
#include "journal/sqlite/named_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace gateway {
namespace {

namespace fs = std::filesystem;

FileUser user_of_thread() {
    constexpr auto as_it_is = static_cast<uid_t>(-1);  // sets nothing; the call returns the present value
    FileUser user{.user = static_cast<uid_t>(::setfsuid(as_it_is)), .group = static_cast<gid_t>(::setfsgid(as_it_is))};
    user.groups.resize(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
    const int count = ::getgroups(static_cast<int>(user.groups.size()), user.groups.data());
    user.groups.resize(static_cast<std::size_t>(std::max(count, 0)));
    std::ranges::sort(user.groups);
    return user;
}

// Returns false where the system refuses.
bool become(const FileUser& user) {
#ifdef SYS_setgroups32
    constexpr long set_groups = SYS_setgroups32;
#else
    constexpr long set_groups = SYS_setgroups;
#endif
    if (user_of_thread() == user) return true;
    // The C library's setgroups() would change all threads.
    if (::syscall(set_groups, user.groups.size(), user.groups.data()) != 0) return false;
    ::setfsgid(user.group);
    ::setfsuid(user.user);
    return user_of_thread() == user;
}

struct Account {
    std::string name;
    gid_t group = 0;
};

std::optional<Account> account_of(uid_t user) {
    struct passwd entry {};
    struct passwd* found = nullptr;
    std::array<char, 16'384> text{};
    if (::getpwuid_r(user, &entry, text.data(), text.size(), &found) != 0 || found == nullptr) return std::nullopt;
    return Account{.name = entry.pw_name, .group = entry.pw_gid};
}

FileUser user_of(uid_t number, const Account& account) {
    FileUser user{.user = number, .group = account.group};
    int count = 0;
    (void)::getgrouplist(account.name.c_str(), user.group, nullptr, &count);
    user.groups.resize(static_cast<std::size_t>(std::max(count, 0)));
    if (::getgrouplist(account.name.c_str(), user.group, user.groups.data(), &count) < 0) count = 0;
    user.groups.resize(static_cast<std::size_t>(count));
    std::ranges::sort(user.groups);
    return user;
}

// Returns the owner with the groups that it has after signing in; for an owner that the machine does not know, the
// folder's group.
FileUser owner_of(const struct stat& folder) {
    const auto account = account_of(folder.st_uid);
    return account ? user_of(folder.st_uid, *account) : FileUser{.user = folder.st_uid, .group = folder.st_gid};
}

// Finds the first folder or link on the path that does not belong to root; returns nothing where there is none.
Explained<std::optional<struct stat>> first_of_another(const std::string& file) {
    constexpr int most_links = 40;  // as many as the system allows
    std::vector<fs::path> rest;     // the parts of the path that are left; the next one is the last
    const auto go = [&](const fs::path& way) {
        for (auto part = way.end(); part != way.begin();)
            rest.push_back(*--part);
    };
    std::error_code failed;
    go(fs::absolute(file, failed));
    fs::path at;
    std::optional<uid_t> top;
    for (int links = 0; !failed && !rest.empty();) {
        const auto next = at / rest.back();  // a part "/" leads to the root folder, wherever it stands
        rest.pop_back();
        struct stat found {};
        if (::lstat(next.c_str(), &found) != 0) {
            if (errno == ENOENT || errno == ENOTDIR) return std::optional<struct stat>();
            failed = {errno, std::generic_category()};
            break;
        }
        // In a container that does not know the machine's root, the owner of the root folder takes its place.
        if (!top) top = found.st_uid;
        if (!S_ISDIR(found.st_mode) && !S_ISLNK(found.st_mode)) return std::optional<struct stat>();
        if (found.st_uid != 0 && found.st_uid != *top) return std::optional(found);
        if (S_ISDIR(found.st_mode)) {
            at = next;
        } else if (++links > most_links) {
            failed = {ELOOP, std::generic_category()};
        } else {
            go(fs::read_symlink(next, failed));
        }
    }
    if (failed) return fmt::format("{} cannot be found: {}", file, failed.message());
    return std::optional<struct stat>();
}

}  // namespace

Explained<FileUser> user_for(const std::string& file) {
    if (::geteuid() != 0) return FileUser{};
    static const auto of_process = user_of_thread();
    const auto found = first_of_another(file);
    if (found.has_error()) return found.error();
    if (!*found) return of_process;
    const auto owner = owner_of(**found);
    const auto name = name_of(owner);
    const auto before = user_of_thread();
    if (!become(owner)) {
        CHECK(become(before));
        return fmt::format("{} is in a folder of the user {}, and the system does not let root act as that user", file,
                           name);
    }
    const bool hidden = ::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES;
    CHECK(become(before));
    if (hidden)
        return fmt::format(
            "{0} is in a folder of the user {1}, where root acts as that user, who may not reach or read it. Where "
            "root made it: chown {1} {0}",
            file, name);
    return owner;
}

std::optional<FileUser> user_named(const std::string& name) {
    struct passwd entry {};
    struct passwd* found = nullptr;
    std::array<char, 16'384> text{};
    if (::getpwnam_r(name.c_str(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr)
        return std::nullopt;
    return user_of(entry.pw_uid, {.name = name, .group = entry.pw_gid});
}

std::string name_of(const FileUser& user) {
    const auto account = account_of(user.user);
    return account ? account->name : std::to_string(user.user);
}

ActingAs::ActingAs(const FileUser& user) {
    if (::geteuid() != 0) return;
    before_ = user_of_thread();
    CHECK(become(user));
}

ActingAs::~ActingAs() {
    if (before_) CHECK(become(*before_));
}

Explained<void> flush_folder_of(const std::string& file) {
    const auto parent = fs::path(file).parent_path();
    const auto folder = parent.empty() ? std::string(".") : parent.string();
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool flushed = descriptor >= 0 && ::fsync(descriptor) == 0;
    const auto why = system_error().message();
    if (descriptor >= 0) ::close(descriptor);
    if (!flushed) return fmt::format("the folder {} cannot be flushed to the disk: {}", folder, why);
    return {};
}

}  // namespace gateway
