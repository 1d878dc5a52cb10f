#include "journal/after_restore.hpp"

#include "journal/attempts_text.hpp"
#include "journal/rows.hpp"
#include "journal/tx.hpp"
#include "sale/sale.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace gateway::after_restore {
namespace {

// The clock of the restored journal begins here. Its values do not matter, only the differences between them.
constexpr Instant beginning{};

// This is what is written into the columns of one sale.
struct Change {
    std::int64_t number = 0;  // the sale's number, n
    std::string attempts{};
    std::int64_t recorded_at = 0;
    // Marks a sale that is not final, so that a person looks at it.
    struct Mark {
        std::string status;
        std::string attention;
        std::string reason;  // written only where the sale has no reason yet
        std::string line;    // the line that is added to its history
    };
    std::optional<Mark> mark{};
};

bool may_have_gone_on(AttemptState state) {
    return state == AttemptState::requesting || state == AttemptState::held || state == AttemptState::confirming ||
           state == AttemptState::retracting;
}

// Only the provider's answer counts: without a confirm_time, an attempt in dispute is never confirmed.
void dispute(std::vector<Attempt>& attempts, WallTime now) {
    for (auto& attempt : attempts) {
        const bool disputed = attempt.state == AttemptState::disputing;
        if (!disputed && !may_have_gone_on(attempt.state)) continue;
        attempt.confirm_time.reset();
        if (disputed) continue;
        attempt.state = AttemptState::disputing;
        attempt.cancel_time = attempt.cancel_time.value_or(now);
        attempt.deadline = never;
        attempt.attention_at = never;
    }
}

Change::Mark mark_of(Status status, const std::vector<Attempt>& attempts, WallTime now) {
    const bool in_dispute =
        std::ranges::any_of(attempts, [](const auto& attempt) { return attempt.state == AttemptState::disputing; });
    const Reason lost{.code = ReasonCode::response_lost,
                      .detail = "the journal was restored from a copy that does not know what became of the sale"};
    Change::Mark mark{.status = std::string(to_string(in_dispute ? Status::AUTORIZADA : status)),
                      .attention = std::string(to_string(Attention::restored)),
                      .reason = *rows::reason_text(lost),
                      .line = {}};
    rows::append_entry(mark.line, {.event = "restored",
                                   .detail = "the journal was restored from a copy: what happened between the line "
                                             "above and this one is lost",
                                   .at = now,
                                   .attempt = attempts.size() - 1,
                                   .state = to_string(attempts.back().state),
                                   .mark = mark.attention});
    return mark;
}

// Returns nothing where the row cannot be read.
std::optional<Change> change_of(const Row& row, WallTime now) {
    const auto status = parse_status(row.text(1));
    const auto family = parse_family(row.text(2));
    const auto recorded_at = rows::readable_time(row, 4);
    if (!status || !family || !recorded_at) return std::nullopt;
    const Moment at{.now = beginning, .wall = now, .boot = {}};
    auto attempts = rows::read_attempts(row.text(3), *recorded_at, at);
    if (attempts.has_error()) return std::nullopt;
    if (!is_by_callback(*family)) dispute(*attempts, now);
    rows::AttemptsText text(at);
    for (const auto& attempt : *attempts)
        text.add(attempt);
    Change change{.number = row.integer(0), .attempts = text.finish(), .recorded_at = rows::milliseconds(now)};
    if (!is_final(*status)) change.mark = mark_of(*status, *attempts, now);
    return change;
}

std::string unreadable_line(WallTime now) {
    std::string line;
    rows::append_entry(line, {.event = "unreadable", .at = now});
    return line;
}

void write(Transaction& tx, const Change& change) {
    tx.run(sql::restore_attempts, change.number, change.attempts, change.recorded_at);
    if (!change.mark) return;
    const auto& [status, attention, reason, line] = *change.mark;
    tx.run(sql::mark_restored, change.number, status, attention, change.recorded_at, reason, "\n" + line);
}

// A sale whose row cannot be read stays as it is, and the gateway does not go on with it.
void mark_unreadable(Transaction& tx, std::int64_t number, WallTime now) {
    constexpr bool again = true;
    tx.run(sql::mark_unreadable, number, "\n" + unreadable_line(now), again, lasting_marks());
}

}  // namespace

Job<std::int64_t> leave_to_provider(Transaction& tx, WallTime now) {
    tx.run(sql::remove_token);
    tx.run(sql::remove_console_sessions);  // the copy does not know who has signed out since
    tx.run(sql::begin_series);
    const auto open = co_await tx.ask(sql::open_after_restore);
    std::int64_t marked = 0;
    for (const auto& row : open) {
        const auto change = change_of(row, now);
        if (change)
            write(tx, *change);
        else
            mark_unreadable(tx, row.integer(0), now);
        if (!change || change->mark) ++marked;
    }
    co_return marked;
}

}  // namespace gateway::after_restore
