// How many commits the database has acknowledged to one connection of this gateway. Each transaction counts its own in
// the database. Where that knows of fewer than were acknowledged, it has lost some, and nothing is committed: see
// tally.hpp.
#pragma once

#include "base/error.hpp"
#include "journal/postgres/connection.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

    // Adds the first statements of a transaction, which count the commit to come. Their parameters last until the next
    // call.
    void add_commands(std::vector<Command>& commands);
    // Compares what they gave with what was acknowledged. An error: the transaction must not be committed.
    boost::system::error_code compare(std::span<const Rows> counted);
    // The commit that was compared last is done.
    void done();

    // What the database is to know from here on.
    void begin(std::int64_t epoch, std::int64_t acknowledged);
    std::int64_t acknowledged() const noexcept { return acknowledged_; }
    State state() const noexcept { return state_; }

  private:
    const std::string gateway_;
    const int connection_;
    std::int64_t epoch_ = 0;
    std::int64_t acknowledged_ = 0;
    std::int64_t number_ = 0;  // of the commit that was compared last
    State state_ = State::whole;
    Parameters parameters_;
};

}  // namespace gateway::postgres
