#include "law/deliberate_faults.hpp"

#include <algorithm>
#include <utility>

namespace gateway::law {
namespace {

using State = AttemptState;

// Holds what a fault may show to the law instead of what is there.
struct Question {
    Rules rules;
    Sale sale;
    std::size_t attempt;
    Event event;

    Attempt& current() { return sale.attempts.at(attempt); }
    State state() const { return sale.attempts.at(attempt).state; }
    template <class Kind>
    bool is() const {
        return std::holds_alternative<Kind>(event);
    }
    Answer* answer_to(Step step) {
        auto* answered = std::get_if<Answered>(&event);
        return answered != nullptr && answered->step == step ? &answered->answer : nullptr;
    }
};

// Returns a law that sees something else than what is there.
Functions blinded(std::function<void(Question&)> blind) {
    Functions functions;
    functions.keeps_its_own_lists = false;
    functions.decide = [blind](const Rules& rules, const Sale& sale, std::size_t attempt, const Event& event,
                               const Context& context) {
        Question question{rules, sale, attempt, event};
        blind(question);
        return gateway::decide(question.rules, question.sale, attempt, question.event, context);
    };
    return functions;
}

// Returns a law whose decisions are altered.
Functions altered(std::function<void(Change&, Question, const Context&)> alter) {
    Functions functions;
    functions.keeps_its_own_lists = false;
    functions.decide = [alter](const Rules& rules, const Sale& sale, std::size_t attempt, const Event& event,
                               const Context& context) {
        auto change = gateway::decide(rules, sale, attempt, event, context);
        alter(change, Question{rules, sale, change.attempt, event}, context);
        return change;
    };
    return functions;
}

// Returns a law that does something else next.
Functions misled(std::function<void(Action&, const Attempt&)> mislead) {
    Functions functions;
    functions.keeps_its_own_lists = false;
    functions.next_action = [mislead](const Rules& rules, const Sale& sale, std::size_t index, Instant at) {
        auto action = gateway::next_action(rules, sale, index, at);
        mislead(action, sale.attempts.at(index));
        return action;
    };
    return functions;
}

void take_silence_for_never_sent(Question& question) {
    auto* answer = question.answer_to(Step::solicitar);
    if (answer != nullptr && answer->verdict == Verdict::unknown) answer->verdict = Verdict::unsent;
}

void cancel_what_is_confirmed(Question& question, bool so) {
    if (!so || question.state() != State::confirming) return;
    question.current().state = State::held;
    question.current().deadline = Instant::min();
}

void settle_at_the_first_cancel(Change& change, const Question& question, const Context&) {
    if (change.next.state != State::lingering || question.state() == State::lingering) return;
    change.next.state = State::cancelled;
    change.settled = is_final(change.status);
    for (std::size_t i = 0; i < question.sale.attempts.size(); ++i)
        if (i != change.attempt) change.settled = change.settled && is_settled(question.sale.attempts[i].state);
}

void change_nothing_by_sent_late(Change& change, const Question& question, const Context&) {
    if (!question.is<SentLate>()) return;
    change.next = question.sale.attempts.at(change.attempt);
    change.status = question.sale.status;
    change.settled = question.sale.settled;
    change.attention = question.sale.attention;
    change.changes_nothing = true;
}

void believe_the_latest_callback(Change& change, const Question& question, const Context&) {
    const auto* called = std::get_if<CalledBack>(&question.event);
    if (called != nullptr && is_final(called->status) && is_final(question.sale.status)) change.status = called->status;
}

}  // namespace

std::vector<DeliberateFault> deliberate_faults() {
    return {
        {"a request without an answer counts as never sent", "tv auto, plain", blinded(take_silence_for_never_sent)},
        {"an eSIM without an answer is asked for again", "esim auto, two attempts",
         blinded(take_silence_for_never_sent)},
        {"a confirm without an answer counts as sold", "tv auto, plain", blinded([](Question& question) {
             auto* answer = question.answer_to(Step::confirmar);
             if (answer != nullptr && answer->verdict == Verdict::unknown) answer->verdict = Verdict::sold;
         })},
        {"a confirm window that closes ends in a cancel", "tv auto, plain", blinded([](Question& question) {
             cancel_what_is_confirmed(question, question.is<Elapsed>() && question.current().deadline <= now);
         })},
        {"a restart cancels what is being confirmed", "egift manual, plain",
         blinded([](Question& question) { cancel_what_is_confirmed(question, question.is<Lost>()); })},
        {"a cancel that the terminal asks for turns a confirm into a cancel", "transit auto, plain",
         blinded([](Question& question) { cancel_what_is_confirmed(question, question.is<CancelAsked>()); })},
        {"an AUTORIZADA that comes late turns a cancel back", "tv auto, plain", blinded([](Question& question) {
             const bool late = question.answer_to(Step::solicitar) != nullptr && question.state() == State::cancelling;
             if (!late) return;
             question.current().state = State::requesting;
             question.sale.status = Status::PENDENTE;
         })},
        {"a wait that a clock may have cut short counts as certain", "tv auto, plain", blinded([](Question& question) {
             for (auto& attempt : question.sale.attempts)
                 attempt.deadline_is_certain = true;
         })},
        {"a 4xx without a status is trusted where it says nothing", "tv auto, 4xx distrusted",
         blinded([](Question& question) { question.rules.trusts_cancel_4xx = true; })},
        {"no cancel follows when the request can no longer arrive", "tv auto, plain",
         altered(settle_at_the_first_cancel)},
        {"another attempt follows although the first cancel was not the last", "tv auto, two attempts",
         altered(settle_at_the_first_cancel)},
        {"what was sent late is not waited for", "tv auto, chain", altered(change_nothing_by_sent_late)},
        {"a statement of last night turns a sale back", "tv auto, statements",
         altered([](Change& change, const Question&, const Context&) {
             if (change.stated == StatedEffect::repeated) change.status = Status::AUTORIZADA;
         })},
        {"the latest callback counts, and not the first", "esim auto, contradicting callbacks",
         altered(believe_the_latest_callback)},
        {"a repeated confirm is written anew", "tv auto, plain",
         altered([](Change& change, const Question&, const Context& context) {
             if (change.next.tries > 0 && change.next.confirm_time) change.next.confirm_time = context.wall;
         })},
        {"a decision to confirm is not recorded", "tv auto, plain",
         altered([](Change& change, const Question&, const Context&) {
             if (change.next.state == State::confirming) change.changes_nothing = true;
         })},
        {"a person is never asked about a callback that does not come", "esim auto, never called back",
         altered([](Change& change, const Question&, const Context&) {
             if (change.attention == Attention::no_callback) change.attention = Attention::none;
         })},
        {"an e-gift without its address is not marked", "egift auto, plain",
         altered([](Change& change, const Question&, const Context&) {
             if (change.attention == Attention::undeliverable) change.attention = Attention::none;
         })},
        {"a cancel that failed once is given up", "tv auto, plain", misled([](Action& action, const Attempt& attempt) {
             if (attempt.state == State::cancelling && attempt.tries > 0) action = {};
         })},
        {"a dispute asks for the cancel only", "tv auto, cancel names no end",
         misled([](Action& action, const Attempt& attempt) {
             if (attempt.state == State::disputing && action.step == Step::confirmar) action.step = Step::cancelar;
         })},
        {"a request without an answer is repeated", "tv auto, plain",
         misled([](Action& action, const Attempt& attempt) {
             if (attempt.state == State::cancelling) action.step = Step::solicitar;
         })},
        {"a cancel goes to an address that does not exist", "health auto without a cancel path, plain",
         misled([](Action& action, const Attempt& attempt) {
             if (attempt.state == State::cancelling)
                 action = {.kind = Action::Kind::exchange, .step = Step::cancelar, .at = now};
         })},
        {"what was restored is confirmed", "tv auto, restored", misled([](Action& action, const Attempt& attempt) {
             if (attempt.state == State::disputing) action.step = Step::confirmar;
         })},
    };
}

}  // namespace gateway::law
