// What is being done for an attempt, told to a person. It is read off the law's own next_action(), so that it cannot
// say anything else than what will be done, in words that may be shown to anybody. Pure.
#pragma once

#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// What is known of an attempt besides what the law needs to know.
struct AttemptFacts {
    std::optional<Step> under_way;         // the exchange that has begun and has no answer yet
    int tries = 0;                         // how often the state's exchange had no usable answer, restarts or not
    std::optional<WallTime> since;         // when it came to be in its state
    std::optional<WallTime> marked_since;  // when the sale got the mark that it has
    bool waits_for_journal = false;        // a step of the sale is not recorded yet, and nothing is asked until then
};

struct Progress {
    std::string text;  // one sentence: what is done, which try it is, when the next comes, when a person is asked
    std::optional<Step> step;  // of the exchange that is under way or comes next
    bool under_way = false;
    bool waits_for_journal = false;  // nothing comes before the journal can be written, and nothing below is known
    int number = 0;                  // which try of it that is, from 1; 0: there is no exchange
    // When the next exchange begins, or the state's time is over; nothing while one is under way, and where nothing
    // comes by itself.
    std::optional<WallTime> next_at;
    std::optional<WallTime> attention_at;  // when a person is asked
};

// Of `sale.attempts[index]`. Times in the sentence are this machine's; those of another day than `context` have a date.
Progress progress(const Rules& rules, const Sale& sale, std::size_t index, const AttemptFacts& facts,
                  const Context& context);

// The attempts for which something is left to do, the one that matters first: what becomes of the sale is decided by
// the latest.
std::vector<std::size_t> open_attempts(const std::vector<Attempt>& attempts);

}  // namespace gateway
