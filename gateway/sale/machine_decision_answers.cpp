// This file says what follows from an answer of the provider, by the state that it meets.
#include "sale/machine_decision.hpp"

namespace gateway {

void Decision::on(const Answered& event) {
    switch (event.step) {
        case Step::solicitar: return solicitar_answered(event.answer);
        case Step::confirmar: return confirmar_answered(event.answer);
        case Step::cancelar: return cancelar_answered(event.answer);
        case Step::consultar: return consultar_answered(event.answer);
    }
}

void Decision::solicitar_answered(const Answer& answer) {
    state() == State::requesting ? requested(answer) : request_answer_came_late(answer);
}

void Decision::requested(const Answer& answer) {
    learn(answer);
    switch (answer.verdict) {
        case Verdict::authorised:
            change_.reason.reset();  // it belongs to an earlier attempt
            if (is_by_callback(sale_.family)) return to_awaiting();
            return sale_.mode == ConfirmMode::manual ? to_held() : to_confirming();
        case Verdict::refused:
            move(State::refused);
            change_.reason = answer.reason;
            return;
        case Verdict::unsent: return to_nothing_there(State::unsent, answer.reason);
        case Verdict::unauthorised: return to_nothing_there(State::unauthorised, answer.reason);
        case Verdict::throttled: return to_nothing_there(State::throttled, answer.reason);
        case Verdict::sold:
        case Verdict::cancelled:
        case Verdict::no_such_sale:
        case Verdict::declined:
        case Verdict::unknown:
            if (is_by_callback(sale_.family)) return to_awaiting();
            if (cancellable() && may_try_again()) return to_retracting(answer.reason);
            return to_cancelling(answer.reason);
    }
}

// The terminal cancelled the sale, or a callback or a person decided it, while the request was under way.
void Decision::request_answer_came_late(const Answer& answer) {
    learn(answer);
    switch (answer.verdict) {
        case Verdict::refused:
            if (state() == State::sold) return contradicted();
            [[fallthrough]];
        case Verdict::unsent:
        case Verdict::unauthorised:
        case Verdict::throttled:
            if (state() == State::cancelling) move(State::cancelled);
            return;
        case Verdict::authorised:
        case Verdict::sold:
        case Verdict::cancelled:
        case Verdict::no_such_sale:
        case Verdict::declined:
        case Verdict::unknown: return;
    }
}

// The states that are not named here send no confirm.
void Decision::confirmar_answered(const Answer& answer) {
    if (state() == State::confirming) return confirmed(answer);
    if (state() == State::disputing) return confirmed_while_disputing(answer);
    if (state() == State::collecting) return collected(answer);
    // An operator decided while the confirm was under way.
    if (state() == State::sold && answer.verdict == Verdict::sold) learn(answer);
    if (state() == State::sold && answer.verdict == Verdict::cancelled) contradicted();
    if (state() == State::cancelled && answer.verdict == Verdict::sold) contradicted();
}

void Decision::confirmed(const Answer& answer) {
    learn(answer);
    if (answer.verdict == Verdict::sold) return to_sold();
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    if (answer.verdict != Verdict::cancelled) {
        again_later(answer.reason);
        return ask_first();
    }
    move(State::cancelled);
    change_.reason = answer.reason;
}

void Decision::confirmed_while_disputing(const Answer& answer) {
    learn(answer);
    if (answer.verdict == Verdict::sold) return to_sold();
    if (answer.verdict == Verdict::cancelled) return settle_cancel();
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    next().turn = Step::cancelar;
    again_later(answer.reason);
    ask_first();
}

void Decision::collected(const Answer& answer) {
    if (is_final(sale_.status)) return confirmed_once_more(answer);
    learn(answer);
    if (answer.verdict == Verdict::cancelled) return sold_against_the_rules(answer);  // it had said EFETIVADA before
    if (!details().instrucao.empty()) return move(State::sold);
    if (answer.verdict == Verdict::sold || answer.verdict == Verdict::no_such_sale) return to_undeliverable();
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    again_later(answer.reason);
}

// The confirm was sent once more because a statement said AUTORIZADA. Only EFETIVADA and CANCELADA answer it.
void Decision::confirmed_once_more(const Answer& answer) {
    if (answer.verdict == Verdict::cancelled) return sold_against_the_rules(answer);
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    if (answer.verdict != Verdict::sold) return again_later(answer.reason);
    add_what_was_missing(answer);
    move(State::sold);
}

// The states that are not named here send no cancel.
void Decision::cancelar_answered(const Answer& answer) {
    if (answer.without_status && !rules_.trusts_cancel_4xx) {
        auto distrusted = answer;
        distrusted.verdict = Verdict::declined;
        distrusted.without_status = false;
        return cancelar_answered(distrusted);
    }
    if (state() == State::retracting) return retracted(answer);
    if (state() == State::cancelling) return cancel_answered(answer);
    if (state() == State::lingering) return lingering_answered(answer);
    if (state() == State::disputing) return cancelled_while_disputing(answer);
    if (state() == State::sold && answer.verdict == Verdict::cancelled) contradicted();
    if (state() == State::cancelled && answer.verdict == Verdict::sold) contradicted();
}

// The provider agrees that the attempt is cancelled. If its idTransacao was never seen, the request may still be on its
// way and would be processed after its own cancel. One more cancel follows then, when the request can no longer arrive.
void Decision::settle_cancel() {
    if (next().id_transacao.empty() && state() != State::disputing) return to_lingering();
    move(State::cancelled);
}

void Decision::sold_against_the_rules(const Answer& answer) {
    learn(answer);
    move(State::sold);
    contradicted();
}

void Decision::retracted(const Answer& answer) {
    if (answer.verdict == Verdict::sold) return sold_against_the_rules(answer);
    if (answer.verdict == Verdict::cancelled) {
        const bool again = may_try_again();
        settle_cancel();
        change_.again = again;
        return;
    }
    if (answer.verdict == Verdict::no_such_sale) return to_lingering();
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    cancel_again_later(answer);
}

void Decision::cancel_answered(const Answer& answer) {
    if (answer.verdict == Verdict::sold) return sold_against_the_rules(answer);
    if (answer.verdict == Verdict::cancelled) return settle_cancel();
    if (answer.verdict == Verdict::no_such_sale) return to_lingering();
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    cancel_again_later(answer);
}

void Decision::lingering_answered(const Answer& answer) {
    if (answer.verdict == Verdict::sold) return sold_against_the_rules(answer);
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    if (answer.verdict != Verdict::cancelled && answer.verdict != Verdict::no_such_sale)
        return cancel_again_later(answer);
    if (next().deadline_is_certain) return move(State::cancelled);
    wait_for_late_arrival();
    answered_after_all();
    next().tries = 0;
    change_.changes_nothing = false;
}

void Decision::cancelled_while_disputing(const Answer& answer) {
    // Until a person has found out, the provider is asked again, slowly.
    if (others_may_have_followed() && answer.verdict == Verdict::cancelled) return again_later(answer.reason);
    learn(answer);
    if (answer.verdict == Verdict::sold) return to_sold();
    if (answer.verdict == Verdict::cancelled) return settle_cancel();
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    // The cancel was declined without a word on the status, so the confirm is sent again: its answer may tell the
    // status. Where the journal does not know that a confirm was sent, sending one could sell what has been cancelled
    // since.
    const bool declined = answer.verdict == Verdict::no_such_sale || answer.verdict == Verdict::declined;
    if (declined && next().confirm_time) next().turn = Step::confirmar;
    again_later(answer.reason);
    ask_first();
}

// A cancel may have been declined because the sale is over, and a cancel without an answer may have been processed. The
// status tells which, before the cancel is sent again.
void Decision::cancel_again_later(const Answer& answer) {
    again_later(answer.reason);
    ask_first();
}

// If the answer has no final status, nothing is lost: the step follows that would have come without asking.
void Decision::consultar_answered(const Answer& answer) {
    if (answer.verdict == Verdict::unauthorised && !next().renewed) return again_with_new_token(answer.reason);
    next().ask = false;
    next().renewed = false;
    const bool not_sold = answer.verdict == Verdict::cancelled || answer.verdict == Verdict::refused;
    if (answer.verdict != Verdict::sold && !not_sold) return asked_in_vain(answer);
    if (others_may_have_followed() && not_sold) return asked_in_vain(answer);
    if (state() == State::awaiting) return callback_status_told(answer);
    if (state() == State::confirming) return confirmed(answer);
    // A callback came, or an operator decided, while the provider was asked.
    if (state() == State::sold && not_sold) return contradicted();
    if (state() == State::refused && !not_sold) return contradicted();
    cancelar_answered(answer);
}

// If a confirm or a cancel is next, it is sent at once, as if nothing had been asked.
void Decision::asked_in_vain(const Answer& answer) {
    if (is_only_asked(rules_, sale_.family, next())) ask_again_later(answer.reason);
}

void Decision::callback_status_told(const Answer& answer) {
    learn(answer);
    if (answer.verdict == Verdict::sold) return sold_without_callback();
    move(answer.verdict == Verdict::refused ? State::refused : State::cancelled);
    change_.reason = answer.reason;
    change_.reason->code = ReasonCode::refused;  // the reason that its callback would give
}

}  // namespace gateway
