// Says what a step of a sale writes into the sale's row, before anything of it is encrypted: the same on every engine.
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

// A history grows with what happens, not with how often something is repeated: once it has so many characters, an entry
// that tells of no change is left out. The log has that entry.
constexpr std::int64_t long_history = 4'096;
// From this try on a long history tells ever more seldom how often something was tried: whenever it was twice as often.
constexpr int seldom_tries = 16;
// What a person did is written down until a history is so long, and is not done where it cannot be written down.
constexpr std::int64_t longest_history = 16 * long_history;

struct RecordedStep {
    std::string attempts;
    std::int64_t recorded_at = 0;
    std::string history;          // the lines that are appended
    bool is_worth_a_line = true;  // a long history gets them all the same
    std::optional<std::string> reason;
    std::optional<std::string> words;
    std::optional<std::string> facts;  // these two where the change has details
    std::optional<std::string> goods;
    // The row may have another status, settled or attention than the sale will have.
    bool changes_standing = false;
    // A mark that the journal made itself stays: the step does not know of that mark, and says none, or one that passes
    // and would take it along.
    bool gives_way = false;
};

// Makes the step of a sale that begins.
RecordedStep first_step(const Sale& sale, Moment at);
RecordedStep next_step(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry,
                       Moment at);
// Returns the line of a history that says that a receipt was printed, or shown to a person.
std::string receipt_line(const Sale& sale, WallTime at, std::string_view shown_to = {});

}  // namespace gateway
