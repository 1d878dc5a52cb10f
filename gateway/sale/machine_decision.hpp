// One decision of the law, while it is made. It begins as "nothing changes", one event moves it, and finish() completes
// it. Only machine.cpp makes decisions, one for each event.
#pragma once

#include "sale/machine.hpp"

namespace gateway {

// Tells whether the provider is asked about the attempt until it says how it stands. If not, only a person can find
// that out.
bool is_asked_without_end(const Rules& rules, Family family, const Attempt& attempt);

// Tells whether nothing is left to do for the attempt but to ask for its status again and again.
bool is_only_asked(const Rules& rules, Family family, const Attempt& attempt);

class Decision {
  public:
    // Every reference must outlive the decision.
    Decision(const Rules& rules, const Sale& sale, std::size_t attempt, const Context& context);

    // What follows from an answer stands in machine_decision_answers.cpp, and what follows from every other event in
    // machine_decision_events.cpp.
    void on(const Answered& event);
    void on(const Lost&);
    void on(const Elapsed&);
    void on(const ConfirmAsked&);
    void on(const CancelAsked&);
    void on(const CalledBack& event);
    void on(const Resolved& event);
    void on(const Stated& event);
    void on(const SentLate&);

    Change finish();

  private:
    using State = AttemptState;

    State state() const { return change_.next.state; }
    Attempt& next() { return change_.next; }
    bool is_current() const { return change_.attempt + 1 == sale_.attempts.size(); }
    bool cancellable() const { return rules_.cancellable(sale_.family); }
    // Tells whether the sale is sold, and by this attempt, which is settled.
    bool is_the_sold_one() const { return sale_.status == Status::EFETIVADA && is_current(); }
    // Tells whether the attempt comes from a restored copy and had no answer when the copy was made. Another attempt
    // may have followed, and been sold. That this one was not sold is only half the answer then, and a person has to
    // find the other half.
    bool others_may_have_followed() const {
        return state() == State::disputing && !change_.next.confirm_time && change_.next.id_transacao.empty();
    }

    // These move the attempt to another state.
    void move(State to);
    void to_confirming();
    void to_held();
    void to_cancelling(Reason reason);
    void stop_retracting(Reason reason);
    void to_retracting(Reason reason);
    void to_disputing(std::string why);
    void to_lingering();
    void wait_for_late_arrival();
    void answered_after_all();
    void to_awaiting();
    void to_sold();
    void to_undeliverable();
    void stop_collecting();
    void to_nothing_there(State to, const Reason& reason);
    void decide_to_cancel(Reason reason);

    // These keep what was learned.
    const TransactionDetails& details() const { return change_.details ? *change_.details : sale_.details; }
    void learn(const Answer& answer);
    void contradicted();
    void take_esim_facts(const Resolved& event);
    void noted_by_a_person(const Resolved& event);
    void add_what_was_missing(const Answer& answer);

    // These say when an exchange is repeated.
    void again_between(Duration least, Duration most, const Reason& reason);
    void again_later(const Reason& reason);
    void again_with_new_token(const Reason& reason);
    void ask_first();
    void ask_again_later(const Reason& reason);
    void cancel_again_later(const Answer& answer);
    bool may_try_again() const;

    // These say what follows from time alone.
    void take_up_again();
    void give_the_provider_time();
    void look_at_the_clock();
    void ask_about_the_cancel();
    void cancel_again();

    // These say what follows from a statement.
    void settle_as_stated(const Stated& event);
    void sold_without_callback();
    void say_it_again();
    void compare_with_stated(Status theirs);

    // These say what follows from an answer, by the step and by the state that it meets.
    void solicitar_answered(const Answer& answer);
    void requested(const Answer& answer);
    void request_answer_came_late(const Answer& answer);
    void confirmar_answered(const Answer& answer);
    void confirmed(const Answer& answer);
    void confirmed_while_disputing(const Answer& answer);
    void collected(const Answer& answer);
    void confirmed_once_more(const Answer& answer);
    void cancelar_answered(const Answer& answer);
    void retracted(const Answer& answer);
    void cancel_answered(const Answer& answer);
    void lingering_answered(const Answer& answer);
    void cancelled_while_disputing(const Answer& answer);
    void settle_cancel();
    void consultar_answered(const Answer& answer);
    void asked_in_vain(const Answer& answer);
    void callback_status_told(const Answer& answer);
    void sold_against_the_rules(const Answer& answer);

    const Rules& rules_;
    const Sale& sale_;
    const Context& context_;
    Change change_;
};

}  // namespace gateway
