// Which file has a name, so that it is noticed when another one, or none, has it. A process that has the file open goes
// on with it as if nothing were; whoever opens the name next does not find what was written.
#pragma once

#include "base/error.hpp"

#include <sys/types.h>

#include <string>
#include <utility>

namespace gateway {

class NamedFile {
  public:
    // The file that has the name now.
    static Result<NamedFile> at(std::string path);
    // The open file, which was opened by that name.
    static Result<NamedFile> opened_as(std::string path, int descriptor);

    // Whether it has its name still. As long as somebody has it open, no other file is taken for it.
    bool has_name() const noexcept;

  private:
    NamedFile(std::string path, dev_t device, ino_t number)
        : path_(std::move(path)), device_(device), number_(number) {}

    std::string path_;
    dev_t device_;
    ino_t number_;  // on the device; another file's only once nobody has this one open
};

}  // namespace gateway
