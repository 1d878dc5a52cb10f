// Notices that the database has lost commits that it had acknowledged: it was restored from a copy, or a standby was
// promoted that did not have them. What was told of such a sale cannot be repaired, and a key that is missing would
// sell a second time. So every gateway on the journal stops: the one that notices it says so in the database, and no
// commit of any gateway is counted until an operator has marked the journal as restored.
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

// Counts the commits that the database has acknowledged to one connection of this gateway. Each transaction counts its
// own in the database. Where that knows of fewer than were acknowledged, it has lost some, and nothing is committed.
class CommitCount {
  public:
    // Says what became of the count in the database.
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
    // Compares what they gave with what was acknowledged. After an error the transaction must not be committed.
    boost::system::error_code compare(std::span<const Rows> counted);
    // Is called when the commit that was compared last is done.
    void done();

    // Sets the epoch and the count that the database is to know from here on.
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

// Knows which commits the database has acknowledged to this gateway, and remembers that in the tally file.
class AcknowledgedCommits {
  public:
    // `log`, where there is one, is told what is noticed. The log and the file must outlive it.
    AcknowledgedCommits(const std::string& gateway, TallyFile& file, Log* log);

    // Returns the count of a connection, by its number: 0 or 1.
    CommitCount& count(std::size_t connection) { return counts_.at(connection); }
    // Tells whether nothing is known to be lost.
    bool is_whole() const noexcept;

    // Compares what is remembered, in the file and here, with what the database knows, and goes on from there. The
    // error says in words what is the matter and what to do about it. Opens the file, and remembers nothing in it yet.
    // `uncounted` is a session that counts nothing.
    boost::asio::awaitable<boost::system::result<void, std::string>> compare(Session& uncounted, WallTime now);
    // Remembers in the file what was acknowledged by now.
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
    std::string said_;        // said last of what is lost
    std::string write_said_;  // said last of the file
};

}  // namespace gateway::postgres
