// Keeps a file together with the name that it was opened by, so that it is noticed when another file, or none, has the
// name. A process that has the file open goes on with it as if nothing had happened; a process that opens the name
// later does not find what was written.
#pragma once

#include "base/error.hpp"

#include <sys/types.h>

#include <string>
#include <utility>

namespace gateway {

// Returns what the operating system has against its last call.
boost::system::error_code system_error() noexcept;

class NamedFile {
  public:
    // Finds the file that has the name now.
    static Result<NamedFile> at(std::string path);
    // Takes the open file, which was opened by that name.
    static Result<NamedFile> opened_as(std::string path, int descriptor);

    // Tells whether the file still has its name. As long as a process has it open, no other file is taken for it.
    bool has_name() const noexcept;

  private:
    NamedFile(std::string path, dev_t device, ino_t number)
        : path_(std::move(path)), device_(device), number_(number) {}

    std::string path_;
    dev_t device_;
    ino_t number_;  // on the device; no other file gets it as long as a process has this one open
};

// Returns the descriptor by which this process has the file open already; -1 where it has none. It is for what SQLite
// has open: closing a descriptor of our own would let go of every lock that this process has on the file.
int descriptor_of(const std::string& path);

}  // namespace gateway
