// Notices that the database has lost commits that it had acknowledged: it was restored from a copy, or a standby was
// promoted that did not have them. What was told of such a sale cannot be repaired, and a key that is missing would
// sell a second time. So every gateway on the journal stops: the one that notices it says so in the database, and no
// commit of any gateway is counted (commit_count.hpp) until an operator has marked the journal as restored.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "journal/chain/commit_count.hpp"
#include "journal/chain/tally_file.hpp"
#include "journal/postgres/session.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <array>
#include <string>

namespace gateway::postgres {

class Tally {
  public:
    // `log` is told what is noticed, where there is one. It and the file must outlive the tally.
    Tally(const std::string& gateway, TallyFile& file, Log* log);

    // Of the connections, by number: 0 or 1.
    CommitCount& count(std::size_t connection) { return counts_.at(connection); }
    // Whether nothing is known to be lost.
    bool is_whole() const noexcept;

    // Compares what is remembered, in the file and here, with what the database knows, and goes on from there. The
    // error says in words what the matter is, and what to do about it. Opens the file, and remembers nothing in it yet.
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
    std::string said_;        // of what is lost
    std::string write_said_;  // of the file
};

}  // namespace gateway::postgres
