#include "sale/machine_decision.hpp"

#include "base/check.hpp"
#include "sale/movement_day.hpp"

#include <algorithm>
#include <functional>

namespace gateway {
namespace {

using State = AttemptState;

// Repeats are spread by "full jitter": anywhere between the floor and a bound that doubles with every try.
constexpr Duration backoff_floor{50};
constexpr Duration backoff_first{500};
constexpr Duration backoff_most{30'000};
// Once a person was asked to look, nothing is gained by hurry.
constexpr Duration backoff_slow{300'000};
// Where a status is all that can be asked for, it is asked for seldom: a callback, or a person, may still bring it. It
// is never given up, for a callback that was lost does not come again.
constexpr Duration ask_pause_first{30'000};
constexpr Duration ask_pause_most{600'000};
// A provider that asks for patience gets it, within reason.
constexpr std::chrono::seconds retry_after_most{300};
// Between two attempts: long enough for a hiccup to pass, hardly noticed by a cashier.
constexpr Duration attempt_pause{250};

Duration doubled(Duration first, int times) {
    return first * (1 << std::min(times, 12));
}

// What a sale is, by its current attempt.
Status status_by(State state, std::string_view id_transacao) {
    switch (state) {
        case State::requesting:
        case State::retracting: return Status::PENDENTE;
        case State::held:
        case State::confirming:
        case State::collecting:
        case State::disputing: return Status::AUTORIZADA;
        case State::awaiting: return id_transacao.empty() ? Status::PENDENTE : Status::AUTORIZADA;
        case State::sold: return Status::EFETIVADA;
        case State::refused: return Status::NEGADA;
        case State::cancelling:
        case State::lingering:
        case State::cancelled:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return Status::CANCELADA;
    }
    CHECK(false);
}
Status status_by(const Attempt& attempt) {
    return status_by(attempt.state, attempt.id_transacao);
}

// Whether an attempt of the family can be there: one that has neither confirm nor cancel waits for its callback.
bool suits(Family family, State state) {
    switch (state) {
        case State::awaiting: return is_by_callback(family);
        case State::held:
        case State::confirming:
        case State::collecting:
        case State::disputing:
        case State::retracting:
        case State::cancelling:
        case State::lingering: return !is_by_callback(family);
        case State::requesting:
        case State::sold:
        case State::cancelled:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return true;
    }
    return false;
}

// NEGADA as a sale may be and its attempt in one of these: only a statement leads there.
bool was_asked_to_cancel(State state) {
    return state == State::cancelling || state == State::lingering || state == State::cancelled;
}

// Answered 401: not processed, and tried again without counting.
bool was_401(const Attempt& attempt) {
    return attempt.state == State::unauthorised;
}

}  // namespace

bool is_possible(const Sale& sale) noexcept {
    if (sale.attempts.empty()) return false;
    const bool suited =
        std::ranges::all_of(sale.attempts, [&](const Attempt& attempt) { return suits(sale.family, attempt.state); });
    const bool all_settled =
        std::ranges::all_of(sale.attempts, [](const Attempt& attempt) { return is_settled(attempt.state); });
    if (!suited || (sale.settled && !all_settled)) return false;
    if (is_final(sale.status)) return is_possible_end(sale.status, sale.current().state, sale.reason.has_value());
    return !sale.settled && !is_final(status_by(sale.current()));
}

bool is_possible_end(Status status, State latest, bool has_reason) noexcept {
    constexpr std::string_view no_matter;  // to a state that ends as something
    const auto by_attempt = status_by(latest, no_matter);
    if (status == by_attempt) return true;
    // Those that differ: the confirm or the cancel of what is final is sent once more, because a statement has it open;
    // and the provider sold against its own rules what was not sold already, which has its reason.
    if (status == Status::EFETIVADA) return latest == State::collecting;
    if (status == Status::NEGADA && by_attempt == Status::CANCELADA) return was_asked_to_cancel(latest);
    return by_attempt == Status::EFETIVADA && has_reason;
}

Decision::Decision(const Rules& rules, const Sale& sale, std::size_t attempt, const Context& context)
    : rules_(rules),
      sale_(sale),
      context_(context),
      change_{.at = context.wall,
              .attempt = attempt,
              .next = sale.attempts.at(attempt),
              .status = sale.status,
              .settled = sale.settled,
              .attention = sale.attention,
              .reason = sale.reason} {
    change_.changes_nothing = true;
}

void Decision::move(State to) {
    CHECK(is_legal_move(change_.next.state, to));
    change_.next.state = to;
    change_.next.deadline = never;
    change_.next.attention_at = never;
    change_.next.next_try = context_.now;
    change_.next.tries = 0;
    change_.next.renewed = false;
    change_.next.ask = false;
    change_.next.deadline_is_certain = false;
    change_.changes_nothing = false;
}

void Decision::to_confirming() {
    move(State::confirming);
    next().confirm_time = context_.wall;
    next().deadline = context_.now + rules_.confirm_window;
}

void Decision::to_held() {
    move(State::held);
    next().deadline = context_.now + rules_.hold;
}

void Decision::to_cancelling(Reason reason) {
    move(State::cancelling);
    decide_to_cancel(std::move(reason));
    if (cancellable()) return;
    next().attention_at = never;  // a person is asked at once
    change_.attention = Attention::no_cancel_path;
}

// No further attempt will be made: only the terminal is told something else, the same cancel goes on.
void Decision::stop_retracting(Reason reason) {
    Attempt same = next();
    to_cancelling(std::move(reason));
    same.state = State::cancelling;
    same.deadline = never;
    next() = std::move(same);
}

void Decision::to_retracting(Reason reason) {
    move(State::retracting);
    decide_to_cancel(std::move(reason));
    next().deadline = sale_.patience - rules_.attempt_time;
}

void Decision::to_disputing(std::string why) {
    move(State::disputing);
    decide_to_cancel({.code = ReasonCode::provider_error, .detail = std::move(why)});
    next().turn = Step::cancelar;
}

void Decision::to_lingering() {
    move(State::lingering);
    wait_for_late_arrival();
    answered_after_all();
}

void Decision::wait_for_late_arrival() {
    next().deadline = context_.now + rules_.late_arrival;
    next().deadline_is_certain = true;
    next().ask = false;  // the last cancel is sent in any case
    next().attention_at = next().deadline + rules_.attention_after;
}

// Takes the mark off that the provider does not say how the attempt stands, unless it is another attempt's as well.
void Decision::answered_after_all() {
    if (change_.attention != Attention::unsettled) return;
    for (std::size_t i = 0; i < sale_.attempts.size(); ++i)
        if (i != change_.attempt && !is_settled(sale_.attempts[i].state)) return;
    change_.attention = Attention::none;
}

void Decision::to_awaiting() {
    move(State::awaiting);
    next().attention_at = context_.now + rules_.attention_after;
}

// Sold, with the goods or, for a family whose goods come with the confirm, after one more try to get them.
void Decision::to_sold() {
    if (!details().instrucao.empty()) return move(State::sold);
    const auto delivery = traits_of(sale_.family).delivery;
    if (delivery == Delivery::none) return move(State::sold);
    // There is no confirm to repeat, where none brings the goods or a restored copy of the journal does not know of it.
    if (delivery == Delivery::with_request || !next().confirm_time) return to_undeliverable();
    move(State::collecting);
    next().deadline = context_.now + rules_.confirm_window;
}

void Decision::to_undeliverable() {
    move(State::sold);
    change_.attention = Attention::undeliverable;
}

// The window is over in which the confirm was sent once more.
void Decision::stop_collecting() {
    if (!is_final(sale_.status)) return to_undeliverable();
    move(State::sold);  // as it was before a statement had it AUTORIZADA
}

// The request is known not to be at the provider.
void Decision::to_nothing_there(State to, const Reason& reason) {
    const bool first_401 =
        to == State::unauthorised && std::none_of(sale_.attempts.begin(), sale_.attempts.end(), was_401);
    move(to);
    change_.reason = reason;
    if (first_401) {
        change_.again = true;
    } else if (to == State::unsent && may_try_again()) {
        change_.again = true;
        change_.pause = attempt_pause;
    }
}

void Decision::decide_to_cancel(Reason reason) {
    next().cancel_time = context_.wall;
    next().attention_at = context_.now + rules_.attention_after;
    if (!is_final(sale_.status)) change_.reason = std::move(reason);
}

void Decision::learn(const Answer& answer) {
    if (!answer.id_transacao.empty() && next().id_transacao.empty()) {
        next().id_transacao = answer.id_transacao;
        change_.changes_nothing = false;
    }
    if (answer.verdict != Verdict::authorised && answer.verdict != Verdict::sold) return;
    // Most confirms bring nothing new, and what the journal has is not written twice.
    if (auto learned = merged(details(), answer.details); learned != details()) change_.details = std::move(learned);
    change_.changes_nothing = false;
}

// What was sold stays as the terminal was told: an answer that comes later adds what is missing.
void Decision::add_what_was_missing(const Answer& answer) {
    change_.details = merged(answer.details, details());
    change_.changes_nothing = false;
    if (change_.attention == Attention::undeliverable && !details().instrucao.empty())
        change_.attention = Attention::none;
}

void Decision::contradicted() {
    change_.attention = Attention::contradiction;
    change_.changes_nothing = false;
}

void Decision::again_between(Duration least, Duration most, const Reason& reason) {
    const auto share = static_cast<std::int64_t>(context_.chance >> 1);  // of 2^31
    const auto spread = (most - least).count() * share / 0x8000'0000LL;
    const Duration asked = std::min(reason.retry_after.value_or(std::chrono::seconds(0)), retry_after_most);
    next().next_try = context_.now + std::max(asked, least + Duration(spread));
    next().tries += 1;
    next().renewed = false;
}

void Decision::again_later(const Reason& reason) {
    const auto most = change_.attention == Attention::none ? backoff_most : backoff_slow;
    again_between(backoff_floor, std::min(most, doubled(backoff_first, next().tries)), reason);
}

void Decision::ask_first() {
    next().ask = rules_.askable(next());
}

void Decision::ask_again_later(const Reason& reason) {
    const auto bound = std::min(ask_pause_most, doubled(ask_pause_first, next().tries));
    again_between(bound / 2, bound, reason);
}

// A 401 costs a new token and no time; a provider that says it again to the new one is treated as unwell. After
// every wait a 401 gets its new token at once again: the token may have run out while the sale waited.
void Decision::again_with_new_token(const Reason& reason) {
    if (next().renewed) return again_later(reason);
    next().next_try = context_.now;
    next().renewed = true;
}

bool Decision::may_try_again() const {
    const auto counted = std::count_if(sale_.attempts.begin(), sale_.attempts.end(), std::not_fn(was_401));
    return is_current() && !is_final(sale_.status) && counted < rules_.max_attempts &&
           context_.now + rules_.attempt_time <= sale_.patience;
}

Change Decision::finish() {
    // A final status never changes, and an attempt that came before says nothing of the sale.
    if (!is_final(sale_.status) && is_current()) change_.status = change_.again ? Status::PENDENTE : status_by(next());
    if (change_.status == Status::EFETIVADA && (!change_.reason || change_.reason->code != ReasonCode::by_operator))
        change_.reason.reset();

    if (is_final(change_.status) && !is_final(sale_.status))
        change_.day = movement_day(rules_, details(), context_.wall);

    bool settled = is_final(change_.status) && change_.attention != Attention::contradiction && is_settled(state());
    for (std::size_t i = 0; i < sale_.attempts.size(); ++i)
        if (i != change_.attempt) settled = settled && is_settled(sale_.attempts[i].state);
    change_.settled = settled;
    if (settled && is_passing(change_.attention)) change_.attention = Attention::none;
    return std::move(change_);
}

}  // namespace gateway
