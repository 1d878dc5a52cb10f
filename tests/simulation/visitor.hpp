// The visitor is another program on the gateway's journal: a person with sqlite3 and its defaults opens it, does one
// thing that the operator's recipes allow and that keeps every promise, and closes it. The last program that closes a
// journal moves its log.
#pragma once

#include "simulation/chance.hpp"
#include "simulation/disk.hpp"
#include "simulation/plan.hpp"

#include <sqlite3.h>

#include <string>

namespace gateway::simulation {

class Visitor {
  public:
    // Opens the journal and does one of the deeds. The disk must outlive this object.
    Visitor(Disk& disk, const Visits& visits, Chance& chance);
    Visitor(const Visitor&) = delete;
    Visitor& operator=(const Visitor&) = delete;
    ~Visitor();

    // Returns the SQL, and what SQLite said.
    const std::string& trace() const noexcept { return trace_; }
    bool succeeded() const noexcept { return code_ == SQLITE_OK; }
    // Tells whether it holds a snapshot, as long as it lives.
    bool reads() const noexcept { return succeeded() && sqlite3_get_autocommit(connection_) == 0; }

  private:
    std::string sql_for(Deed deed, Chance& chance);

    Disk& disk_;
    sqlite3* connection_ = nullptr;
    int code_ = SQLITE_OK;
    std::string trace_;
};

}  // namespace gateway::simulation
