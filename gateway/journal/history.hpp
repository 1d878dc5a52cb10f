// Holds a sale's history as it is read back, and finds in it what a person asks about the sale: since when, how often,
// and what went wrong last. All of that comes from the history alone, so that it is the same after a restart, and where
// no gateway runs. All of it is pure.
#pragma once

#include "base/clock.hpp"
#include "sale/sale.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// This is one entry of a history, which was written as a HistoryEntry. A text that it does not have is empty.
struct PastEvent {
    WallTime at{};
    std::size_t attempt = 0;
    std::string id_externo;  // the attempt's; empty: the sale's attempts cannot be read
    std::string event;
    std::string verdict;
    std::string state;
    std::string detail;
    std::string by;
    std::string mark;
    unsigned http_status = 0;
    std::optional<Duration> duration{};
    int tries = 0;
    bool operator==(const PastEvent&) const = default;
};

struct History {
    std::vector<PastEvent> events;  // oldest first, without those that this program cannot have written
    bool is_complete = true;        // none of those was left out
    bool is_long = false;           // of what came since, repeats were not written: see long_history
    bool operator==(const History&) const = default;
};

// Tells of an exchange that had no usable answer.
struct LastError {
    WallTime at{};
    std::string step;           // the provider's word for it
    std::string text;           // what came instead, for a person; without customers' data
    bool may_be_older = false;  // than the last error, which the history leaves out because it had grown long
};

// Tells of an exchange that leads on and was sent, and how long the provider took.
struct TimedExchange {
    WallTime at{};  // its end
    Duration took{0};
    bool unknown = false;  // without a usable answer
};
std::vector<TimedExchange> timed_exchanges(const History& history);

// This is what a history says of one attempt, in the state that it is in.
struct StateFacts {
    std::optional<WallTime> since;  // when the attempt came to be in it; nothing where the history does not tell
    int tries = 0;                  // how often the state's exchange had no usable answer
    int last_tries = 0;             // Attempt::tries as the last entry that counts has it
};
StateFacts state_facts(const History& history, const Attempt& attempt);
// Returns StateFacts::tries with what a long history leaves out; `attempt` is as it is in memory.
int tries_by_now(const StateFacts& facts, const Attempt& attempt);
// Tells whether that is all of them: after a restart nobody knows what a long history left out before it.
bool knows_all_tries(const History& history, const StateFacts& facts, const Attempt& attempt);

struct HistoryFacts {
    std::optional<WallTime> marked_since;  // when the sale got the mark that it has; nothing: the history does not tell
    std::optional<LastError> last_error;
    int tries = 0;            // StateFacts::tries of the latest attempt that is open; 0 where none is
    bool more_tries = false;  // there may have been more, which the history leaves out because it had grown long
};
// Finds them for a sale with this mark and these attempts, which are empty where they cannot be read.
HistoryFacts history_facts(const History& history, Attention mark, const std::vector<Attempt>& attempts);

}  // namespace gateway
