// This is the complete walk of the small state space: one sale, with every scenario, every fault at every exchange, and
// every crash. A step is one run. The walk goes on along an axis until a run no longer meets what it was dealt.
#pragma once

#include "simulation/plan.hpp"
#include "simulation/promises.hpp"
#include "simulation/statistics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gateway::simulation {

struct Step {
    std::size_t scenario = 0;
    PlannedFault fault;  // none: no fault
    std::optional<Crash::Kind> crash;
    std::uint64_t nth = 1;
    bool tear = false;
    bool killed = false;  // the process alone; the power is cut later
    std::optional<Word::Kind> word;
    std::uint64_t word_nth = 0;  // 0: some time before the faults end
    // The n-th operation of the disk fails (for lack of room with `full`), and another program comes before the gateway
    // does anything more.
    std::optional<Deed> deed;
    bool full = false;
    // The journal is copied after this message, and the copy put back after the crash, which is a kill.
    std::optional<PutBack> put_back;
    std::uint64_t copied_after = 0;
};
std::string to_string(const Step& step);
std::optional<Step> parse_step(const std::string& text);

struct Walked {
    std::optional<Broken> broken;
    bool met_fault = true;  // the planned fault did happen
    bool met_crash = true;
    bool met_word = true;  // it was read before all was at rest
    bool met_deed = true;
};
Walked walk(const Step& step, Statistics& statistics, const Trace& trace);

// Returns where the walk begins. Each of these steps is followed along its axes separately.
std::vector<Step> first_steps();
// Returns the crashes that are tried with every fault in its first variant. Without a fault, all kinds are tried.
std::vector<Crash::Kind> crashes_beside(const PlannedFault& planned);
// Tells whether other programs come to the scenario's journal, one after each operation of the disk that fails.
bool has_visits(const Step& step);
// Tells whether older copies are put in the place of the scenario's journal.
bool has_copies(const Step& step);
// This is what statements say beside every fault in its first variant, from this message on.
struct WordsFrom {
    Word::Kind kind;
    std::uint64_t first;
};
std::vector<WordsFrom> words_beside(const PlannedFault& planned);

}  // namespace gateway::simulation
