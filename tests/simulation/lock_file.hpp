// The lock file beside a simulated journal: a real file, in memory, for it is not SQLite's.
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
    // What was written to it, and is written to it instead.
    std::string content() const;
    void set_content(const std::string& content);

  private:
    std::string path_;
    const int descriptor_;
};

}  // namespace gateway::simulation
