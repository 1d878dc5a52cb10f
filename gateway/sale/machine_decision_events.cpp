// This file says what follows from time, from a restart, and from what a terminal, a callback, a statement and an
// operator say.
#include "sale/machine_decision.hpp"

#include <fmt/format.h>

namespace gateway {
namespace {

constexpr Duration asked_for_after_a_start{60'000};

// The callback that decided says what was sold. A later one adds what is missing, and tells how the recharge went. A
// later one that contradicts the first adds nothing.
EsimDetails merged_late(const Sale& sale, const CalledBack& event) {
    auto known = sale.esim.value_or(EsimDetails{});
    if (is_final(event.status) && event.status != sale.status) return known;
    auto details = event.status == sale.status ? merged(event.details, known) : known;
    return merged(std::move(details),
                  {.situacao_recarga = event.details.situacao_recarga, .nsu_recarga = event.details.nsu_recarga});
}

}  // namespace

void Decision::on(const Lost&) {
    take_up_again();
    // Nobody knows how an attempt stands whose answer was lost, so the provider is asked before anything is sent.
    if (state() == State::confirming || state() == State::disputing || state() == State::cancelling) ask_first();
}

void Decision::take_up_again() {
    give_the_provider_time();
    if (state() == State::requesting && is_by_callback(sale_.family)) return to_awaiting();
    if (state() == State::requesting)
        return to_cancelling({.code = ReasonCode::response_lost,
                              .detail = "the sale was taken up again without the provider's answer, after the gateway "
                                        "was stopped, could not use its journal or had a fault"});
    if (state() == State::retracting) {
        stop_retracting(sale_.reason.value_or(Reason{}));
        return give_the_provider_time();
    }
    const bool waits_for_a_cancel = state() == State::cancelling || state() == State::lingering;
    if (waits_for_a_cancel && !cancellable()) return ask_about_the_cancel();
    if (state() == State::lingering && !next().deadline_is_certain) return cancel_again();
    look_at_the_clock();
}

// Nobody asked the provider while the gateway was stopped, so it must be asked a few times before a person is told that
// it gives no answer. A time that has not passed yet stays. The new one is short, so that a gateway that is started
// again and again does not put the person off for ever.
void Decision::give_the_provider_time() {
    const bool is_asked = state() != State::awaiting && is_asked_without_end(rules_, sale_.family, next());
    if (!is_asked || context_.now < next().attention_at) return;
    next().attention_at = context_.now + std::min(rules_.attention_after, asked_for_after_a_start);
    change_.changes_nothing = false;
}

// The wall clock may have been set while the machine was down, and may have cut this wait short. The request could then
// arrive after its last cancel, so the wait begins anew. A cancel is sent before that wait, so that a machine that is
// started again and again does not put off the last cancel for ever.
void Decision::cancel_again() {
    next().deadline = context_.now;
    change_.changes_nothing = false;
}

// The family could be cancelled when this cancel began, and the gateway was started again with a configuration in which
// it cannot.
void Decision::ask_about_the_cancel() {
    if (change_.attention != Attention::none && next().attention_at == never) return;
    next().attention_at = never;
    if (change_.attention == Attention::none) change_.attention = Attention::no_cancel_path;
    change_.changes_nothing = false;
}

void Decision::on(const Elapsed&) {
    look_at_the_clock();
}

// The time of the state may be over, or it may be time to ask a person.
void Decision::look_at_the_clock() {
    if (context_.now >= next().deadline) {
        if (state() == State::held)
            return to_cancelling(
                {.code = ReasonCode::hold_expired, .detail = "the terminal neither confirmed nor cancelled in time"});
        if (state() == State::confirming) {
            to_disputing("the confirm brought no usable answer in its window");
            return ask_first();
        }
        if (state() == State::collecting) return stop_collecting();
        if (state() == State::retracting) return stop_retracting(sale_.reason.value_or(Reason{}));
    }
    if (context_.now < next().attention_at) return;
    // The gateway asks the provider before it troubles a person: after a long stop, the first answer may settle the
    // sale.
    if (next().tries == 0 && is_asked_without_end(rules_, sale_.family, next())) return;
    next().attention_at = never;
    change_.changes_nothing = false;
    if (change_.attention == Attention::none)
        change_.attention = state() == State::awaiting ? Attention::no_callback : Attention::unsettled;
}

void Decision::on(const ConfirmAsked&) {
    if (state() != State::held) return;  // in every other state the call is answered with the sale as it stands
    look_at_the_clock();
    if (state() == State::held) to_confirming();
}

// Once the provider was asked to confirm, a cancel changes only what it is asked next, and its answer decides. If the
// attempt is being cancelled already, or the sale is over, a cancel changes nothing.
void Decision::on(const CancelAsked&) {
    if (is_by_callback(sale_.family)) return;  // such a family has no cancel
    Reason reason{.code = ReasonCode::terminal_cancelled, .detail = "the terminal cancelled"};
    if (state() == State::requesting || state() == State::held) return to_cancelling(std::move(reason));
    if (state() == State::retracting) return stop_retracting(std::move(reason));
    if (state() != State::confirming) return;
    reason.detail = "the terminal asked to cancel after the confirm had left";
    to_disputing(reason.detail);
    change_.reason = std::move(reason);
}

void Decision::on(const CalledBack& event) {
    if (!is_by_callback(sale_.family)) return;
    auto details =
        is_final(sale_.status) ? merged_late(sale_, event) : merged(sale_.esim.value_or(EsimDetails{}), event.details);
    const bool failed = recharge_failed(details);
    if (details != sale_.esim) {
        change_.esim = std::move(details);
        change_.changes_nothing = false;
    }
    if (is_final(sale_.status)) {
        if (is_final(event.status) && event.status != sale_.status) contradicted();
        // The sale was sold by a statement, which does not bring what the customer is given. This callback brings it.
        const auto brought = change_.esim.value_or(EsimDetails{});
        if (change_.attention == Attention::undeliverable && !brought.url.empty()) change_.attention = Attention::none;
        // If a person has already dealt with a failed recharge, a second callback about it asks nobody once more.
        const bool news = change_.esim && recharge_failed(event.details);
        if (news && sale_.status == Status::EFETIVADA && change_.attention == Attention::none)
            change_.attention = Attention::recharge_failed;
        return;
    }
    const auto outcome = [&](State to, std::string why) {
        move(to);
        change_.reason = Reason{.code = ReasonCode::refused, .detail = std::move(why)};
    };
    switch (event.status) {
        case Status::EFETIVADA:
            move(State::sold);
            if (failed) change_.attention = Attention::recharge_failed;
            return;
        case Status::CANCELADA: return outcome(State::cancelled, "the provider's callback says CANCELADA");
        case Status::NEGADA: return outcome(State::refused, "the provider's callback says NEGADA");
        case Status::PENDENTE:
        case Status::AUTORIZADA: return;
    }
}

void Decision::on(const Resolved& event) {
    if (is_final(sale_.status)) return noted_by_a_person(event);
    // A person decides only where the provider was asked and did not answer.
    if (sale_.attention == Attention::none) return;  // the matter was solved while the person looked
    if (!event.status || (state() != State::disputing && state() != State::awaiting)) return;
    move(*event.status == Status::EFETIVADA ? State::sold : State::cancelled);
    change_.attention = Attention::none;
    change_.reason = Reason{.code = ReasonCode::by_operator, .detail = event.note};
    if (*event.status == Status::EFETIVADA) take_esim_facts(event);
}

// A person has looked at a sale that is final. If it became final while the person looked, the mark may now ask about
// something else.
void Decision::noted_by_a_person(const Resolved& event) {
    if (event.status) return;
    if (sale_.status == Status::EFETIVADA) take_esim_facts(event);  // they complete the receipt
    change_.changes_nothing = sale_.attention == Attention::none && !change_.esim;
    if (sale_.attention == Attention::none) return;
    change_.attention = Attention::none;
    // Where the family has no cancel, only the person can say that the attempt is dealt with.
    const bool cancel_open = state() == State::cancelling || state() == State::lingering;
    if (cancel_open && !cancellable()) return move(State::cancelled);
    // What goes on is asked about again after a time, so that it is never forgotten.
    if (!is_settled(state())) next().attention_at = context_.now + rules_.attention_after;
}

// A statement is older than what the gateway itself is doing, and never overrules what is final.
void Decision::on(const Stated& event) {
    if (state() == State::disputing || state() == State::awaiting) return settle_as_stated(event);
    if (!is_settled(state())) return;
    if (event.status == Status::AUTORIZADA) return say_it_again();
    if (is_final(event.status)) compare_with_stated(event.status);
}

// The last cancel has to come after everything that may still be on its way.
void Decision::on(const SentLate&) {
    if (!cancellable()) return;
    if (state() == State::lingering) {
        wait_for_late_arrival();
        change_.changes_nothing = false;
    } else if (state() == State::cancelled && next().id_transacao.empty()) {
        to_lingering();
        if (!next().cancel_time) next().cancel_time = context_.wall;
    }
}

// The provider was asked and did not answer, and the statement is its answer after all.
void Decision::settle_as_stated(const Stated& event) {
    const bool by_callback = is_by_callback(sale_.family);
    const auto not_sold = [&](State to) {
        move(to);
        change_.reason = Reason{.code = ReasonCode::by_statement,
                                .detail = fmt::format("{} says {}", event.source, to_string(event.status))};
        change_.stated = StatedEffect::settled;
    };
    switch (event.status) {
        case Status::EFETIVADA:
            by_callback ? sold_without_callback() : to_sold();
            change_.stated = StatedEffect::settled;
            return;
        case Status::CANCELADA:
            if (!others_may_have_followed()) not_sold(State::cancelled);
            return;
        case Status::NEGADA:
            if (by_callback) not_sold(State::refused);
            return;
        case Status::PENDENTE:
        case Status::AUTORIZADA: return;
    }
}

// The callback brings what the customer is to be given, if it still comes.
void Decision::sold_without_callback() {
    move(State::sold);
    if (change_.attention != Attention::none && !is_passing(change_.attention)) return;  // a person looks at it anyhow
    const auto known = sale_.esim.value_or(EsimDetails{});
    if (known.url.empty()) change_.attention = Attention::undeliverable;
    if (recharge_failed(known)) change_.attention = Attention::recharge_failed;
}

// The provider says AUTORIZADA, so it never received the confirm or the cancel of an attempt that is over here. The
// same one is sent again, byte for byte. What was not sold is never confirmed, whatever was sent for it before.
void Decision::say_it_again() {
    if (is_the_sold_one() && next().confirm_time) {
        move(State::collecting);
        next().deadline = context_.now + rules_.confirm_window;
    } else if (state() != State::sold && cancellable()) {
        move(State::cancelling);
        if (!next().cancel_time) next().cancel_time = context_.wall;
        next().attention_at = context_.now + rules_.attention_after;
    } else {
        return;
    }
    change_.stated = StatedEffect::repeated;
}

// An attempt that was sold although the sale was not, or was sold by another attempt, has had its mark since then. That
// it is CANCELADA now shows that the provider has put it right.
void Decision::compare_with_stated(Status theirs) {
    const bool sold = theirs == Status::EFETIVADA;
    if (state() == State::sold ? sold || !is_the_sold_one() : !sold) return;
    change_.stated = StatedEffect::contradiction;
    if (change_.attention != Attention::contradiction) contradicted();
}

// The person who types these values knows better than what came before.
void Decision::take_esim_facts(const Resolved& event) {
    if (!is_by_callback(sale_.family) || !event.esim) return;
    change_.esim = merged(sale_.esim.value_or(EsimDetails{}), *event.esim);
}

}  // namespace gateway
