// Replaces the waiting of SQLite's default VFS for another connection's lock. No time passes, and what the test wants
// to happen meanwhile happens.
#pragma once

#include "base/clock.hpp"
#include "journal/sqlite/database.hpp"

#include <sqlite3.h>

#include <chrono>
#include <functional>
#include <utility>

namespace gateway::test {

// Only one object may exist at a time. It is declared before everything that waits, so that it outlives that.
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

    static inline Duration slept{};  // the time slept in all
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
