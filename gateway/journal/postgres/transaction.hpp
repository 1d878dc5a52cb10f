// A transaction on one connection, and what may become of its commit.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "journal/postgres/rows.hpp"
#include "journal/postgres/statement.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gateway::postgres {

class CommitCount;
class Connection;
struct Command;
struct Exchanged;

// Whether a transaction may write, and proves what it read (session.hpp).
enum class Proof { given, not_needed };

// The commands of one whole transaction around these. `count`, where there is one, counts what is proven.
std::vector<Command> whole_transaction(std::span<const Command> inner, Proof proof, CommitCount* count);
// How many commands stand before them.
std::size_t head_of_transaction(Proof proof, const CommitCount* count) noexcept;

// What became of a pipeline that ends with a commit: no error, where it is done; errc::commit_unknown where that cannot
// be told; else why nothing of it has happened, or ever will.
boost::system::error_code outcome_of(const Exchanged& exchanged, std::size_t commands, Proof proof);

// For statements that depend on each other's rows. Only the work that was given it uses it.
class Transaction {
  public:
    // `patience`: how long each of its statements may take. `count`: as above; nullptr: nothing is counted.
    Transaction(Connection& connection, Proof proof, Duration patience, CommitCount* count = nullptr)
        : connection_(connection), proof_(proof), patience_(patience), count_(count) {}
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() = default;

    // Sends all of it in one go. After an error every further statement fails, and nothing of the transaction happens.
    boost::asio::awaitable<Result<std::vector<Rows>>> run(std::span<const Command> commands);
    boost::asio::awaitable<Result<Rows>> run(Statement statement, Parameters parameters = {});

    // For the session. No error: it is done, also where nothing was run.
    boost::asio::awaitable<boost::system::error_code> commit();
    // Whether anything of it was sent.
    bool has_begun() const noexcept { return begun_; }
    // The first statement that failed, where the server refused a value of it.
    struct Failed {
        Statement statement{"", ""};
        Parameters parameters{};
    };
    const Failed& failed() const noexcept { return failed_; }
    // Of the first statement that failed.
    const boost::system::error_code& failure() const noexcept { return failure_; }

  private:
    Connection& connection_;
    const Proof proof_;
    const Duration patience_;
    CommitCount* const count_;
    std::int64_t number_ = 0;  // that the count gives its commit
    bool begun_ = false;
    boost::system::error_code failure_;
    Failed failed_;
};

// Ends the transaction that a refused statement leaves open.
boost::asio::awaitable<void> roll_back(Connection& connection, Duration patience);

}  // namespace gateway::postgres
