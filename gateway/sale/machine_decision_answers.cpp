// What follows from an answer of the provider, by the state that it meets.
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

// In the other states it was the request's answer that led there.
void Decision::solicitar_answered(const Answer& answer) {
    if (state() == State::requesting) return requested(answer);
    const bool decided_without_it = state() == State::cancelling || state() == State::sold ||
                                    state() == State::cancelled || state() == State::refused;
    if (decided_without_it) request_answer_came_late(answer);
}

void Decision::requested(const Answer& answer) {
    learn(answer);
    switch (answer.verdict) {
        case Verdict::authorised:
            change_.reason.reset();  // of an attempt before this one
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

// The sale was cancelled by its terminal, or decided by a callback or a person, while the request was under way.
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

// No confirm is sent from the states that are not named.
void Decision::confirmar_answered(const Answer& answer) {
    if (state() == State::confirming) return confirmed(answer);
    if (state() == State::disputing) return confirmed_while_disputing(answer);
    if (state() == State::collecting) return collected(answer);
    // An operator has decided while the confirm was under way.
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
    if (answer.verdict == Verdict::cancelled) return sold_against_the_rules(answer);  // it had said EFETIVADA
    if (!details().instrucao.empty()) return move(State::sold);
    if (answer.verdict == Verdict::sold || answer.verdict == Verdict::no_such_sale) return to_undeliverable();
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    again_later(answer.reason);
}

// A statement had it AUTORIZADA. Only EFETIVADA and CANCELADA are words on that.
void Decision::confirmed_once_more(const Answer& answer) {
    if (answer.verdict == Verdict::cancelled) return sold_against_the_rules(answer);
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    if (answer.verdict != Verdict::sold) return again_later(answer.reason);
    add_what_was_missing(answer);
    move(State::sold);
}

// No cancel is sent from the states that are not named.
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

// The provider agrees that it is cancelled. A request whose idTransacao was never seen may still be on its way, and
// would come to life after its own cancel: one more cancel follows when it can no longer come.
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
    // Until a person has found out, it is asked again, slowly.
    if (others_may_have_followed() && answer.verdict == Verdict::cancelled) return again_later(answer.reason);
    learn(answer);
    if (answer.verdict == Verdict::sold) return to_sold();
    if (answer.verdict == Verdict::cancelled) return settle_cancel();
    if (answer.verdict == Verdict::unauthorised) return again_with_new_token(answer.reason);
    // Declined without a word on its status: the confirm, sent again, may bring the word. Where the journal does not
    // know of one, it could sell what was cancelled since.
    const bool declined = answer.verdict == Verdict::no_such_sale || answer.verdict == Verdict::declined;
    if (declined && next().confirm_time) next().turn = Step::confirmar;
    again_later(answer.reason);
    ask_first();
}

// A cancel that was declined may have been so because the sale is over, and one that no answer came to may have got
// through: the status tells before it is sent again.
void Decision::cancel_again_later(const Answer& answer) {
    again_later(answer.reason);
    ask_first();
}

// A word that the answer does not have is not missed here: what would have been done is done.
void Decision::consultar_answered(const Answer& answer) {
    if (answer.verdict == Verdict::unauthorised && !next().renewed) return again_with_new_token(answer.reason);
    next().ask = false;
    next().renewed = false;
    const bool not_sold = answer.verdict == Verdict::cancelled || answer.verdict == Verdict::refused;
    if (answer.verdict != Verdict::sold && !not_sold) return asked_in_vain(answer);
    if (others_may_have_followed() && not_sold) return asked_in_vain(answer);
    if (state() == State::awaiting) return callback_status_told(answer);
    if (state() == State::confirming) return confirmed(answer);
    // A callback has come, or an operator has decided, while it was asked for.
    if (state() == State::sold && not_sold) return contradicted();
    if (state() == State::refused && !not_sold) return contradicted();
    cancelar_answered(answer);
}

// Where a confirm or a cancel is to follow, it follows at once, as if nothing had been asked.
void Decision::asked_in_vain(const Answer& answer) {
    if (is_only_asked(rules_, sale_.family, next())) ask_again_later(answer.reason);
}

void Decision::callback_status_told(const Answer& answer) {
    learn(answer);
    if (answer.verdict == Verdict::sold) return sold_without_callback();
    move(answer.verdict == Verdict::refused ? State::refused : State::cancelled);
    change_.reason = answer.reason;
    change_.reason->code = ReasonCode::refused;  // as its callback would have it
}

}  // namespace gateway
