#include "sale/machine_decision.hpp"

#include "base/check.hpp"
#include "sale/movement_day.hpp"

#include <algorithm>
#include <functional>

namespace gateway {
namespace {

using State = AttemptState;

// Repeats are spread by "full jitter": the pause is anywhere between the floor and a bound that doubles with every try.
constexpr Duration backoff_floor{50};
constexpr Duration backoff_first{500};
constexpr Duration backoff_most{30'000};
// Once a person was asked to look, hurry gains nothing.
constexpr Duration backoff_slow{300'000};
// Where nothing can be sent but the question how the attempt stands, it is asked seldom: a callback, or a person, may
// still bring the answer. The gateway never gives up asking, because a callback that was lost does not come again.
constexpr Duration ask_pause_first{30'000};
constexpr Duration ask_pause_most{600'000};
// A provider that sends Retry-After gets that pause, but no longer one than this.
constexpr std::chrono::seconds retry_after_most{300};
// The pause between two attempts lets a hiccup pass, and a cashier hardly notices it.
constexpr Duration attempt_pause{250};

Duration doubled(Duration first, int times) {
    return first * (1 << std::min(times, 12));
}

// Returns the status that a sale has by the state of its current attempt.
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

// Tells whether an attempt of this family can be in this state. An attempt of a family without confirm and cancel waits
// for its callback.
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
    CHECK(false);
}

// A sale that is NEGADA may have its attempt in one of these states. Only a statement leads there.
bool was_asked_to_cancel(State state) {
    return state == State::cancelling || state == State::lingering || state == State::cancelled;
}

// Such an attempt was answered 401, so it was not processed, and it does not count against max_attempts.
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
    return !is_final(status_by(sale.current()));
}

bool is_possible_end(Status status, State latest, bool has_reason) noexcept {
    constexpr std::string_view no_matter;  // a state that is final does not need it
    const auto by_attempt = status_by(latest, no_matter);
    if (status == by_attempt) return true;
    // The two differ in three cases. A confirm, or a cancel, of a final sale is sent once more, because a statement has
    // the sale open. Or the provider sold, against its own rules, a sale that was already not sold; that one has its
    // reason.
    if (status == Status::EFETIVADA) return latest == State::collecting;
    if (by_attempt == Status::CANCELADA) return was_asked_to_cancel(latest);  // the status is NEGADA
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
    next().attention_at = never;  // because a person is asked at once
    change_.attention = Attention::no_cancel_path;
}

// No further attempt will be made. Only what the terminal is told changes; the same cancel goes on.
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
}

void Decision::to_lingering() {
    move(State::lingering);
    wait_for_late_arrival();
    answered_after_all();
}

void Decision::wait_for_late_arrival() {
    next().deadline = context_.now + rules_.late_arrival;
    next().deadline_is_certain = true;
    next().ask = false;  // because the last cancel is sent in any case
    next().attention_at = next().deadline + rules_.attention_after;
}

// The provider has said how the attempt stands, so the mark `unsettled` is removed, unless another attempt is open that
// the mark may be about.
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

// The sale is sold. If its family's goods come with the confirm and are missing, the confirm is sent once more to get
// them.
void Decision::to_sold() {
    if (!details().instrucao.empty()) return move(State::sold);
    const auto delivery = traits_of(sale_.family).delivery;
    if (delivery == Delivery::none) return move(State::sold);
    // There is no confirm to repeat where it does not bring the goods, or where a restored copy of the journal does not
    // know whether one was sent.
    if (delivery == Delivery::with_request || !next().confirm_time) return to_undeliverable();
    move(State::collecting);
    next().deadline = context_.now + rules_.confirm_window;
}

void Decision::to_undeliverable() {
    move(State::sold);
    change_.attention = Attention::undeliverable;
}

// The window for sending the confirm once more is over.
void Decision::stop_collecting() {
    if (!is_final(sale_.status)) return to_undeliverable();
    move(State::sold);  // as it was before a statement said AUTORIZADA
}

// It is known that the provider does not have the request.
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
    // Most confirms bring nothing new, and what the journal already has is not written again.
    if (auto learned = merged(details(), answer.details); learned != details()) change_.details = std::move(learned);
    change_.changes_nothing = false;
}

// What was sold stays as the terminal was told. An answer that comes later only adds what is missing.
void Decision::add_what_was_missing(const Answer& answer) {
    change_.details = merged(answer.details, details());
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

// A new token is got at once after the first 401. If the provider answers 401 to the new token as well, the next try
// waits, as after any other failure. After each wait the first 401 again gets a new token at once, because the token
// may have run out while the sale waited.
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
    // A final status never changes, and an earlier attempt says nothing about the sale.
    if (!is_final(sale_.status) && is_current()) change_.status = change_.again ? Status::PENDENTE : status_by(next());
    if (change_.status == Status::EFETIVADA && change_.reason.value_or(Reason{}).code != ReasonCode::by_operator)
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
