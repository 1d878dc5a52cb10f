// Tells a person what is being done for an attempt. It is read off the law's own next_action(), so that it always
// agrees with what will be done. Anybody may see its words. It is pure.
#pragma once

#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway {

// Holds what is known about an attempt besides what the law needs.
struct AttemptFacts {
    std::optional<Step> under_way;  // the exchange that has begun and has no answer yet
    int tries = 0;                  // so many exchanges of this state had no usable answer, before restarts and after
    std::optional<WallTime> since;  // the moment when the attempt came to be in its state
    std::optional<WallTime> marked_since;  // the moment when the sale got the mark that it has
    bool waits_for_journal = false;        // a step of the sale is not recorded yet, and nothing is asked until then
};

struct Progress {
    // This is one sentence that says what is done, which try it is, when the next one comes and when a person is asked.
    std::string text;
    std::optional<Step> step;  // the step of the exchange that is under way or comes next
    bool under_way = false;
    bool waits_for_journal = false;  // nothing comes before the journal can be written, and nothing below is known
    int number = 0;                  // the number of that try, from 1; 0 where there is no exchange
    // The next exchange begins then, or the state's time is over. The moment is not there while an exchange is
    // under way, and where nothing comes by itself.
    std::optional<WallTime> next_at;
    std::optional<WallTime> attention_at;  // the moment when a person is asked
};

// Tells the progress of `sale.attempts[index]`. The times in the sentence are this machine's; a time on another day
// than that of `context` has its date.
Progress progress(const Rules& rules, const Sale& sale, std::size_t index, const AttemptFacts& facts,
                  const Context& context);

// Returns the attempts for which something is left to do. The latest comes first, because it decides what becomes of
// the sale.
std::vector<std::size_t> open_attempts(const std::vector<Attempt>& attempts);

}  // namespace gateway
