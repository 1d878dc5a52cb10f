// Statements on a database of SQLite, which stay prepared unless they were composed for a call.
#pragma once

#include "base/check.hpp"
#include "journal/engine.hpp"
#include "journal/sqlite/database.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::sqlite {

class Transaction final : public gateway::Transaction {
  public:
    // The database must outlive it. Who has the database begins and ends its transactions.
    explicit Transaction(Database& database);

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };
    using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

    Asked execute(const gateway::Statement& statement, std::span<const gateway::Value> values) override;
    Prepared prepare(std::string_view sql);
    sqlite3_stmt* prepared(const gateway::Statement& statement);

    Database& database_;
    std::vector<Prepared> prepared_;  // by number
    // The last one that was composed: a job often runs one for many rows.
    Prepared composed_;
    std::string composed_sql_;
};

// Runs a job to its end: here it has every row at once.
template <class T>
Result<T> run_to_end(Job<T> job) {
    try {
        job.begin();
        CHECK(job.has_ended());
        if constexpr (std::is_void_v<T>) {
            job.take();
            return {};
        } else {
            return Result<T>(boost::system::in_place_value, job.take());
        }
    } catch (const JobFailed& failed) {
        return Result<T>(boost::system::in_place_error, failed.why());
    }
}

// The same on a database that is not open as a journal: `work` makes the job of a Transaction. Who has the database
// begins and ends its transactions.
template <class Work>
auto run_to_end(Database& database, Work work) {
    Transaction engine(database);
    return run_to_end(work(engine));
}

}  // namespace gateway::sqlite
