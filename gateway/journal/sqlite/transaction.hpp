// Runs statements on a database of SQLite. They stay prepared, except for those that were composed for a call.
#pragma once

#include "base/check.hpp"
#include "journal/engine.hpp"
#include "journal/sqlite/database.hpp"

#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gateway::sqlite {

class Transaction final : public gateway::Transaction {
  public:
    // The database must outlive this object. The owner of the database begins and ends its transactions.
    explicit Transaction(Database& database) noexcept : database_(database) {}

    // Returns the error of a flush that failed in a statement since this was called last; otherwise none. The job may
    // have gone on without what it wrote, but later commits depend on it.
    boost::system::error_code take_failed_flush() noexcept { return std::exchange(failed_flush_, {}); }

  private:
    Asked execute(const Statement& statement, std::span<const Value> values) override {
        auto rows = prepared(statement).ask(values);
        if (rows.has_error()) {
            if (is_failed_flush(rows.error())) failed_flush_ = rows.error();
            throw JobFailed(rows.error());
        }
        return Asked(std::move(*rows));
    }
    Prepared& prepared(const Statement& statement) {
        if (statement.number == Statement::composed) {
            if (composed_ && composed_sql_ == statement.sql) return composed_;
            composed_sql_ = statement.sql;
            return composed_ = Prepared(database_.raw(), composed_sql_);
        }
        if (prepared_.size() <= statement.number) prepared_.resize(statement.number + 1);
        auto& prepared = prepared_[statement.number];
        if (!prepared) prepared = Prepared(database_.raw(), statement.sql);
        return prepared;
    }

    Database& database_;
    std::vector<Prepared> prepared_;  // by Statement::number
    // The statement that was composed last is kept, because a job often runs it for many rows.
    Prepared composed_;
    std::string composed_sql_;
    boost::system::error_code failed_flush_;
};

// Runs a job to its end. On SQLite it never waits, because every row is at hand.
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

// Does the same on a database that is not open as a journal: `work` makes the job from a Transaction. The caller begins
// and ends the database's transactions.
template <class Work>
auto run_to_end(Database& database, Work work) {
    Transaction engine(database);
    return run_to_end(work(engine));
}

// Does the same in a transaction of its own. One that fails is left open, so that Database::message() can say why.
template <class Work>
auto commit(Database& database, Work work) {
    using Done = decltype(run_to_end(database, std::move(work)));
    if (const auto begun = database.run("BEGIN IMMEDIATE"); begun.has_error())
        return Done(boost::system::in_place_error, begun.error());
    auto done = run_to_end(database, std::move(work));
    if (done.has_error()) return done;
    if (const auto committed = database.run("COMMIT"); committed.has_error())
        return Done(boost::system::in_place_error, committed.error());
    return done;
}

}  // namespace gateway::sqlite
