// sales-gateway copy-journal: which places are meant, what is said meanwhile, and what is left to do afterwards.
#pragma once

#include <iosfwd>
#include <string>

namespace gateway {

struct MovingWishes {
    std::string from;           // a file, or a postgresql:// URL; empty: the journal of the configuration
    std::string to;             // likewise
    std::string config;         // read for the place that is not named, and for the password of the one that it names
    std::string password_file;  // for a URL that is not that of the configuration
};

// How it ended: done, not done for a reason that was said, or a command line that makes no sense.
enum class MovingEnd { done, failed, misused };

// Says on `out` what was done, and on `err` how far it is and what is the matter. SIGINT, SIGTERM and SIGHUP end it
// such that it can be gone on with.
MovingEnd move_journal_of(const MovingWishes& wishes, std::ostream& out, std::ostream& err, bool on_terminal);

}  // namespace gateway
