// Plays a full disk: no file grows beyond a size, as long as the object lives.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

namespace gateway::test {

class FullDisk {
  public:
    // `size` is in bytes.
    explicit FullDisk(std::uint64_t size) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        ::rlimit full = before_;
        full.rlim_cur = size;
        ::setrlimit(RLIMIT_FSIZE, &full);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    ::rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

}  // namespace gateway::test
