#include "simulation/visitor.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace gateway::simulation {
namespace {

// What SQLite opens while this object lives is on this disk.
class Mounted {
  public:
    explicit Mounted(Disk& disk) : before_(disk.mount()) {}
    Mounted(const Mounted&) = delete;
    Mounted& operator=(const Mounted&) = delete;
    ~Mounted() {
        if (before_ != nullptr) before_->mount();
    }

  private:
    Disk* const before_;
};

int take_name(void* names, int, char** values, char**) {
    static_cast<std::vector<std::string>*>(names)->emplace_back(values[0]);
    return SQLITE_OK;
}

}  // namespace

Visitor::Visitor(Disk& disk, const Visits& visits, Chance& chance) : disk_(disk) {
    const Mounted mounted(disk_);
    code_ = sqlite3_open_v2(journal_path, &connection_, SQLITE_OPEN_READWRITE, Disk::vfs());
    const auto moves_at = fmt::format("PRAGMA wal_autocheckpoint = {}", chance.pick(visits.autocheckpoints));
    if (code_ == SQLITE_OK) code_ = sqlite3_exec(connection_, moves_at.c_str(), nullptr, nullptr, nullptr);
    const auto sql = sql_for(chance.pick(visits.deeds), chance);
    if (code_ == SQLITE_OK) code_ = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
    trace_ = fmt::format("{} ({}): {}", sql, moves_at, sqlite3_errmsg(connection_));
}

Visitor::~Visitor() {
    const Mounted mounted(disk_);
    sqlite3_close_v2(connection_);
}

// An edit sets the values that are there already: their pages are written, and nothing changes for anybody.
std::string Visitor::sql_for(Deed deed, Chance& chance) {
    constexpr std::array edits{"UPDATE sales SET reason = reason", "UPDATE sales SET settled = settled",
                               "UPDATE id_externos SET sale = sale", "UPDATE erasure SET done_until = done_until"};
    constexpr std::array moves{"PASSIVE", "FULL", "RESTART", "TRUNCATE"};
    switch (deed) {
        case Deed::edit: return chance.pick(edits);
        case Deed::vacuum: return "VACUUM";
        case Deed::move_log: return fmt::format("PRAGMA wal_checkpoint({})", chance.pick(moves));
        case Deed::read: return "BEGIN; SELECT count(*) FROM sales";
        case Deed::reindex: break;
    }
    std::vector<std::string> indexes{""};  // all
    sqlite3_exec(connection_, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
                 &take_name, &indexes, nullptr);
    return "REINDEX " + chance.pick(indexes);
}

}  // namespace gateway::simulation
