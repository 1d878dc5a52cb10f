// Writes and reads the JSON columns that hold a sale's attempts and the entries of its history. The files in sql/
// describe these columns.
//
// Deadlines live on the steady clock, whose values mean nothing once the machine has started again. They are therefore
// written as wall-clock times, beside the time of writing. When they are read back, the time that has passed since then
// is subtracted from the wait that was left; the result is at least zero and at most what was left. A clock that was
// set can therefore shorten a wait to nothing, or leave it whole, but never lengthen it. Only the wait of
// AttemptState::lingering must not be shortened: it is written by the steady clock too.
#pragma once

#include "base/error.hpp"
#include "journal/journal.hpp"
#include "sale/sale.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Gives the time of writing or of reading by both clocks.
struct Moment {
    Instant now;
    WallTime wall;
    std::string_view boot;  // identifies the run of the machine that `now` belongs to; empty: not known
};

namespace rows {

// Writes attempts, one after the other, all with the same time of writing.
class AttemptsText {
  public:
    explicit AttemptsText(Moment at) : at_(at) {}

    void add(const Attempt& attempt);
    // Returns the column's text. No other call may follow.
    const std::string& finish();
    WallTime recorded_at() const noexcept { return at_.wall; }

  private:
    std::optional<std::int64_t> deadline(Instant at) const;

    Moment at_;
    std::string text_ = "[";
};

// Reads the attempts in a column's text. Fails with errc::sale_unreadable where this program cannot have written the
// text, and where an attempt lacks the time that its next request has to carry.
Result<std::vector<Attempt>> read_attempts(std::string_view text, WallTime recorded_at, Moment at);

// Holds what lists show of a sale's latest attempt, and whether there are earlier attempts. A text is empty where the
// attempt has none. Where the column is damaged, all texts are empty and there is no state.
struct LatestAttempt {
    std::string id_externo;
    std::string id_transacao;
    std::optional<AttemptState> state{};
    bool retried = false;
};
LatestAttempt latest_attempt(std::string_view text);

// Appends the entry as a line of its own: a line break comes before it unless the text is empty.
void append_entry(std::string& text, const HistoryEntry& entry);

// Reads line by line what append_entry() has written. `attempts` are those of the same sale.
History read_history(std::string_view text, const Result<std::vector<Attempt>>& attempts);

}  // namespace rows
}  // namespace gateway
