// The attempts of a sale and the lines of its story as the JSON of their columns; sql/ says what is in them.
//
// Deadlines live on the steady clock, which means nothing after a restart: they are written as wall-clock times beside
// the time of writing. Read back, what has passed meanwhile is taken off what was left, and never more than that nor
// less than nothing, so a clock that was set can shorten a wait to none, or leave it whole, but never stretch it.
#pragma once

#include "base/error.hpp"
#include "sale/sale.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::rows {

// Writes attempts, one after the other, as of one moment.
class AttemptsText {
  public:
    AttemptsText(Instant now, WallTime wall) : now_(now), wall_(wall) {}

    void add(const Attempt& attempt);
    // The column's text. The last call.
    const std::string& finish();
    WallTime recorded_at() const noexcept { return wall_; }

  private:
    std::optional<std::int64_t> deadline(Instant at) const;

    Instant now_;
    WallTime wall_;
    std::string text_ = "[";
};

// The attempts in a column's text. errc::sale_unreadable where this program cannot have written it, and where an
// attempt lacks the time that its next request is to carry.
Result<std::vector<Attempt>> read_attempts(std::string_view text, WallTime recorded_at, Instant now, WallTime wall);

// A line of a sale's story. What is no detail is a word or a number of ours.
struct StoryLine {
    WallTime at{};
    std::size_t attempt = 0;   // from 0
    std::string_view event{};  // "solicitar", "elapsed", "callback", …
    std::string_view verdict{};
    unsigned http_status = 0;
    std::optional<Duration> duration{};
    std::string_view state{};  // empty: of an attempt that cannot be read
    std::string_view detail{};
};
// Appends the line, after a line break where the text has one already.
void append_line(std::string& text, const StoryLine& line);

// A story as {at, idExterno, event, …}, oldest first, without the lines that this program cannot have written.
struct ReadStory {
    boost::json::array lines;
    bool complete = true;  // no line was left out
};
// `attempts` are the sale's; an error where they cannot be read: no line has an idExterno then.
ReadStory read_story(std::string_view text, const Result<std::vector<Attempt>>& attempts);

}  // namespace gateway::rows
