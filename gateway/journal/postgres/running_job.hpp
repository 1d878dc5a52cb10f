// A job of a commit on PostgreSQL. What it asks waits until it is sent in one go with what the other jobs of the commit
// ask, and the job goes on once all of that is answered.
#pragma once

#include "journal/engine.hpp"
#include "journal/postgres/rows.hpp"
#include "journal/postgres/statement.hpp"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gateway::postgres {

// The text of a statement as PostgreSQL takes it: its parameters are $1, $2, …, it names no index, and it holds the
// rows that it says it holds.
std::string as_postgres_takes_it(std::string_view sql);

// What an engine binds, as the parameters of a statement of this one.
Parameters parameters_of(std::span<const gateway::Value> values);

class RunningJob final : private gateway::Transaction {
  public:
    // Begins the job, which `work` makes; it must outlive this.
    explicit RunningJob(const Engine::Work& work);
    RunningJob(const RunningJob&) = delete;
    RunningJob& operator=(const RunningJob&) = delete;
    ~RunningJob() = default;

    struct Asking {
        Statement statement;
        Parameters parameters;
        std::shared_ptr<Answer> answer;
        std::unique_ptr<const std::string> composed;  // the text, where it was composed for this call
    };
    // What it has asked and is not answered; nothing once it has ended and all is answered, or has failed. Valid until
    // answer() is called.
    std::span<const Asking> asking() const noexcept { return asking_; }
    // The rows of each of them, in that order. It goes on with them.
    void answer(std::span<postgres::Rows> rows);
    // Whether it holds words, which keeps no other job of its own transaction from going on: it has to be alone there.
    bool has_to_be_alone() const noexcept { return holds_; }
    // Why it has failed, if it has.
    const boost::system::error_code& failure() const noexcept { return failure_; }

  private:
    Asked execute(const gateway::Statement& statement, std::span<const gateway::Value> values) override;

    void hold(std::string_view words) override;
    void hold_with_others(std::string_view words) override;
    void take_lock(const Statement& lock, std::string_view words);
    void look();

    std::vector<Asking> asking_;
    bool holds_ = false;
    boost::system::error_code failure_;
    Job<void> job_;
};

}  // namespace gateway::postgres
