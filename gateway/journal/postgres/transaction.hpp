// Runs jobs in a transaction on one connection, and tells what became of its commit.
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

// Says whether a transaction may write, and proves what it read (session.hpp).
enum class Proof { given, not_needed };

// Tells what became of a pipeline that ends with a commit: no error, where it is done; errc::commit_unknown where that
// cannot be told; else why nothing of it has happened, or ever will.
boost::system::error_code outcome_of(const Exchanged& exchanged, std::size_t commands, Proof proof);

class ServerTransaction {
  public:
    // Each of its rounds may take as long as `patience`. `count` counts its commit, where that is proven; nullptr:
    // nothing is counted. `connection` and `count` must outlive this object.
    ServerTransaction(Connection& connection, Proof proof, Duration patience, CommitCount* count = nullptr)
        : connection_(connection), proof_(proof), patience_(patience), count_(count) {}
    ServerTransaction(const ServerTransaction&) = delete;
    ServerTransaction& operator=(const ServerTransaction&) = delete;
    ~ServerTransaction() = default;

    // Begins a job, which `work` makes. False: another one holds what it holds, and it does not join the transaction.
    bool begin(const Engine::Work& work);
    // Runs the jobs to their ends, in rounds: what all of them ask next is sent in one go. After an error nothing of
    // the transaction happens. Fails with state::has_to_be_alone where one needs what another one has come to hold.
    boost::asio::awaitable<boost::system::error_code> run();
    // Tells why this job, of those that were begun, has failed by itself, if it has.
    const boost::system::error_code& failure_of(std::size_t job) const { return jobs_.at(job).failure(); }
    // Runs one job. Its own failure is an error, too.
    boost::asio::awaitable<boost::system::error_code> run(const Engine::Work& work);
    // Gives no error where the commit is done, or nothing was run.
    boost::asio::awaitable<boost::system::error_code> commit();
    // Ends the transaction that an error left open, and the connection, where that is to blame.
    boost::asio::awaitable<void> take_back(boost::system::error_code failure);

    // Tells whether anything of it was sent.
    bool has_begun() const noexcept { return begun_; }
    // Holds the statement of which the server refused a value, after an error that says so.
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
    HeldLocks held_;  // by the jobs as they began
    bool begun_ = false;
    Refused refused_;
};

}  // namespace gateway::postgres
