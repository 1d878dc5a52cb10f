// Holds a sale's history as it is read back, and answers from it what a person asks about the sale: how long it has
// been in its state, how often a step was tried, and what went wrong last. The answers come from the history alone, so
// they are the same after a restart and where no gateway runs. All functions here are pure.
#pragma once

#include "base/clock.hpp"
#include "sale/sale.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gateway {

// This is one entry of a history, which was written as a HistoryEntry. A text that the entry does not have is empty.
struct PastEvent {
    WallTime at{};
    std::size_t attempt = 0;
    std::string id_externo;  // the attempt's; empty: the attempts of the sale cannot be read
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
    std::vector<PastEvent> events;  // oldest first; entries that this program cannot have written are left out
    bool is_complete = true;        // no entry was left out
    bool is_long = false;  // it has grown long, so that repeated entries were not written any more: see long_history
    bool operator==(const History&) const = default;
};

// Tells of an exchange with the provider that had no usable answer.
struct LastError {
    WallTime at{};
    std::string step;           // the name that the provider gives the step
    std::string text;           // says for a person what came instead of an answer, without customers' data
    bool may_be_older = false;  // a later error may have happened, which a history that has grown long leaves out
};

// Tells of an exchange of a sale (not a request for its status) that was sent, and how long the provider took to
// answer.
struct TimedExchange {
    WallTime at{};  // when it ended
    Duration took{0};
    bool unknown = false;  // it had no usable answer
};
std::vector<TimedExchange> timed_exchanges(const History& history);

// Holds what a history says about the state that an attempt is in.
struct StateFacts {
    std::optional<WallTime> since;  // when the attempt entered the state; nothing where the history does not tell
    int tries = 0;                  // how often the exchange of this state had no usable answer
    int last_tries = 0;             // Attempt::tries in the last entry that has it
};
StateFacts state_facts(const History& history, const Attempt& attempt);
// Returns StateFacts::tries, and adds the tries that a long history leaves out; `attempt` is the attempt in memory.
int tries_by_now(const StateFacts& facts, const Attempt& attempt);
// Tells whether tries_by_now() counts all tries. After a restart nobody knows how many a long history had left out
// before.
bool knows_all_tries(const History& history, const StateFacts& facts, const Attempt& attempt);

struct HistoryFacts {
    std::optional<WallTime> marked_since;  // when the sale got its present mark; nothing: the history does not tell
    std::optional<LastError> last_error;
    int tries = 0;            // StateFacts::tries of the latest open attempt; 0 where none is open
    bool more_tries = false;  // there may have been more tries, which a history that has grown long leaves out
};
// Finds the facts of a sale that has this mark and these attempts. The attempts are empty where they cannot be read.
HistoryFacts history_facts(const History& history, Attention mark, const std::vector<Attempt>& attempts);

}  // namespace gateway
