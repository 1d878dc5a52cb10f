// How many commits the database has acknowledged to one connection of this gateway. The transaction of each counts it
// in the database, which refuses it where it knows of fewer than were acknowledged: then it has lost some. See
// tally.hpp.
#pragma once

#include "base/error.hpp"
#include "journal/postgres/connection.hpp"

#include <cstdint>
#include <string>

namespace gateway::postgres {

class CommitCount {
  public:
    // What became of the count as the database has it.
    enum class State {
        whole,
        lost,  // commits are missing, or another gateway has noticed that
        over,  // the journal was marked as restored meanwhile, which begins another epoch
    };

    // `connection` is the number of one of the gateway's connections.
    CommitCount(std::string gateway, int connection) : gateway_(std::move(gateway)), connection_(connection) {}

    // The first statement of a transaction: it counts the commit to come. Its parameters last until the next call.
    Command command();
    // The commit that the statement gave this number is done.
    void done(std::int64_t number);
    // A statement of such a transaction was refused.
    void refused(const boost::system::error_code& error);

    // What the database is to know from here on.
    void begin(std::int64_t epoch, std::int64_t acknowledged);
    std::int64_t acknowledged() const noexcept { return acknowledged_; }
    State state() const noexcept { return state_; }

  private:
    const std::string gateway_;
    const int connection_;
    std::int64_t epoch_ = 0;
    std::int64_t acknowledged_ = 0;
    State state_ = State::whole;
    Parameters parameters_;
};

}  // namespace gateway::postgres
