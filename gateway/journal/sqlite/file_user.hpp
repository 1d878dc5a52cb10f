// Tells which user a file of the journal belongs to by its place, and makes it durable there. Errors are sentences for
// the operator.
#pragma once

#include <boost/system/result.hpp>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Holds a value, or says in words why there is none.
template <class T>
using Explained = boost::system::result<T, std::string>;

// This is a user as the file system sees it, when a thread opens, makes, renames or removes files.
struct FileUser {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups{};  // further groups, in ascending order

    bool operator==(const FileUser&) const = default;
};

// Returns the user as whom root works on a file: the owner of the first folder or link on the path that does not belong
// to root, or root where there is none. That owner can at any moment put something else in the place of any later part
// of the path, such as a link to a file of root's. Acting as the owner, root changes nothing that the owner could not
// change anyway, and the files that it makes belong to the owner. In a process that does not run as root there is
// nothing to do.
//
// Fails where the system does not let root act as that owner, and where the file exists and that owner may not reach or
// read it.
Explained<FileUser> user_for(const std::string& file);

// Finds a user of this machine, with the groups that the user has after signing in; returns nothing where the machine
// knows no user of that name.
std::optional<FileUser> user_named(const std::string& name);
// Returns the user's name; its number where the machine knows no name.
std::string name_of(const FileUser& user);

// Makes the calling thread this user for the file system, as long as the object lives. Threads that are started
// meanwhile stay this user. Objects may be nested. `user` comes from user_for().
class ActingAs {
  public:
    explicit ActingAs(const FileUser& user);
    ~ActingAs();
    ActingAs(const ActingAs&) = delete;
    ActingAs& operator=(const ActingAs&) = delete;

  private:
    std::optional<FileUser> before_;  // nothing where the thread did not have to change
};

// Makes sure that a file that was made or renamed in the folder of this file is still there after a power cut.
Explained<void> flush_folder_of(const std::string& file);

}  // namespace gateway
