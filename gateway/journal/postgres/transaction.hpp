// Runs jobs in a transaction on one connection, and tells what became of the commit.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/engine.hpp"
#include "journal/postgres/running_job.hpp"
#include "journal/postgres/statement.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <deque>

namespace gateway::postgres {

class CommitCount;
class Connection;
struct Exchanged;

// Says whether a transaction may write, and so proves what it read (session.hpp).
enum class Proof { given, not_needed };

// Returns what became of a pipeline that ends with a commit: no error where the commit is done; errc::commit_unknown
// where that cannot be told; else the reason why nothing of it has happened or ever will.
boost::system::error_code outcome_of(const Exchanged& exchanged, std::size_t commands, Proof proof);

class ServerTransaction {
  public:
    // Each round may take as long as `patience`. `count` counts the commit, where that is a proof; nullptr: nothing is
    // counted. `connection` and `count` must outlive this object.
    ServerTransaction(Connection& connection, Proof proof, Duration patience, CommitCount* count = nullptr)
        : connection_(connection), proof_(proof), patience_(patience), count_(count) {}
    ServerTransaction(const ServerTransaction&) = delete;
    ServerTransaction& operator=(const ServerTransaction&) = delete;
    ~ServerTransaction() = default;

    // Begins the job that `work` makes. Returns false where another job holds one of its locks; it then does not join
    // the transaction.
    bool begin(const Engine::Work& work);
    // Runs the jobs to their ends, in rounds: the next statements of all jobs are sent at once. After an error nothing
    // of the transaction happens. Fails with state::has_to_be_alone where one job needs a lock that another one has
    // taken meanwhile.
    boost::asio::awaitable<boost::system::error_code> run();
    // Returns why this job, counted in the order in which they were begun, has failed by itself; no error where it has
    // not.
    const boost::system::error_code& failure_of(std::size_t job) const { return jobs_.at(job).failure(); }
    // Runs one job. The job's own failure is returned as an error, too.
    boost::asio::awaitable<boost::system::error_code> run(const Engine::Work& work);
    // Returns no error where the commit is done, or where nothing was run.
    boost::asio::awaitable<boost::system::error_code> commit();
    // Ends the transaction that an error left open; ends the connection, too, where it was to blame.
    boost::asio::awaitable<void> take_back(boost::system::error_code failure);

    // Tells whether any part of it was sent.
    bool has_begun() const noexcept { return begun_; }
    // After an error about a refused value, this is the statement that had the value.
    struct Refused {
        Statement statement{"", ""};
        Parameters parameters{};
    };
    const Refused& refused() const noexcept { return refused_; }

  private:
    boost::asio::awaitable<boost::system::error_code> send(const Round& round, std::vector<Rows>& answered);
    bool answer(std::span<Rows> rows);

    Connection& connection_;
    const Proof proof_;
    const Duration patience_;
    CommitCount* const count_;
    std::deque<RunningJob> jobs_;
    HeldLocks held_;  // the locks of the jobs, when they began
    bool begun_ = false;
    Refused refused_;
};

}  // namespace gateway::postgres
