// How SQLite's default VFS passes the time while another connection has a lock: none passes, and what a test wants to
// happen meanwhile happens.
#pragma once

#include "base/clock.hpp"
#include "journal/sqlite/database.hpp"

#include <sqlite3.h>

#include <chrono>
#include <functional>
#include <utility>

namespace gateway::test {

// One at a time. Declared before what waits, so that it outlives it.
class SqliteSleep {
  public:
    SqliteSleep() {
        sqlite::set_up();
        auto* const vfs = sqlite3_vfs_find(nullptr);
        before_ = std::exchange(vfs->xSleep, &pass);
        slept = Duration(0);
        meanwhile = nullptr;
    }
    SqliteSleep(const SqliteSleep&) = delete;
    SqliteSleep& operator=(const SqliteSleep&) = delete;
    ~SqliteSleep() { sqlite3_vfs_find(nullptr)->xSleep = before_; }

    static inline Duration slept{};  // in all
    static inline std::function<void()> meanwhile;

  private:
    static int pass(sqlite3_vfs*, int microseconds) {
        slept += std::chrono::duration_cast<Duration>(std::chrono::microseconds(microseconds));
        if (meanwhile) meanwhile();
        return microseconds;
    }

    int (*before_)(sqlite3_vfs*, int) = nullptr;
};

}  // namespace gateway::test
