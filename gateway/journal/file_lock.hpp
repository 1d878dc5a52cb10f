// A lock on a file beside the journal, held as long as the object lives: two processes on one journal would each
// believe that they alone carry its sales.
#pragma once

#include "base/error.hpp"

#include <string>
#include <utility>

namespace gateway {

class FileLock {
  public:
    FileLock() = default;  // holds nothing
    // errc::journal_in_use where another holds it; otherwise the operating system's own error.
    static Result<FileLock> take(const std::string& path);
    // Makes the file, empty, for its owner's eyes only. Of a file that is there already whatever others may do with it
    // is taken away.
    static Result<void> make_private(const std::string& path);
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();
    FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    FileLock& operator=(FileLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

  private:
    int descriptor_ = -1;
};

}  // namespace gateway
