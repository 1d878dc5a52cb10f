// Makes what a step of a sale writes into the sale's row, before it is encrypted. It is the same on every engine.
#pragma once

#include "journal/attempts_text.hpp"
#include "journal/journal.hpp"
#include "sale/machine.hpp"
#include "sale/sale.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

// A history grows with what happens, not with the number of repetitions: once it has this many characters, an entry
// that tells of no change is left out. The log still has such an entry.
constexpr std::int64_t long_history = 4'096;
// From this many tries on, a long history notes the number of tries only each time it has doubled.
constexpr int seldom_tries = 16;
// A person's act is written into a history of up to this many characters. Beyond that it cannot be written, and is not
// done.
constexpr std::int64_t longest_history = 16 * long_history;

struct RecordedStep {
    std::string attempts;
    std::int64_t recorded_at = 0;
    std::string history;          // the lines that are appended to it
    bool is_worth_a_line = true;  // a long history gets the lines, too
    std::optional<std::string> reason;
    std::optional<std::string> words;
    std::optional<std::string> facts;  // it and `goods` are set where the change has details
    std::optional<std::string> goods;
    // The row may have another status, settled or attention than the sale will have after the step.
    bool changes_standing = false;
    // A mark that the journal itself has set stays. The step does not know of that mark, so its own `none` or passing
    // mark must not replace it.
    bool gives_way = false;
};

// Tells whether the sale stands the same before and after the change, which only repeats or counts something then.
bool is_repeated(const Sale& sale, const Change& change);
// Makes the step that begins a sale.
RecordedStep first_step(const Sale& sale, Moment at);
RecordedStep next_step(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry,
                       Moment at);
// Returns the line of a history which says that a receipt was printed or, where `shown_to` is set, shown to that
// person.
std::string receipt_line(const Sale& sale, WallTime at, std::string_view shown_to = {});

}  // namespace gateway
