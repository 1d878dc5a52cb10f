// One run of a probe takes back what an earlier one may have left open, makes the trials that are still missing, takes
// back what they authorised, and says how it went.
#pragma once

#include "probe/trials.hpp"

#include <string>

namespace gateway::probe {

enum class Ending {
    done,
    could_not_run,
    too_early,  // what was left open cannot be asked for yet
};

struct Outcome {
    Ending ending = Ending::done;
    std::string why{};  // it could not run, in Portuguese; empty where it has
};

// With `revisit`, the probe looks only at what an earlier run left open.
Outcome run_trials(Setting& setting, bool revisit);

}  // namespace gateway::probe
