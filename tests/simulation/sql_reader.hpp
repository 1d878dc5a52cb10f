// Reads a journal on a simulated disk by SQL, on a separate connection.
#pragma once

#include "simulation/disk.hpp"

#include <sqlite3.h>

#include <string>

namespace gateway::simulation {

class SqlReader {
  public:
    explicit SqlReader(Disk& disk) : before_(disk.mount()) {
        if (sqlite3_open_v2("journal.db", &connection_, SQLITE_OPEN_READWRITE, Disk::vfs()) != SQLITE_OK) fail();
        sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);  // the copy is thrown away
    }
    ~SqlReader() {
        sqlite3_close_v2(connection_);
        if (before_ != nullptr) before_->mount();
    }
    SqlReader(const SqlReader&) = delete;
    SqlReader& operator=(const SqlReader&) = delete;

    // Calls `take` for each row with a function from a column to its text, which is empty for NULL.
    template <class Take>
    void each(const char* sql, Take take) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(connection_, sql, -1, &statement, nullptr) != SQLITE_OK) return fail();
        int code = sqlite3_step(statement);
        for (; code == SQLITE_ROW; code = sqlite3_step(statement))
            take([&](int column) {
                const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
                return std::string(text != nullptr ? text : "");
            });
        if (code != SQLITE_DONE) fail();
        sqlite3_finalize(statement);
    }
    // Returns the error in words; empty: there was none.
    const std::string& trouble() const { return trouble_; }

  private:
    void fail() {
        if (trouble_.empty()) trouble_ = sqlite3_errmsg(connection_);
    }

    Disk* const before_;
    sqlite3* connection_ = nullptr;
    std::string trouble_;
};

}  // namespace gateway::simulation
