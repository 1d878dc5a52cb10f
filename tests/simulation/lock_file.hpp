// This is the lock file beside a simulated journal. It is a real file in memory, because SQLite has nothing to do with
// it.
#pragma once

#include <string>

namespace gateway::simulation {

class LockFile {
  public:
    LockFile();
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;
    ~LockFile();

    const std::string& path() const { return path_; }
    // content() returns what was written to the file; set_content() replaces it.
    std::string content() const;
    void set_content(const std::string& content);

  private:
    std::string path_;
    const int descriptor_;
};

}  // namespace gateway::simulation
