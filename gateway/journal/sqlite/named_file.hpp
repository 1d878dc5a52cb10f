// Remembers which file a name belonged to when it was opened, so that it is noticed when the name belongs to another
// file or to none. A process that has the file open would go on as if nothing had happened, and a process that opens
// the name later would not find what was written.
#pragma once

#include "base/error.hpp"

#include <sys/types.h>

#include <string>
#include <utility>

namespace gateway {

// Returns the operating system's error of the last call.
boost::system::error_code system_error() noexcept;

class NamedFile {
  public:
    // Finds the file that has the name now.
    static Result<NamedFile> at(std::string path);
    // Takes an open file that was opened by that name.
    static Result<NamedFile> opened_as(std::string path, int descriptor);

    // Tells whether the file still has its name. While a process has it open, no other file is mistaken for it.
    bool has_name() const noexcept;

  private:
    NamedFile(std::string path, dev_t device, ino_t number)
        : path_(std::move(path)), device_(device), number_(number) {}

    std::string path_;
    dev_t device_;
    ino_t number_;  // its inode; no other file gets it while a process has this one open
};

// Returns the descriptor by which this process already has the file open; -1 where it has none. It is for files that
// SQLite has open: closing a descriptor of our own would release every lock that this process has on the file.
int descriptor_of(const std::string& path);

}  // namespace gateway
