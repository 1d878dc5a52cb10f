// The visitor is another program on the gateway's journal: a person with sqlite3 and its defaults opens it, does one
// thing that docs/sqlite.md allows and that keeps every promise, and closes it. The last program that closes a
// journal moves its log.
#pragma once

#include "simulation/chance.hpp"
#include "simulation/disk.hpp"
#include "simulation/plan.hpp"

#include <sqlite3.h>

#include <optional>
#include <string>

namespace gateway::simulation {

class Visitor {
  public:
    // Opens the journal and does the deed. The disk must outlive this object.
    Visitor(Disk& disk, Deed deed, int autocheckpoint, Chance& chance);
    Visitor(const Visitor&) = delete;
    Visitor& operator=(const Visitor&) = delete;
    ~Visitor();

    // Returns the SQL, and what SQLite said.
    const std::string& trace() const noexcept { return trace_; }
    bool succeeded() const noexcept { return code_ == SQLITE_OK; }
    // Tells whether it holds a snapshot, as long as it lives.
    bool reads() const noexcept { return succeeded() && sqlite3_get_autocommit(connection_) == 0; }

    // Returns the copy that it made, which is on a disk of its own; nothing where it made none.
    const std::optional<Disk>& copy() const noexcept { return copy_; }

  private:
    std::string sql_for(Deed deed, Chance& chance);
    void back_up();

    Disk& disk_;
    sqlite3* connection_ = nullptr;
    int code_ = SQLITE_OK;
    std::string trace_;
    std::optional<Disk> copy_;
};

}  // namespace gateway::simulation
