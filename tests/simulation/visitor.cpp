#include "simulation/visitor.hpp"

#include "simulation/process.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
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

Visitor::Visitor(Disk& disk, Deed deed, int autocheckpoint, Chance& chance) : disk_(disk) {
    const Mounted mounted(disk_);
    code_ = sqlite3_open_v2(journal_path, &connection_, SQLITE_OPEN_READWRITE, Disk::vfs());
    const auto moves_at = fmt::format("PRAGMA wal_autocheckpoint = {}", autocheckpoint);
    if (code_ == SQLITE_OK) code_ = sqlite3_exec(connection_, moves_at.c_str(), nullptr, nullptr, nullptr);
    const auto sql = sql_for(deed, chance);
    if (code_ == SQLITE_OK) code_ = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code_ == SQLITE_OK && deed == Deed::back_up) back_up();
    trace_ = fmt::format("{} ({}): {}", sql, moves_at, sqlite3_errmsg(connection_));
}

Visitor::~Visitor() {
    const Mounted mounted(disk_);
    sqlite3_close_v2(connection_);
}

// Copies all pages as sales-gateway's backup does, from the snapshot that the transaction holds.
void Visitor::back_up() {
    Disk other;
    other.mount();
    sqlite3* to = nullptr;
    code_ = sqlite3_open_v2(journal_path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, Disk::vfs());
    auto* const copying = sqlite3_backup_init(to, "main", connection_, "main");
    if (copying != nullptr) sqlite3_backup_step(copying, -1);
    code_ = copying != nullptr ? sqlite3_backup_finish(copying) : sqlite3_errcode(to);
    if (code_ == SQLITE_OK) code_ = sqlite3_exec(to, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
    sqlite3_close_v2(to);
    disk_.mount();
    sqlite3_exec(connection_, "COMMIT", nullptr, nullptr, nullptr);
    if (code_ == SQLITE_OK) copy_ = hooks().copies_file_alone ? disk_.alone(journal_path) : other.at_rest();
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
        case Deed::leave_wal: return fmt::format("PRAGMA journal_mode = DELETE; {}", chance.pick(edits));
        case Deed::read:
        case Deed::back_up: return "BEGIN; SELECT count(*) FROM sales";
        case Deed::start_gateway: return "";  // the world does it
        case Deed::reindex: break;
    }
    std::vector<std::string> indexes{""};  // all
    sqlite3_exec(connection_, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
                 &take_name, &indexes, nullptr);
    return "REINDEX " + chance.pick(indexes);
}

}  // namespace gateway::simulation
