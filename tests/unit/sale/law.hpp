// Checks what must be true of every single decision of the law, whatever came before it. The checks are written from
// the promises and the table, not from the machine. The scenarios, the walk over all pairs and the random walk make
// them after every step.
#pragma once

#include "sale/machine.hpp"
#include "unit/support/seeded_random.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

namespace gateway {

// Prints the states and values in a failed expectation.
inline void PrintTo(AttemptState state, std::ostream* out) {
    *out << to_string(state);
}
inline void PrintTo(Status status, std::ostream* out) {
    *out << to_string(status);
}
inline void PrintTo(Attention attention, std::ostream* out) {
    *out << to_string(attention);
}
inline void PrintTo(Verdict verdict, std::ostream* out) {
    *out << to_string(verdict);
}
inline void PrintTo(ReasonCode code, std::ostream* out) {
    *out << to_string(code);
}

}  // namespace gateway

namespace gateway::test {

inline constexpr std::array all_states{
    AttemptState::requesting, AttemptState::held,         AttemptState::confirming, AttemptState::collecting,
    AttemptState::disputing,  AttemptState::retracting,   AttemptState::cancelling, AttemptState::lingering,
    AttemptState::awaiting,   AttemptState::sold,         AttemptState::cancelled,  AttemptState::refused,
    AttemptState::unsent,     AttemptState::unauthorised, AttemptState::throttled,
};
inline constexpr std::array all_known{
    Verdict::authorised, Verdict::refused,   Verdict::unsent,       Verdict::unauthorised, Verdict::throttled,
    Verdict::sold,       Verdict::cancelled, Verdict::no_such_sale, Verdict::declined,     Verdict::unknown,
};
inline constexpr std::array all_statuses{Status::PENDENTE, Status::AUTORIZADA, Status::EFETIVADA, Status::CANCELADA,
                                         Status::NEGADA};

inline bool one_of(AttemptState state, std::initializer_list<AttemptState> states) {
    return std::find(states.begin(), states.end(), state) != states.end();
}

inline bool may_have_been_confirmed(AttemptState state) {
    return one_of(state, {AttemptState::confirming, AttemptState::collecting, AttemptState::disputing});
}

inline bool is_being_cancelled(AttemptState state) {
    return one_of(state, {AttemptState::retracting, AttemptState::cancelling, AttemptState::lingering});
}

inline bool is_esim_state(AttemptState state) {
    return one_of(state,
                  {AttemptState::requesting, AttemptState::awaiting, AttemptState::sold, AttemptState::cancelled,
                   AttemptState::refused, AttemptState::unsent, AttemptState::unauthorised, AttemptState::throttled});
}

// Makes a sale that has just begun.
inline Sale new_sale(Family family, ConfirmMode mode = ConfirmMode::automatic) {
    static SeededRandom random(7);
    const WallTime wall = std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + std::chrono::hours(13);
    Sale sale{.id = SaleId::make(wall, random)};
    sale.family = family;
    sale.mode = mode;
    sale.valor = Cents{1099};
    sale.created_at = wall;
    Attempt attempt{.id_externo = IdExterno::make(wall, random)};
    attempt.created_at = wall;
    sale.attempts.push_back(std::move(attempt));
    return sale;
}

// Does what the driver does with a change that is durable.
inline void carry_out(Sale& sale, const Change& change, Instant now) {
    static SeededRandom random(8);
    sale.attempts.at(change.attempt) = change.next;
    sale.status = change.status;
    sale.settled = change.settled;
    if (change.day) sale.day = change.day;
    sale.attention = change.attention;
    sale.reason = change.reason;
    if (change.details) sale.details = *change.details;
    if (change.esim) sale.esim = change.esim;
    if (!change.again) return;
    Attempt fresh{.id_externo = IdExterno::make(change.at, random)};
    fresh.created_at = change.at;
    fresh.next_try = now + change.pause;
    sale.attempts.push_back(std::move(fresh));
}

// Makes of the sale what is left after the process was killed and started again: what is not in the journal is lost.
inline void forget_what_is_not_durable(Sale& sale, Instant now) {
    sale.patience = Instant::min();
    for (auto& attempt : sale.attempts) {
        attempt.next_try = now;
        attempt.tries = 0;
        attempt.renewed = false;
        attempt.turn = Step::cancelar;
        attempt.ask = false;
    }
}

inline std::string broken_by_attempt(const Attempt& before, const Attempt& after, const Event& event) {
    const auto* stated = std::get_if<Stated>(&event);
    const bool open_there = stated != nullptr && stated->status == Status::AUTORIZADA;
    if (after.state != before.state && !is_legal_move(before.state, after.state)) return "an illegal move";
    const bool may_be_there = std::holds_alternative<SentLate>(event) && before.state == AttemptState::cancelled;
    if (is_settled(before.state) && after.state != before.state && !open_there && !may_be_there)
        return "a settled attempt moved";
    const bool had_been_confirmed = before.state == AttemptState::cancelled || is_being_cancelled(before.state);
    if (is_being_cancelled(after.state) && after.confirm_time && !had_been_confirmed)
        return "cancelled as if no confirm had been sent";
    if (after.id_externo != before.id_externo || after.created_at != before.created_at) return "a request changed";
    if (before.confirm_time && after.confirm_time != before.confirm_time) return "a repeated confirm is not the same";
    if (before.cancel_time && after.cancel_time != before.cancel_time) return "a repeated cancel is not the same";
    if (!before.id_transacao.empty() && after.id_transacao != before.id_transacao) return "idTransacao changed";
    if (before.cancel_time && !before.confirm_time && after.confirm_time) return "a cancel turned back";
    return {};
}

inline std::string broken_by_state(const Sale& sale, const Attempt& attempt, bool current) {
    const auto state = attempt.state;
    // A restored copy of the journal may lack the decision.
    if (may_have_been_confirmed(state) && !attempt.confirm_time && state != AttemptState::disputing)
        return "confirmed without a decision to confirm";
    if (is_being_cancelled(state) && !attempt.cancel_time) return "cancelled without a decision to cancel";
    if (state == AttemptState::disputing && !attempt.cancel_time) return "disputed without a decision to cancel";
    if (state == AttemptState::held && (attempt.confirm_time || attempt.cancel_time)) return "held and yet decided";
    if (sale.family == Family::esim && !is_esim_state(state)) return "a state that an eSIM does not have";
    if (sale.family == Family::esim && (attempt.confirm_time || attempt.cancel_time)) return "an eSIM was decided";
    if (sale.family != Family::esim && state == AttemptState::awaiting) return "only an eSIM is called back";
    if (current) return {};
    if (attempt.confirm_time) return "tried again after a confirm";
    // A statement may have an attempt that was over cancelled again.
    const bool was_over = state == AttemptState::lingering || state == AttemptState::cancelling;
    if (!is_settled(state) && !was_over) return "tried again before the attempt was over";
    if (state == AttemptState::refused || state == AttemptState::throttled) return "tried again after a no";
    return {};
}

// Returns what the current attempt makes of a sale that is not final yet.
inline Status status_that_follows(const Attempt& attempt) {
    switch (attempt.state) {
        case AttemptState::requesting:
        case AttemptState::retracting: return Status::PENDENTE;
        case AttemptState::held:
        case AttemptState::confirming:
        case AttemptState::collecting:
        case AttemptState::disputing: return Status::AUTORIZADA;
        case AttemptState::awaiting: return attempt.id_transacao.empty() ? Status::PENDENTE : Status::AUTORIZADA;
        case AttemptState::sold: return Status::EFETIVADA;
        case AttemptState::refused: return Status::NEGADA;
        case AttemptState::cancelling:
        case AttemptState::lingering:
        case AttemptState::cancelled:
        case AttemptState::unsent:
        case AttemptState::unauthorised:
        case AttemptState::throttled: return Status::CANCELADA;
    }
    return Status::PENDENTE;
}

inline std::string broken_by_sale(const Sale& before, const Sale& after) {
    if (is_final(before.status) && after.status != before.status) return "a final status changed";
    if (!is_final(before.status) && after.status != status_that_follows(after.current()))
        return "a status that does not follow from the state";
    bool all_settled = is_final(after.status) && after.attention != Attention::contradiction;
    for (const auto& attempt : after.attempts)
        all_settled = all_settled && is_settled(attempt.state);
    if (after.settled != all_settled) return after.settled ? "settled too early" : "not settled though all is done";
    if (after.settled && (after.attention == Attention::unsettled || after.attention == Attention::no_callback ||
                          after.attention == Attention::no_cancel_path))
        return "settled, and yet a person is asked to settle it";
    const bool not_sold = after.status == Status::CANCELADA || after.status == Status::NEGADA;
    if (not_sold && !after.reason) return "not sold, and no reason why";
    if (after.status == Status::EFETIVADA && after.reason && after.reason->code != ReasonCode::by_operator)
        return "sold, and a reason why not";
    if (!before.details.instrucao.empty() && after.details.instrucao.empty()) return "goods were lost";
    const bool final_now = is_final(after.status) && !is_final(before.status);
    if (final_now ? !after.day : after.day != before.day) return "a movement day at another time than the final status";
    return {};
}

// Only somebody who knows may say that a sale is sold.
inline std::string broken_by_sold(const Sale& before, const Attempt& was, const Change& change, const Event& event) {
    if (change.status != Status::EFETIVADA || before.status == Status::EFETIVADA) return {};
    if (was.state == AttemptState::collecting) return {};  // the provider had said so before
    if (const auto* answered = std::get_if<Answered>(&event))
        if (answered->answer.verdict == Verdict::sold && answered->step != Step::solicitar) return {};
    if (const auto* called = std::get_if<CalledBack>(&event))
        if (called->status == Status::EFETIVADA && before.family == Family::esim) return {};
    if (const auto* resolved = std::get_if<Resolved>(&event))
        if (resolved->status == Status::EFETIVADA && before.attention != Attention::none) return {};
    if (const auto* stated = std::get_if<Stated>(&event))
        if (stated->status == Status::EFETIVADA && one_of(was.state, {AttemptState::disputing, AttemptState::awaiting}))
            return {};
    return "sold, and nobody said so";
}

// A statement decides only what the provider was asked and did not answer, and only in the way it says.
inline std::string broken_by_statement(const Sale& before, const Attempt& was, const Change& change,
                                       const Event& event) {
    const auto* stated = std::get_if<Stated>(&event);
    if (stated == nullptr) return change.stated == StatedEffect::nothing ? "" : "a statement's word that nobody said";
    const bool moved = change.next.state != was.state;
    if (moved != (change.stated == StatedEffect::settled || change.stated == StatedEffect::repeated))
        return "a statement moved something, or did not, and it is told otherwise";
    if (!moved) return change.status == before.status ? "" : "a statement gave a status to what it did not move";
    if (is_settled(was.state))
        return change.status == before.status && change.stated == StatedEffect::repeated ? "" : "a statement overruled";
    if (!one_of(was.state, {AttemptState::disputing, AttemptState::awaiting})) return "a statement interfered";
    const bool as_it_says = change.status == stated->status || change.next.state == AttemptState::collecting;
    if (change.stated != StatedEffect::settled || !as_it_says) return "a statement decided what it did not say";
    return stated->status == Status::NEGADA && before.family != Family::esim ? "NEGADA after AUTORIZADA" : "";
}

// A status that is not final changes nothing that is recorded, and lets the next exchange go out when it would have.
inline std::string broken_by_status(const Attempt& was, const Change& change, const Event& event) {
    const auto* answered = std::get_if<Answered>(&event);
    if (answered == nullptr || answered->step != Step::consultar) return {};
    const auto verdict = answered->answer.verdict;
    if (verdict == Verdict::sold || verdict == Verdict::cancelled || verdict == Verdict::refused) return {};
    if (!change.changes_nothing) return "a status that says nothing changed something";
    const bool asked_for_its_own_sake = change.next.tries > was.tries;
    const bool repeated = verdict == Verdict::unauthorised && !was.renewed;
    if (!asked_for_its_own_sake && !repeated && change.next.next_try != was.next_try)
        return "a status that says nothing put off what follows";
    if (!repeated && change.next.ask) return "asked twice for one confirm or cancel";
    return {};
}

// For a request that was sent late, the sale only waits.
inline std::string broken_by_sent_late(const Sale& before, const Attempt& was, const Change& change,
                                       const Event& event) {
    if (!std::holds_alternative<SentLate>(event)) return {};
    if (change.status != before.status) return "what was sent late gave a status";
    const bool waits =
        was.state == AttemptState::lingering || (was.state == AttemptState::cancelled && was.id_transacao.empty());
    const bool moved = change.next.state != was.state;
    if (!waits) return moved || !change.changes_nothing ? "what was sent late moved something" : "";
    return change.next.state == AttemptState::lingering || (!moved && change.changes_nothing)
               ? ""
               : "what was sent late is not waited for";
}

// A person has to look at an attempt that was sold although the sale is not, or is by another attempt.
inline std::string broken_by_surprise(const Attempt& was, const Change& change, const Sale& after) {
    if (change.next.state != AttemptState::sold || was.state == AttemptState::sold) return {};
    const bool the_sales = after.status == Status::EFETIVADA && change.attempt + 1 == after.attempts.size();
    return the_sales || after.attention == Attention::contradiction ? "" : "sold in silence";
}

inline std::string broken_by_again(const Rules& rules, const Sale& before, const Change& change, Instant now) {
    if (!change.again) return {};
    if (is_final(before.status)) return "tried again after a final status";
    if (change.attempt + 1 != before.attempts.size()) return "tried again for an attempt that is over";
    const auto of_state = [&](AttemptState state) {
        return std::count_if(before.attempts.begin(), before.attempts.end(),
                             [&](const Attempt& attempt) { return attempt.state == state; });
    };
    const auto state = change.next.state;
    if (state == AttemptState::unauthorised)
        return of_state(AttemptState::unauthorised) == 0 ? "" : "tried again after a second 401";
    if (!one_of(state, {AttemptState::unsent, AttemptState::lingering, AttemptState::cancelled}))
        return "tried again though nobody knows that nothing is there";
    const auto counted = static_cast<long>(before.attempts.size()) - of_state(AttemptState::unauthorised);
    if (counted >= rules.max_attempts) return "too many attempts";
    if (now + rules.attempt_time > before.patience) return "tried again though nobody waits";
    return {};
}

// Checks what may be sent, and that nothing unsettled is forgotten.
inline std::string broken_by_act(const Rules& rules, const Sale& sale, std::size_t index, Instant now) {
    const auto& attempt = sale.attempts.at(index);
    const auto act = next_action(rules, sale, index, now);
    const bool cancellable = rules.cancellable(sale.family);
    if (act.kind == Action::Kind::exchange) {
        if (is_settled(attempt.state)) return "something is sent for a settled attempt";
        const bool requests = attempt.state == AttemptState::requesting;
        if (requests != (act.step == Step::solicitar)) return "asked for twice";
        if (act.step == Step::confirmar && !attempt.confirm_time) return "a confirm nobody decided";
        if (act.step == Step::confirmar && outcome_of(sale) == Outcome::not_sold)
            return "a confirm of what is not sold";
        if (act.step == Step::cancelar && !attempt.cancel_time) return "a cancel nobody decided";
        if (act.step == Step::cancelar && !cancellable) return "a cancel where there is none";
        const bool settles = act.step == Step::confirmar || act.step == Step::cancelar;
        if (sale.family == Family::esim && settles) return "an eSIM has neither confirm nor cancel";
        const bool word_is_missing = attempt.state == AttemptState::confirming ||
                                     attempt.state == AttemptState::disputing ||
                                     attempt.state == AttemptState::awaiting || is_being_cancelled(attempt.state);
        if (act.step == Step::consultar && !(rules.askable(attempt) && word_is_missing))
            return "asked how it stands where that is not asked";
    }
    if (act.kind != Action::Kind::rest || is_settled(attempt.state)) return {};
    const bool never_confirmed = attempt.state == AttemptState::disputing && !attempt.confirm_time;  // it was restored
    const bool nobody_can_go_on = attempt.state == AttemptState::awaiting ||
                                  (!cancellable && (is_being_cancelled(attempt.state) || never_confirmed));
    if (!nobody_can_go_on) return "forgotten";
    return sale.attention == Attention::none ? "left to a person who is not asked" : "";
}

inline bool durably_equal(const Attempt& a, const Attempt& b) {
    return a.state == b.state && a.id_transacao == b.id_transacao && a.confirm_time == b.confirm_time &&
           a.cancel_time == b.cancel_time && a.deadline == b.deadline && a.attention_at == b.attention_at;
}

// A change that is said to change nothing is not recorded, so it must change nothing.
inline std::string broken_by_silence(const Sale& before, const Change& change) {
    if (!change.changes_nothing) return {};
    const bool same = durably_equal(change.next, before.attempts.at(change.attempt)) &&
                      change.status == before.status && change.settled == before.settled &&
                      change.attention == before.attention && !change.details && !change.esim && !change.again;
    return same ? "" : "a change that is not written down";
}

// Returns what is wrong with a decision and with the sale that it leads to; empty where nothing is.
inline std::string broken_law(const Rules& rules, const Sale& before, const Event& event, const Change& change,
                              const Sale& after, Instant now) {
    const auto& was = before.attempts.at(change.attempt);
    const auto& is = after.attempts.at(change.attempt);
    for (auto&& broken : {broken_by_attempt(was, is, event), broken_by_sold(before, was, change, event),
                          broken_by_statement(before, was, change, event),
                          broken_by_sent_late(before, was, change, event), broken_by_status(was, change, event),
                          broken_by_surprise(was, change, after), broken_by_again(rules, before, change, now),
                          broken_by_silence(before, change), broken_by_sale(before, after)})
        if (!broken.empty()) return broken;
    for (std::size_t i = 0; i < after.attempts.size(); ++i) {
        const bool current = i + 1 == after.attempts.size();
        if (auto broken = broken_by_state(after, after.attempts[i], current); !broken.empty()) return broken;
        if (auto broken = broken_by_act(rules, after, i, now); !broken.empty()) return broken;
    }
    return {};
}

}  // namespace gateway::test
