#include "sale/machine.hpp"

#include "base/check.hpp"
#include "sale/machine_decision.hpp"

#include <algorithm>

namespace gateway {
namespace {

using State = AttemptState;

// What a terminal, a callback or a person says is about the latest attempt, even if that attempt began while the
// message was on its way. Every other event is about the attempt that it happened to, or that it names.
bool is_about_the_sale(const Event& event) {
    return !std::holds_alternative<Answered>(event) && !std::holds_alternative<Lost>(event) &&
           !std::holds_alternative<Elapsed>(event) && !std::holds_alternative<Stated>(event) &&
           !std::holds_alternative<SentLate>(event);
}

Action exchange(Step step, Instant at) {
    return {.kind = Action::Kind::exchange, .step = step, .at = at};
}
Action wait(Instant at) {
    return {.kind = Action::Kind::wait, .at = at};
}
Action rest() {
    return {};
}
// Only a person can do something about the attempt, and is asked when the time has come.
Action wait_for_a_person(const Attempt& attempt) {
    return attempt.attention_at == never ? rest() : wait(attempt.attention_at);
}

// A callback is usually on its way, and brings what the customer is to be given, which a status may not bring. The
// status is asked for only in the second half of the wait, before a person is asked.
Instant first_asked_at(const Rules& rules, const Attempt& attempt) {
    return attempt.attention_at == never ? Instant::min() : attempt.attention_at - rules.attention_after / 2;
}

// The exchange is sent within a window. Once the window is over, no more of them are sent.
Action exchange_until(Instant deadline, Step step, Instant at, Instant now) {
    return std::max(at, now) >= deadline ? wait(deadline) : exchange(step, at);
}

// Tells whether the window leaves time for a question that gets no answer, and for the exchange that follows it.
bool has_time_to_ask(const Rules& rules, const Attempt& attempt, Instant now) {
    return std::max(attempt.next_try, now) + 2 * rules.attempt_time <= attempt.deadline;
}

}  // namespace

bool is_asked_without_end(const Rules& rules, Family family, const Attempt& attempt) {
    switch (attempt.state) {
        case State::disputing: return rules.cancellable(family) || attempt.confirm_time || rules.askable(attempt);
        case State::cancelling:
        case State::lingering: return rules.cancellable(family) || rules.askable(attempt);
        case State::awaiting: return rules.askable(attempt);
        case State::requesting:
        case State::held:
        case State::confirming:
        case State::collecting:
        case State::retracting:
        case State::sold:
        case State::cancelled:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return false;
    }
    CHECK(false);
}

bool is_only_asked(const Rules& rules, Family family, const Attempt& attempt) {
    if (!rules.askable(attempt)) return false;
    if (attempt.state == State::awaiting) return true;
    if (rules.cancellable(family)) return false;
    return attempt.state == State::cancelling || attempt.state == State::lingering ||
           (attempt.state == State::disputing && !attempt.confirm_time);
}

Change decide(const Rules& rules, const Sale& sale, std::size_t attempt, const Event& event, const Context& context) {
    const auto settled = [](const Attempt& one) { return is_settled(one.state); };
    // What a person found out about a final sale is about the attempt that is still open, which may be an earlier one.
    if (std::holds_alternative<Resolved>(event) && is_final(sale.status)) {
        const auto open = std::ranges::find_if_not(sale.attempts, settled);
        attempt = static_cast<std::size_t>(std::min(open, sale.attempts.end() - 1) - sale.attempts.begin());
    } else if (is_about_the_sale(event)) {
        attempt = sale.attempts.size() - 1;
    }
    Decision decision(rules, sale, attempt, context);
    std::visit([&](const auto& what) { decision.on(what); }, event);
    return decision.finish();
}

Action next_action(const Rules& rules, const Sale& sale, std::size_t index, Instant now) {
    const Attempt& attempt = sale.attempts.at(index);
    // An exchange that is repeated without end still leaves time to ask a person.
    const auto endlessly = [&](Step step, Instant at) {
        if (!is_asked_without_end(rules, sale.family, attempt)) return wait_for_a_person(attempt);
        return attempt.tries > 0 && attempt.attention_at < at ? wait(attempt.attention_at) : exchange(step, at);
    };
    const auto asked_before = [&](Step step) {
        return attempt.ask || is_only_asked(rules, sale.family, attempt) ? Step::consultar : step;
    };
    const auto asked_in_time_before = [&](Step step) {
        return has_time_to_ask(rules, attempt, now) ? asked_before(step) : step;
    };
    switch (attempt.state) {
        case State::requesting: return exchange(Step::solicitar, attempt.next_try);
        case State::held: return wait(attempt.deadline);
        case State::confirming:
            return exchange_until(attempt.deadline, asked_in_time_before(Step::confirmar), attempt.next_try, now);
        case State::collecting: return exchange_until(attempt.deadline, Step::confirmar, attempt.next_try, now);
        case State::retracting:
            return exchange_until(attempt.deadline, asked_in_time_before(Step::cancelar), attempt.next_try, now);
        case State::disputing:
            return endlessly(asked_before(rules.cancellable(sale.family) ? attempt.turn : Step::confirmar),
                             attempt.next_try);
        case State::cancelling: return endlessly(asked_before(Step::cancelar), attempt.next_try);
        case State::lingering:
            return endlessly(asked_before(Step::cancelar), std::max(attempt.deadline, attempt.next_try));
        case State::awaiting:
            return endlessly(Step::consultar, std::max(first_asked_at(rules, attempt), attempt.next_try));
        case State::sold:
        case State::cancelled:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return rest();
    }
    CHECK(false);
}

bool is_legal_move(State from, State to) noexcept {
    struct Move {
        State from;
        State to;
    };
    constexpr std::array moves{
        Move{State::requesting, State::held},       Move{State::requesting, State::confirming},
        Move{State::requesting, State::awaiting},   Move{State::requesting, State::retracting},
        Move{State::requesting, State::cancelling}, Move{State::requesting, State::refused},
        Move{State::requesting, State::unsent},     Move{State::requesting, State::unauthorised},
        Move{State::requesting, State::throttled},  Move{State::requesting, State::sold},  // by an eSIM's callback
        Move{State::requesting, State::cancelled},  Move{State::held, State::confirming},
        Move{State::held, State::cancelling},       Move{State::confirming, State::sold},
        Move{State::confirming, State::collecting}, Move{State::confirming, State::cancelled},
        Move{State::confirming, State::disputing},  Move{State::collecting, State::sold},
        Move{State::disputing, State::sold},        Move{State::disputing, State::collecting},
        Move{State::disputing, State::cancelled},   Move{State::retracting, State::cancelling},
        Move{State::retracting, State::lingering},  Move{State::retracting, State::cancelled},
        Move{State::retracting, State::sold},       Move{State::cancelling, State::lingering},
        Move{State::cancelling, State::cancelled},  Move{State::cancelling, State::sold},
        Move{State::lingering, State::cancelled},   Move{State::lingering, State::sold},
        Move{State::awaiting, State::sold},         Move{State::awaiting, State::cancelled},
        Move{State::awaiting, State::refused},      Move{State::sold, State::collecting},  // from here on by Stated
        Move{State::cancelled, State::cancelling},  Move{State::refused, State::cancelling},
        Move{State::unsent, State::cancelling},     Move{State::unauthorised, State::cancelling},
        Move{State::throttled, State::cancelling},  Move{State::cancelled, State::lingering},  // by SentLate
    };
    return std::any_of(moves.begin(), moves.end(),
                       [&](const Move& move) { return move.from == from && move.to == to; });
}

}  // namespace gateway
