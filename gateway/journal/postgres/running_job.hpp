// Runs a job of a commit on PostgreSQL. The statements of the job are kept until they are sent, at once with those of
// the commit's other jobs. The job goes on when all of them are answered.
#pragma once

#include "journal/engine.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/statement.hpp"

#include <boost/system/error_code.hpp>

#include <compare>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gateway::postgres {

// Returns a statement's text in PostgreSQL's form: its parameters are $1, $2, …, it names no index, and the hints for
// several gateways in it are active.
std::string as_postgres_takes_it(std::string_view sql);

class RunningJob final : private Transaction {
  public:
    // Begins the job that `work` makes. `work` must outlive this object.
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
    // Returns the statements of the job that are not answered yet. They are empty once the job has ended and all are
    // answered, or has failed. They are valid until answer() is called.
    std::span<const Asking> asking() const noexcept { return asking_; }
    // Gives the job the rows of each of these statements, in their order. The job goes on with them.
    void answer(std::span<Rows> rows);

    // This is a lock that the job holds until the transaction ends: see Transaction::hold().
    struct Lock {
        enum class Kind { alone, with_others };
        std::string words;
        Kind kind;

        auto operator<=>(const Lock&) const = default;
    };
    // Returns the locks that must be taken before any of asking() is sent. They are valid as long as asking() is.
    std::span<const Lock> taking() const noexcept { return taking_; }
    // Returns all locks of the job. The jobs of one transaction do not wait for each other's locks.
    std::span<const Lock> held() const noexcept { return held_; }
    // Returns why the job has failed; no error where it has not.
    const boost::system::error_code& failure() const noexcept { return failure_; }

  private:
    Asked execute(const gateway::Statement& statement, std::span<const Value> values) override;

    void hold(std::string_view words) override;
    void hold_with_others(std::string_view words) override;
    void take(Lock lock);
    void look();

    std::vector<Asking> asking_;
    std::vector<Lock> held_;
    std::vector<Lock> taking_;
    boost::system::error_code failure_;
    Job<void> job_;
};

// These are the locks that the jobs of a transaction hold.
class HeldLocks {
  public:
    // Adds the locks of the job. Where another job holds one of them in a way that this job would have to wait for,
    // adds nothing and returns false.
    bool add(const RunningJob& job);

  private:
    std::map<std::string, RunningJob::Lock::Kind, std::less<>> held_;
};

// These are the commands that the jobs of a transaction send next. The locks of all jobs come first, in the order in
// which every gateway takes them. It is valid until one of the jobs is answered.
class Round {
  public:
    explicit Round(const std::deque<RunningJob>& running);
    std::span<const Command> commands() const noexcept { return commands_; }
    // Returns how many commands are locks; they are the first ones.
    std::size_t locks() const noexcept { return words_.size(); }

  private:
    std::vector<Parameters> words_;
    std::vector<Command> commands_;
};

}  // namespace gateway::postgres
