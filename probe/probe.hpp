// One run of a probe takes back what an earlier one may have left open, makes the trials that are still missing, takes
// back what they authorised, and says how it went.
#pragma once

#include "probe/trial.hpp"

#include <string>
#include <vector>

namespace gateway::probe {

enum class Ending {
    done,
    could_not_run,
    too_early,  // what was left open cannot be asked for yet
};

class Probe {
  public:
    // The setting must outlive the probe.
    explicit Probe(Setting& setting) : setting_(setting) {}

    // With `revisit` only what was left open is looked at.
    Ending run(bool revisit);
    // Says in Portuguese why it could not run.
    const std::string& why() const noexcept { return why_; }

  private:
    bool is_too_early();
    bool begin();
    void make_all(const std::vector<Trial>& trials);
    void make(const Trial& trial);
    void ask_for_options();
    void take_back();
    void restore_known();
    bool is_done(const Trial& trial) const;
    void note(const std::string& title, const std::string& result);

    Setting& setting_;
    std::string why_;
};

}  // namespace gateway::probe
