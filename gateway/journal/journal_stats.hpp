// Tells how the journal is: what its commits came to, and how the database is that it may be in.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/histogram.hpp"
#include "base/run_moment.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Describes a journal in a database, as it was seen last.
struct DatabaseState {
    // This server follows the one that sales are written to.
    struct Standby {
        std::string name;        // its application_name
        bool connected = false;  // false: it is named in synchronous_standby_names, and is away
        std::string state{};     // pg_stat_replication.state; empty: it is away, or the database's user may not see it
        std::string sync_state{};  // pg_stat_replication.sync_state, likewise
    };
    std::string gateway;                    // the name of this one among those that share the journal
    std::string server{};                   // HOST:PORT that it is connected to; empty: to none
    std::string synchronous_standby_names;  // as the server has it
    std::vector<Standby> standbys{};
    bool waits_for_standby = false;  // commits wait for one
};

struct JournalStats {
    std::uint64_t commits = 0;
    std::uint64_t steps = 0;                  // that wrote
    std::uint64_t failures = 0;               // of commits
    boost::system::error_code failure{};      // of the last commit that had something to write
    std::string detail{};                     // what is the matter, where more is known than an error says
    bool locked = false;                      // the failure was that another program has it locked
    std::optional<RunMoment> since{};         // since when it cannot be used, where it is a database
    std::uint64_t waits = 0;                  // for another program that had it locked
    std::uint64_t long_waits = 0;             // those waits so long that a cashier noticed, and not in vain
    boost::system::error_code long_for{};     // whose lock the latest long wait was for, in a commit's error
    std::optional<Histogram> flush_times{};   // of the disk, where it is a disk of this machine
    std::int64_t kept_log_bytes = 0;          // of a log that grows because another program reads; 0: it does not grow
    boost::system::error_code log_kept_by{};  // by which program
    std::optional<DatabaseState> database{};  // nothing: it is in none

    bool encrypts = false;  // personal fields are encrypted
    // A page of it was found damaged since it was opened. Some sales may be recorded all the same.
    bool damaged = false;
    // Names the file that was found removed, renamed or replaced: what its name has after the journal's, "" for the
    // journal itself. The journal cannot be written until the file is back. Without a file beside the journal nothing
    // is lost while the journal is open, and its end puts all of it into the journal.
    std::optional<std::string_view> moved_file{};
    // Counts the values and rows that were met and cannot be read: damaged or altered. Each of their sales has
    // attention. However often one is read, it counts once.
    std::uint64_t unreadable = 0;
    // Counts the sales of which nothing can be read now, as far as is known: nobody knows whether they are open.
    std::uint64_t unreadable_sales = 0;

    // Says why the journal cannot be written, where writing failed for this reason.
    std::string in_words(const boost::system::error_code& why) const { return detail.empty() ? why.message() : detail; }
};

}  // namespace gateway
