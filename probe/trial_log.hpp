// The log of a probe: what the program's parts say, kept line by line for the trial that they say it in. No secret is
// in a line to begin with; what a mask knows is taken out all the same.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"
#include "probe/mask.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gateway::probe {

class TrialLog final : public Log {
  public:
    // Both references must outlive the log.
    TrialLog(const Clock& clock, const Mask& mask) : clock_(clock), mask_(mask) { set_level(LogLevel::debug); }

    // What was said since the last call; at most `most_lines`, the first ones.
    std::vector<std::string> take() { return std::exchange(lines_, {}); }

    // Of one trial: hundreds of exchanges have fewer.
    static constexpr std::size_t most_lines = 2000;

  private:
    void line(const LogLine& line) override {
        if (lines_.size() >= most_lines) return;
        std::string text;
        append_log_line(text, LogFormat::json, clock_.wall(), line);
        lines_.push_back(mask_.text(text));
    }

    const Clock& clock_;
    const Mask& mask_;
    std::vector<std::string> lines_;
};

}  // namespace gateway::probe
