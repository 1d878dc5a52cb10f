// Describes the state of a journal: what became of its commits, and, where it is in a database, the state of that
// database.
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

// Describes the database of a journal, as it was last seen.
struct DatabaseState {
    // This is a server that replicates the one that sales are written to.
    struct Standby {
        std::string name;          // its application_name
        bool connected = false;    // false: synchronous_standby_names names it, and it is away
        std::string state{};       // pg_stat_replication.state; empty: it is away, or the user may not see it
        std::string sync_state{};  // pg_stat_replication.sync_state; empty likewise
    };
    std::string gateway;   // the name of this gateway among those that share the journal
    std::string server{};  // the HOST:PORT that the gateway is connected to; empty: it is not connected
    std::string synchronous_standby_names;  // the server's setting
    std::vector<Standby> standbys{};
    bool waits_for_standby = false;  // commits wait for a standby
};

struct JournalStats {
    std::uint64_t commits = 0;
    std::uint64_t steps = 0;                   // that wrote something
    std::uint64_t failures = 0;                // commits that failed
    boost::system::error_code failure{};       // of the last commit that had something to write
    boost::system::error_code last_failure{};  // of the last commit that failed on this machine's disk
    std::string detail{};                      // says what is wrong, where more is known than the error tells
    bool locked = false;                       // the failure was that another program had the journal locked
    std::optional<RunMoment> since{};          // since when it cannot be used, where it is a database
    std::uint64_t waits = 0;                   // commits that waited for another program's lock
    std::uint64_t long_waits = 0;              // waits so long that a cashier noticed them, and that ended in success
    boost::system::error_code long_for{};    // an error whose text names the program that the latest long wait was for
    std::optional<Histogram> flush_times{};  // of the disk's flushes, where it is a disk of this machine
    std::int64_t kept_log_bytes = 0;  // size of a log that grows because another program reads; 0: it does not grow
    boost::system::error_code log_kept_by{};  // names that program
    std::optional<DatabaseState> database{};  // nothing: the journal is in no database

    bool encrypts = false;  // personal fields are encrypted
    // A damaged page was found since the journal was opened. Some sales may be recorded all the same.
    bool damaged = false;
    // Is set where a file of the journal was found removed, renamed or replaced, to the part of its name that follows
    // the journal's name; "" stands for the journal itself. The journal cannot be written until the file is back. Where
    // only a file beside the journal is gone, nothing is lost while the journal is open, because closing it writes
    // everything into the journal.
    std::optional<std::string_view> moved_file{};
    // Counts the values and rows that were found unreadable: damaged or altered. The sale that one belongs to is marked
    // for a person. A value counts once, however often it is read.
    std::uint64_t unreadable = 0;
    // Counts the sales of which nothing can be read at present, as far as is known: nobody knows whether they are open.
    std::uint64_t unreadable_sales = 0;

    // Returns why the journal cannot be written; `why` is the error of the write that failed.
    std::string in_words(const boost::system::error_code& why) const { return detail.empty() ? why.message() : detail; }
};

}  // namespace gateway
