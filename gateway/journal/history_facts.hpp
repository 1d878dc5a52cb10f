// What a sale's history says to a person who asks how the sale stands: since when, how often, and what went wrong last.
// Read off the entries alone, so that it is the same after a restart, and where no gateway runs. Pure.
#pragma once

#include "base/clock.hpp"
#include "sale/sale.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// An exchange that had no usable answer.
struct LastError {
    WallTime at{};
    std::string step;           // the provider's word for it
    std::string text;           // what came instead, for a person; without customers' data
    bool may_be_older = false;  // than the last one, which the history leaves out because it had grown long
};

// An exchange that leads on and was sent, and how long the provider took.
struct TimedExchange {
    WallTime at{};  // its end
    Duration took{0};
    bool unknown = false;  // without a usable answer
};
// `history` as Journal::history() gives it.
std::vector<TimedExchange> timed_exchanges(const boost::json::array& history);

// Of one attempt, in the state that it is in.
struct StateFacts {
    std::optional<WallTime> since;  // when it came to be in it; nothing where the history does not tell
    int tries = 0;                  // how often the state's exchange had no usable answer
    int last_tries = 0;             // Attempt::tries as the last entry that counts has it
};
// `history` as Journal::history() gives it.
StateFacts state_facts(const boost::json::array& history, const Attempt& attempt);
// The same count with what the history leaves out because it had grown long: `attempt` as it is in memory.
int tries_by_now(const StateFacts& facts, const Attempt& attempt);
// Whether that is all of them: after a restart nobody knows what a long history left out before it.
bool knows_all_tries(const boost::json::array& history, const StateFacts& facts, const Attempt& attempt);

struct HistoryFacts {
    std::optional<WallTime> marked_since;  // when the sale got the mark that it has; nothing where it is not told
    std::optional<LastError> last_error;
    int tries = 0;            // StateFacts::tries of the latest attempt that is open; 0 where none is
    bool more_tries = false;  // there may have been more, which the history leaves out because it had grown long
};
// Of a sale with this mark and these attempts, which are empty where they cannot be read.
HistoryFacts history_facts(const boost::json::array& history, Attention mark, const std::vector<Attempt>& attempts);

}  // namespace gateway
