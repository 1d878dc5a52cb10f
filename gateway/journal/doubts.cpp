#include "journal/doubts.hpp"

#include "journal/attempts_text.hpp"
#include "journal/rows.hpp"
#include "sale/sale.hpp"

#include <algorithm>
#include <vector>

namespace gateway {
namespace {

// The restored journal's clock begins here: only differences between times on it count.
constexpr Instant beginning{};

bool may_have_gone_on(AttemptState state) {
    return state == AttemptState::requesting || state == AttemptState::held || state == AttemptState::confirming ||
           state == AttemptState::retracting;
}

// Only the provider's word counts: without a confirm_time an attempt in dispute is never confirmed.
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

Doubts::Mark mark_of(Status status, const std::vector<Attempt>& attempts, WallTime now) {
    const bool in_dispute =
        std::ranges::any_of(attempts, [](const auto& attempt) { return attempt.state == AttemptState::disputing; });
    const Reason lost{.code = ReasonCode::response_lost,
                      .detail = "the journal was restored from a copy that does not know what became of the sale"};
    Doubts::Mark mark{.status = std::string(to_string(in_dispute ? Status::AUTORIZADA : status)),
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

}  // namespace

std::optional<Doubts> doubts_of(const Row& row, WallTime now) {
    const auto status = parse_status(row.text(1));
    const auto family = parse_family(row.text(2));
    const auto recorded_at = rows::readable_time(row, 4);
    if (!status || !family || !recorded_at) return std::nullopt;
    const Moment at{.now = beginning, .wall = now, .boot = {}};
    auto attempts = rows::read_attempts(row.text(3), *recorded_at, at);
    if (attempts.has_error()) return std::nullopt;
    // An eSIM has neither confirm nor cancel.
    if (*family != Family::esim) dispute(*attempts, now);
    rows::AttemptsText text(at);
    for (const auto& attempt : *attempts)
        text.add(attempt);
    Doubts doubts{.number = row.integer(0), .attempts = text.finish(), .recorded_at = rows::milliseconds(now)};
    if (!is_final(*status)) doubts.mark = mark_of(*status, *attempts, now);
    return doubts;
}

std::string unreadable_line(WallTime now) {
    std::string line;
    rows::append_entry(line, {.event = "unreadable", .at = now});
    return line;
}

}  // namespace gateway
