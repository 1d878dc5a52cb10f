// Runs a job of a commit on PostgreSQL. What the job asks waits until it is sent in one go with what the other jobs of
// the commit ask, and the job goes on once all of that is answered.
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

// Returns a statement's text as PostgreSQL takes it: its parameters are $1, $2, …, it names no index, and the hints in
// it for several gateways count.
std::string as_postgres_takes_it(std::string_view sql);

class RunningJob final : private Transaction {
  public:
    // Begins the job, which `work` makes. `work` must outlive this object.
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
    // Returns what the job has asked that is not answered; nothing once it has ended and all is answered, or has
    // failed. It is valid until answer() is called.
    std::span<const Asking> asking() const noexcept { return asking_; }
    // Gives the job the rows of each of them, in that order. It goes on with them.
    void answer(std::span<Rows> rows);

    // The job holds these until the transaction ends: see Transaction::hold().
    struct Lock {
        enum class Kind { alone, with_others };
        std::string words;
        Kind kind;

        auto operator<=>(const Lock&) const = default;
    };
    // Returns the locks that must be taken before anything of asking() is sent. They are valid as long as that.
    std::span<const Lock> taking() const noexcept { return taking_; }
    // Returns all locks of the job. The locks of one transaction keep none of its own jobs from going on.
    std::span<const Lock> held() const noexcept { return held_; }
    // Tells why the job has failed, if it has.
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

// This is what the jobs of a transaction hold.
class HeldLocks {
  public:
    // Adds what the job holds. Where another job holds the same in a way that has to keep this one waiting, adds
    // nothing and returns false.
    bool add(const RunningJob& job);

  private:
    std::map<std::string, RunningJob::Lock::Kind, std::less<>> held_;
};

// This is what the jobs of a transaction ask next: the locks of all of them first, in the order in which every gateway
// takes them. It is valid until one of the jobs is answered.
class Round {
  public:
    explicit Round(const std::deque<RunningJob>& running);
    std::span<const Command> commands() const noexcept { return commands_; }
    // Tells how many of the commands, from the first on, are locks.
    std::size_t locks() const noexcept { return words_.size(); }

  private:
    std::vector<Parameters> words_;
    std::vector<Command> commands_;
};

}  // namespace gateway::postgres
