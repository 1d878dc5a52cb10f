// Tells as which user root works on a file of the journal, which is decided by the place of the file. Errors are
// sentences for the operator.
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

// The system takes a thread for this user when it opens, makes, renames or removes files.
struct FileUser {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups{};  // besides, in ascending order

    bool operator==(const FileUser&) const = default;
};

// Tells as whom root works on a file: as the owner of the first folder or link on the way to it that is not root's, and
// as itself where there is none. That owner may at any moment put something else in the place of any name behind it,
// such as a link to a file of root's. Acting as the owner, root changes nothing that the owner could not change without
// it, and what it makes belongs to the owner. For every other user there is nothing to do.
//
// Fails where the system does not let root act as that owner, and where the file is there and that owner may not reach
// or read it.
Explained<FileUser> user_for(const std::string& file);

// Finds a user of this machine, in the groups that it has after signing in; nothing where the machine knows none of
// that name.
std::optional<FileUser> user_named(const std::string& name);
// Names the user as a person does; gives its number where the machine knows no name.
std::string name_of(const FileUser& user);

// The calling thread is this user to the file system as long as the object lives, and every thread that it starts
// meanwhile is for good. They nest. `user` is what user_for() gave.
class ActingAs {
  public:
    explicit ActingAs(const FileUser& user);
    ~ActingAs();
    ActingAs(const ActingAs&) = delete;
    ActingAs& operator=(const ActingAs&) = delete;

  private:
    std::optional<FileUser> before_;  // nothing where there is nothing to do
};

// Makes sure that what was made or renamed in the folder of this file is so after a power cut too.
Explained<void> flush_folder_of(const std::string& file);

}  // namespace gateway
