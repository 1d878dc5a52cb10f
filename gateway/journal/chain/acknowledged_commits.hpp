// Notices that the database has lost commits that it had acknowledged: it was restored from a copy, or a standby was
// promoted that did not have them. What was told about such a sale cannot be taken back, and a missing key would sell a
// second time. So every gateway on the journal stops: the one that notices the loss says so in the database, and no
// commit of any gateway counts until an operator has marked the journal as restored.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "journal/chain/tally_file.hpp"
#include "journal/postgres/connection.hpp"
#include "journal/postgres/session.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gateway::postgres {

// Counts the commits that the database has acknowledged to one connection of this gateway. Each transaction counts
// itself in the database. If the database knows of fewer commits than it has acknowledged, it has lost some, and
// nothing is committed.
class CommitCount {
  public:
    // Says what became of the count in the database.
    enum class State {
        whole,
        lost,  // commits are missing, or another gateway has noticed a loss
        over,  // the journal was marked as restored meanwhile, which begins another epoch
    };

    // `connection` is the number of one of the gateway's connections.
    CommitCount(std::string gateway, int connection) : gateway_(std::move(gateway)), connection_(connection) {}

    // Adds the first statements of a transaction, which count its commit. Their parameters are valid until the next
    // call.
    void add_commands(std::vector<Command>& commands);
    // Compares the results of these statements with what was acknowledged. After an error the transaction must not be
    // committed.
    boost::system::error_code compare(std::span<const Rows> counted);
    // Notes that the commit that was compared last is done.
    void done();

    // Sets the epoch and the count that the database is expected to know from now on.
    void begin(std::int64_t epoch, std::int64_t acknowledged);
    std::int64_t acknowledged() const noexcept { return acknowledged_; }
    State state() const noexcept { return state_; }

  private:
    const std::string gateway_;
    const int connection_;
    std::int64_t epoch_ = 0;
    std::int64_t acknowledged_ = 0;
    std::int64_t number_ = 0;  // the number of the commit that was compared last
    State state_ = State::whole;
    Parameters parameters_;
};

// Knows which commits the database has acknowledged to this gateway, and remembers that in the tally file.
class AcknowledgedCommits {
  public:
    // `log`, where there is one, is told what is noticed. The log and the file must outlive it.
    AcknowledgedCommits(const std::string& gateway, TallyFile& file, Log* log);

    // Returns the count of a connection, by its number: 0 or 1.
    CommitCount& count(std::size_t connection) { return counts_.at(connection); }
    // Tells whether no loss is known.
    bool is_whole() const noexcept;

    // Compares what is remembered, in the file and in memory, with what the database knows, and goes on from there. The
    // error says in words what is wrong and what to do about it. Opens the file, but does not write to it yet.
    // `uncounted` is a session that counts nothing.
    boost::asio::awaitable<boost::system::result<void, std::string>> compare(Session& uncounted, WallTime now);
    // Writes to the file what has been acknowledged so far.
    void keep();

  private:
    struct Known;
    boost::system::result<void, std::string> remember();
    boost::asio::awaitable<Result<Known>> ask(Session& uncounted) const;
    boost::asio::awaitable<boost::system::result<void, std::string>> say_lost(Session& uncounted, std::int64_t epoch,
                                                                              WallTime now) const;
    bool is_behind(const Known& known) const;
    void say(const std::string& words);
    void say_failed(const std::string& words);

    Log* const log_;
    TallyFile& file_;
    bool is_open_ = false;
    Acknowledged remembered_;
    std::array<CommitCount, counted_connections> counts_;
    std::string said_;        // what was last said about a loss
    std::string write_said_;  // what was last said about the file
};

}  // namespace gateway::postgres
