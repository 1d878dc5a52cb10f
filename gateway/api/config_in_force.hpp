// Knows about the configuration of a running gateway what is odd about the one that is in force, and what of the file
// is not in force. What reads the file again writes that here, and the answers to people and machines say it.
#pragma once

#include "api/exposition.hpp"
#include "base/clock.hpp"
#include "base/run_moment.hpp"
#include "flow/host_check.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

struct ConfigProblem {
    std::string key;       // "provider.connect_timeout", "terminals[2].id" (the second one); empty: the file as a whole
    unsigned line = 0;     // 0: the key stands nowhere
    std::string message;   // what is wrong and what would be right
    bool hinders = false;  // a gateway starts with this warning, and cannot sell
};

class ConfigInForce {
  public:
    // Begins with the configuration of the start, which counts as a reload that was successful. The clock must outlive
    // this object.
    ConfigInForce(std::vector<ConfigProblem> warnings, const Clock& clock)
        : clock_(clock), reloaded_at_(clock), warnings_(std::move(warnings)) {}

    // Notes that a reload has taken the file over. The values of `waiting` are used after a restart; the names must
    // live on.
    void take(std::vector<ConfigProblem> warnings, std::vector<std::string_view> waiting);
    // Notes that a reload has ended. `failure` says what it could not do, in words that follow on the reload; empty: it
    // could do everything.
    void end_reload(std::string failure);

    // Returns when the configuration was read.
    WallTime reloaded_at() const { return reloaded_at_.wall(); }
    const std::vector<ConfigProblem>& warnings() const noexcept { return warnings_; }
    // Returns what of the file is not in force, as the last reload found it; another reload or a restart ends that.
    std::vector<HostCheck::Concern> concerns() const;
    // Says what became of the last reading of the configuration.
    void expose(Exposition& out) const;

  private:
    struct Failure {
        RunMoment at;
        std::string what;
    };
    struct Waiting {
        RunMoment read_at;
        std::vector<std::string_view> keys;
    };

    const Clock& clock_;
    RunMoment reloaded_at_;           // the last time that it was successful
    std::optional<Failure> failure_;  // what failed in the last reload
    std::optional<Waiting> waiting_;  // what a restart would take from the file
    std::vector<ConfigProblem> warnings_;
};

}  // namespace gateway
