// Writes and reads the JSON columns of a sale's attempts and of its history's entries; sql/ says what is in them.
//
// Deadlines live on the steady clock, which means nothing once the machine has started again: they are written as
// wall-clock times beside the time of writing. Read back, what has passed meanwhile is taken off what was left, and
// never more than that nor less than nothing, so a clock that was set can shorten a wait to none, or leave it whole,
// but never stretch it. The one wait that must not be shortened, lingering's, is written by the steady clock too.
#pragma once

#include "base/error.hpp"
#include "journal/journal.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Says by both clocks when something is written or read.
struct Moment {
    Instant now;
    WallTime wall;
    std::string_view boot;  // the run of the machine that `now` belongs to; empty: not known
};

namespace rows {

// Writes attempts, one after the other, as of one moment.
class AttemptsText {
  public:
    explicit AttemptsText(Moment at) : at_(at) {}

    void add(const Attempt& attempt);
    // Returns the column's text. It is the last call.
    const std::string& finish();
    WallTime recorded_at() const noexcept { return at_.wall; }

  private:
    std::optional<std::int64_t> deadline(Instant at) const;

    Moment at_;
    std::string text_ = "[";
};

// Reads the attempts in a column's text. Fails with errc::sale_unreadable where this program cannot have written the
// text, and where an attempt lacks the time that its next request is to carry.
Result<std::vector<Attempt>> read_attempts(std::string_view text, WallTime recorded_at, Moment at);

// Holds what lists show of a sale's latest attempt, and whether there are earlier ones. A text is empty where there is
// none, or where the column's text is damaged; then there is no state either.
struct LatestAttempt {
    std::string id_externo;
    std::string id_transacao;
    std::optional<AttemptState> state{};
    bool retried = false;
};
LatestAttempt latest_attempt(std::string_view text);

// Appends the entry as a line, after a line break where the text has one already.
void append_entry(std::string& text, const HistoryEntry& entry);

// Reads what append_entry() has written, line after line. `attempts` are the sale's.
History read_history(std::string_view text, const Result<std::vector<Attempt>>& attempts);

}  // namespace rows
}  // namespace gateway
