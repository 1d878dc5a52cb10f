// Shows a waiting person how far a copying has come: on a terminal by one line that is updated, and elsewhere by a line
// for each table that is done.
#pragma once

#include "base/clock.hpp"
#include "journal/copy/moving.hpp"

#include <ostream>
#include <string>

namespace gateway::moving {

class ProgressLines final : public Progress {
  public:
    // `out` and the clock must outlive this object.
    ProgressLines(std::ostream& out, bool on_terminal, const Clock& clock)
        : out_(out), on_terminal_(on_terminal), clock_(clock) {}

    void begin(const std::string& step, const std::string& of, std::int64_t rows, std::int64_t done) override;
    void advance(std::int64_t rows) override;
    void end() override;
    void say(const std::string& sentence) override;

  private:
    std::string how_far() const;
    void show();

    std::ostream& out_;
    const bool on_terminal_;
    const Clock& clock_;
    std::string what_;
    std::int64_t rows_ = 0;
    std::int64_t before_ = 0;
    std::int64_t done_ = 0;
    Instant began_{};
    Instant shown_{};
};

}  // namespace gateway::moving
