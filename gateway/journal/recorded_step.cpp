#include "journal/recorded_step.hpp"

#include "journal/encrypted_fields.hpp"
#include "journal/rows.hpp"

#include <bit>

namespace gateway {
namespace {

constexpr HistoryEntry begun{.event = "begun"};

// Completes the entry with the attempt that it is about.
HistoryEntry about(HistoryEntry entry, WallTime at, std::size_t attempt, AttemptState state) {
    // A person's note may name people. It is kept separately and encrypted.
    if (entry.event == encrypted::noted_event) entry.detail = {};
    entry.at = at;
    entry.attempt = attempt;
    entry.state = to_string(state);
    return entry;
}

// Completes the entry with what the change makes of the sale.
HistoryEntry about(HistoryEntry entry, const Sale& sale, const Change& change) {
    entry = about(entry, change.at, change.attempt, change.next.state);
    if (change.attention != sale.attention) entry.mark = to_string(change.attention);
    if (change.next.tries > sale.attempts.at(change.attempt).tries) entry.tries = change.next.tries;
    return entry;
}

// Tells whether a long history gets the entry, too. It gets every entry that tells of a change; of those that only
// count tries, it gets one each time that their number has doubled.
bool is_worth_a_line(const Sale& sale, const Change& change, const HistoryEntry& entry) {
    return !is_repeated(sale, change) || (entry.tries >= seldom_tries && std::has_single_bit(std::size_t(entry.tries)));
}

// Tells whether the row may have another status, settled or attention than the sale will have. That is so where a value
// could not be read, and the disk did not take the mark.
bool changes_standing(const Sale& sale, const Change& change) {
    return change.status != sale.status || change.settled != sale.settled || change.attention != Attention::none ||
           sale.attention != Attention::none;
}

}  // namespace

bool is_repeated(const Sale& sale, const Change& change) {
    return change.next.state == sale.attempts.at(change.attempt).state && change.status == sale.status &&
           change.settled == sale.settled && change.attention == sale.attention && !change.again;
}

RecordedStep first_step(const Sale& sale, Moment at) {
    RecordedStep step{.recorded_at = rows::milliseconds(at.wall)};
    rows::AttemptsText attempts(at);
    attempts.add(sale.current());
    step.attempts = attempts.finish();
    rows::append_entry(step.history, about(begun, at.wall, 0, sale.current().state));
    return step;
}

RecordedStep next_step(const Sale& sale, const Change& change, const Attempt* fresh, const HistoryEntry& entry,
                       Moment at) {
    RecordedStep step;
    rows::AttemptsText attempts(at);
    for (std::size_t i = 0; i < sale.attempts.size(); ++i)
        attempts.add(i == change.attempt ? change.next : sale.attempts[i]);
    const auto told = about(entry, sale, change);
    rows::append_entry(step.history, told);
    step.is_worth_a_line = is_worth_a_line(sale, change, told);
    if (fresh != nullptr) {
        attempts.add(*fresh);
        rows::append_entry(step.history, about(begun, change.at, sale.attempts.size(), fresh->state));
    }
    step.attempts = attempts.finish();
    step.recorded_at = rows::milliseconds(attempts.recorded_at());
    step.reason = rows::reason_text(change.reason);
    step.words = rows::words_text(change.reason);
    if (change.details) {
        step.facts = rows::facts_text(*change.details);
        step.goods = rows::goods_text(*change.details);
    }
    step.changes_standing = change.day.has_value() || changes_standing(sale, change);
    step.gives_way = sale.attention != Attention::unreadable &&
                     (change.attention == Attention::none || is_passing(change.attention));
    return step;
}

std::string receipt_line(const Sale& sale, WallTime at, std::string_view shown_to) {
    const std::string_view event = shown_to.empty() ? "receipt" : "receipt_shown";
    std::string line;
    rows::append_entry(line,
                       about({.event = event, .by = shown_to}, at, sale.attempts.size() - 1, sale.current().state));
    return line;
}

}  // namespace gateway
