// Runs sales-gateway copy-journal: says which places are meant, how far it is, and what is left to do afterwards.
#pragma once

#include "base/language.hpp"

#include <iosfwd>
#include <string>

namespace gateway {

struct MovingArguments {
    std::string from;           // a file, or a postgresql:// URL; empty: the journal of the configuration
    std::string to;             // a place of the same kind
    std::string config;         // read for the place that is not named, and for the password of the one that it names
    std::string password_file;  // has the password for a URL that is not that of the configuration
};

// Says how it ended: done, not done for a reason that was said, or a command line that makes no sense.
enum class MovingEnd { done, failed, misused };

// Says on `out` what was done, and on `err` how far it is and what is the matter. SIGINT, SIGTERM and SIGHUP end it in
// such a way that a later call can go on.
MovingEnd move_journal_of(const MovingArguments& arguments, std::ostream& out, std::ostream& err, bool on_terminal,
                          Language language);

}  // namespace gateway
