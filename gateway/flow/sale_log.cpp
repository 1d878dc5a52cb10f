#include "flow/sale_log.hpp"

#include "sale/provider_words.hpp"

#include <algorithm>

namespace gateway {
namespace {

using State = AttemptState;

Sentence failure_sentence(Step step) {
    switch (step) {
        case Step::solicitar:
            return "{terminal}: the request failed: {detail}[; it said \"{providerSaid}\"][ (after {durationMs})]";
        case Step::confirmar:
            return "{terminal}: the confirm failed: {detail}[; it said \"{providerSaid}\"][ (after {durationMs})]";
        case Step::cancelar:
            return "{terminal}: the cancel failed: {detail}[; it said \"{providerSaid}\"][ (after {durationMs})]";
        case Step::consultar:
            return "{terminal}: asking how it stands brought nothing: {detail}[; it said \"{providerSaid}\"]"
                   "[ (after {durationMs})]";
    }
    return "";
}

Sentence status_sentence(Verdict verdict) {
    if (verdict == Verdict::sold) return "{terminal}: asked how it stands, the provider says that it is sold";
    if (verdict == Verdict::cancelled) return "{terminal}: asked how it stands, the provider says that it is cancelled";
    if (verdict == Verdict::refused) return "{terminal}: asked how it stands, the provider says that it is refused";
    return failure_sentence(Step::consultar);
}

// A 404 may be about the address as well as about the product, and its detail says so.
Sentence refused_sentence(const Reason& reason) {
    if (Reply::finds_nothing(reason.provider_status))
        return "{terminal}: {produto} for {valor} is not sold: {detail}[; it said \"{providerSaid}\"]";
    return "{terminal}: the provider refused {produto} for {valor}[: \"{providerSaid}\"][ (HTTP {httpStatus})]";
}

Sentence answer_sentence(Step step, const Answer& answer) {
    const auto verdict = answer.verdict;
    if (step == Step::consultar) return status_sentence(verdict);
    switch (verdict) {
        case Verdict::authorised: return "{terminal}: the provider authorised it in {durationMs}";
        case Verdict::refused: return refused_sentence(answer.reason);
        case Verdict::sold:
            if (step == Step::confirmar) return "{terminal}: the provider confirmed it in {durationMs}";
            return "{terminal}: asked to cancel it, the provider says that it is sold";
        case Verdict::cancelled:
            if (step == Step::cancelar) return "{terminal}: the provider cancelled it in {durationMs}";
            return "{terminal}: asked to confirm it, the provider says that it is cancelled";
        case Verdict::no_such_sale:
            if (step == Step::cancelar) return "{terminal}: the provider knows nothing to cancel[ (HTTP {httpStatus})]";
            return failure_sentence(step);
        case Verdict::unsent:
        case Verdict::unauthorised:
        case Verdict::throttled:
        case Verdict::declined:
        case Verdict::unknown: return failure_sentence(step);
    }
    return "";
}

Sentence elapsed_sentence(const LoggedStep& step) {
    switch (step.before) {
        case State::held: return "{terminal}: the terminal neither confirmed nor cancelled in time";
        case State::confirming: return "{terminal}: the confirm brought no usable answer in its window";
        case State::collecting:
            if (step.was_final) return "{terminal}: the confirm brought no usable answer in its window";
            return "{terminal}: what the customer is to be given never came";
        case State::retracting: return "{terminal}: the time is over in which it could be tried once more";
        case State::awaiting: return "{terminal}: no callback has come";
        case State::requesting:
        case State::disputing:
        case State::cancelling:
        case State::lingering:
        case State::sold:
        case State::cancelled:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: break;
    }
    return "{terminal}: the provider has not said for long how it stands";
}

Sentence event_sentence(const LoggedStep& step) {
    struct Words {
        const LoggedStep& step;
        Sentence operator()(const Answered& e) const { return answer_sentence(e.step, e.answer); }
        Sentence operator()(const Lost&) const {
            if (step.found_at_start) return "{terminal}: it was open when the gateway stopped";
            return "{terminal}: it is taken up again[: {detail}]";
        }
        Sentence operator()(const Elapsed&) const { return elapsed_sentence(step); }
        Sentence operator()(const ConfirmAsked&) const { return "{terminal}: the terminal asks to confirm it"; }
        Sentence operator()(const CancelAsked&) const { return "{terminal}: the terminal asks to cancel it"; }
        Sentence operator()(const CalledBack&) const { return "{terminal}: the provider's callback says {known}"; }
        Sentence operator()(const Resolved& e) const {
            if (e.status) return "{terminal}: an operator[, {by},] decided that it is {known}";
            return "{terminal}: an operator[, {by},] has dealt with it";
        }
        Sentence operator()(const Stated&) const {
            return "{terminal}: the provider's statement says {known}[ ({detail})]";
        }
        Sentence operator()(const SentLate&) const {
            return "{terminal}: its request may have left only now, from a gateway that stood still";
        }
    };
    return std::visit(Words{step}, step.event);
}

// Says what it means that the attempt has its present state now, or still has it.
Sentence state_sentence(const LoggedStep& step) {
    switch (step.change.next.state) {
        case State::held: return "; the terminal decides[ until {nextAt}]";
        case State::confirming: return "; confirming it";
        case State::collecting:
            if (step.was_final) return "; confirming it once more";
            return "; asking once more for what the customer is to be given";
        case State::disputing: return "; trying to settle it until the provider says how it stands";
        case State::retracting: return "; cancelling it";
        case State::cancelling:
            if (is_settled(step.before)) return "; cancelling it once more";
            return "; cancelling it";
        case State::lingering: return "; cancelling it once more[ at {nextAt}], should the request still be on its way";
        case State::awaiting:
            return "; waiting for the provider's callback[ until {attentionAt}, when a person is asked]";
        case State::requesting:
        case State::sold:
        case State::cancelled:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: break;  // the line that follows says it
    }
    return "";
}

Sentence consequence_sentence(const LoggedStep& step) {
    const auto& next = step.change.next;
    const auto is = [&](State state) { return next.state == state; };
    if (is_tried_again(step)) {
        if (next.renewed) return "; asking again with a new token";
        return "; try {try} at {nextAt}";
    }
    if (is(State::cancelling) && step.change.attention == Attention::no_cancel_path)
        return "; there is no way to cancel it";
    const auto* answered = std::get_if<Answered>(&step.event);
    if (answered != nullptr && answered->step == Step::consultar && step.before == next.state &&
        !is_settled(next.state))
        return "; going on as without it";
    const bool asks = std::holds_alternative<Elapsed>(step.event) || std::holds_alternative<Stated>(step.event);
    if (asks && step.before == next.state) return "; a person is asked";
    const bool goes_on = step.before == next.state && !std::holds_alternative<Lost>(step.event);
    return goes_on && !is(State::lingering) ? Sentence("") : state_sentence(step);
}

// Tells whether the code alone gives the reason. A person's words may name people, so they stay out of the log.
bool is_decided(ReasonCode code) {
    return code == ReasonCode::hold_expired || code == ReasonCode::terminal_cancelled ||
           code == ReasonCode::by_operator || code == ReasonCode::by_statement;
}

bool has_cause(const Sale& sale) {
    const bool not_sold = is_final(sale.status) && sale.status != Status::EFETIVADA;
    return not_sold && sale.reason && !sale.reason->detail.empty() && !is_decided(sale.reason->code);
}

// Says why the sale is not sold, in the words of its reason.
Sentence cause_sentence(const Sale& sale) {
    const auto sent = [](const Attempt& attempt) { return attempt.state != State::unsent; };
    if (sale.reason->code == ReasonCode::refused) return "{detail}[; it said \"{providerSaid}\"]";
    if (sale.reason->code == ReasonCode::never_sent && std::ranges::any_of(sale.attempts, sent))
        return "at its last try {detail}";
    return "{detail}";
}

Sentence reason_sentence(const Sale& sale) {
    if (!sale.reason) return "the provider cancelled it";
    if (has_cause(sale)) return cause_sentence(sale);
    switch (sale.reason->code) {
        case ReasonCode::response_lost: return "the provider's answer was lost";
        case ReasonCode::provider_error: return "the provider did not carry it through";
        case ReasonCode::never_sent: return "nothing was sent to the provider";
        case ReasonCode::refused: return "the provider refused it";
        case ReasonCode::hold_expired: return "the terminal did not decide in time";
        case ReasonCode::terminal_cancelled: return "the terminal cancelled it";
        case ReasonCode::by_operator: return "an operator decided so";
        case ReasonCode::by_statement: return "the provider's statement says so";
    }
    return "";
}

// Returns the moment by the wall clock, for a person.
WallTime wall_at(Instant at, const Clock& clock) {
    return clock.wall() + std::chrono::duration_cast<Duration>(at - clock.now());
}

// Returns when the next thing happens by itself: another try, a further cancel, the end of a hold.
std::optional<WallTime> next_at(const Attempt& attempt, bool tried_again, const Clock& clock) {
    if (attempt.state == State::held) return wall_at(attempt.deadline, clock);
    if (attempt.state == State::lingering) return wall_at(std::max(attempt.deadline, attempt.next_try), clock);
    return tried_again ? std::optional(wall_at(attempt.next_try, clock)) : std::nullopt;
}

bool is_clean(Verdict verdict) {
    return verdict == Verdict::authorised || verdict == Verdict::sold || verdict == Verdict::cancelled;
}

// Tells whether a status request has brought nothing yet: the provider may well say that the sale is not over, or that
// it does not know it.
bool says_nothing_yet(const Message& message, const Answered& answered) {
    constexpr unsigned ok = 200;
    constexpr unsigned not_found = 404;
    const auto status = message.http_status.value_or(0);
    return answered.step == Step::consultar && (status == ok || status == not_found);
}

Sentence mark_sentence(Attention mark) {
    switch (mark) {
        case Attention::none: break;
        case Attention::unsettled: return "the provider has not said for long how it stands";
        case Attention::no_callback: return "no callback has come for an eSIM";
        case Attention::no_cancel_path: return "it cannot be cancelled, and the provider may keep it";
        case Attention::contradiction: return "the provider contradicts a final status";
        case Attention::undeliverable: return "it is sold, and what the customer is to be given never came";
        case Attention::recharge_failed: return "an eSIM is sold, and its recharge failed";
        case Attention::unreadable: return "a value of it in the journal could not be read";
        case Attention::restored: return "it was open in the copy that the journal was restored from";
    }
    return "";
}

}  // namespace

std::string_view event_name(const Event& event) {
    struct Name {
        std::string_view operator()(const Answered& e) const { return to_string(e.step); }
        std::string_view operator()(const Lost&) const { return "adopted"; }  // also after a fault or a doubt
        std::string_view operator()(const Elapsed&) const { return "elapsed"; }
        std::string_view operator()(const ConfirmAsked&) const { return "confirm_asked"; }
        std::string_view operator()(const CancelAsked&) const { return "cancel_asked"; }
        std::string_view operator()(const CalledBack&) const { return "callback"; }
        std::string_view operator()(const Resolved&) const { return "resolved"; }
        std::string_view operator()(const Stated&) const { return "statement"; }
        std::string_view operator()(const SentLate&) const { return "sent_late"; }
    };
    return std::visit(Name{}, event);
}

std::string_view event_verdict(const Event& event) {
    if (const auto* answered = std::get_if<Answered>(&event)) return to_string(answered->answer.verdict);
    if (const auto* called = std::get_if<CalledBack>(&event)) return to_string(called->status);
    if (const auto* stated = std::get_if<Stated>(&event)) return to_string(stated->status);
    const auto* resolved = std::get_if<Resolved>(&event);
    return resolved != nullptr && resolved->status ? to_string(*resolved->status) : std::string_view();
}

std::string_view event_person(const Event& event) {
    const auto* resolved = std::get_if<Resolved>(&event);
    return resolved != nullptr ? std::string_view(resolved->by) : std::string_view();
}

bool is_tried_again(const LoggedStep& step) {
    const auto& next = step.change.next;
    return std::holds_alternative<Answered>(step.event) && step.before == next.state &&
           (next.tries > step.tries_before || next.renewed);
}

Sentence step_sentence(const LoggedStep& step) {
    return event_sentence(step) + consequence_sentence(step);
}

Sentence end_sentence(const Sale& sale, bool final_now) {
    if (!final_now) return "{terminal}: {produto} for {valor} is settled after {durationMs}: nothing is left to do";
    const auto open = sale.settled ? Sentence("") : Sentence("; something is left to do at the provider");
    if (sale.status != Status::EFETIVADA)
        return Sentence("{terminal}: {produto} for {valor} is not sold after {durationMs}: ") + reason_sentence(sale) +
               open;
    const bool by_operator = sale.reason && sale.reason->code == ReasonCode::by_operator;
    return Sentence("{terminal} sold {produto} for {valor} in {durationMs}") +
           (by_operator ? Sentence(", as an operator decided") : Sentence("")) + open;
}

Sentence attention_sentence(Attention mark) {
    return Sentence("[{terminal}: ]a person is needed[ since {markedAt}]: ") + mark_sentence(mark) +
           "; sales-gateway attention says what to do";
}

void log_step(Log& log, const Clock& clock, const LiveSale& live, const Message& message, const Change& change) {
    const auto& sale = live.sale();
    const auto& next = change.next;
    const auto* answered = std::get_if<Answered>(&message.event);
    // That a sale is continued is logged even where nothing changes by it.
    const bool taken_up = std::holds_alternative<Lost>(message.event) && !is_settled(next.state);
    if (change.changes_nothing && answered == nullptr && !taken_up) return;
    const bool usual =
        answered == nullptr || is_clean(answered->answer.verdict) || says_nothing_yet(message, *answered);
    const auto level = usual ? LogLevel::info : LogLevel::warn;
    if (log.level() > level) return;
    const bool refused = answered != nullptr && answered->answer.verdict == Verdict::refused;
    const bool waits = next.state == State::awaiting && next.attention_at != never;
    const LoggedStep step{.event = message.event,
                          .before = sale.attempts.at(change.attempt).state,
                          .change = change,
                          .was_final = is_final(sale.status),
                          .found_at_start = live.stage() == LiveSale::Stage::unattended,
                          .tries_before = sale.attempts.at(change.attempt).tries};
    const bool tried_again = is_tried_again(step);
    log.write(level, "sale.step", step_sentence(step),
              {{"sale", sale.id},
               {"idExterno", next.id_externo},
               {"terminal", sale.terminal},
               {"request", live.request_id()},
               {"family", to_string(sale.family)},
               {"produto", refused ? std::string_view(sale.produto) : std::string_view()},
               {"valor", refused ? std::optional(sale.valor) : std::nullopt},
               {"step", event_name(message.event)},
               {"known", event_verdict(message.event)},
               {"httpStatus", message.http_status},
               {"durationMs", message.duration},
               {"state", to_string(next.state)},
               {"try", tried_again ? std::optional(next.tries + 1) : std::nullopt},
               {"nextAt", next_at(next, tried_again, clock)},
               {"attentionAt", waits ? std::optional(wall_at(next.attention_at, clock)) : std::nullopt},
               {"idTransacao", next.id_transacao},
               {"by", event_person(message.event)},
               {"providerSaid", message.provider_said},
               {"detail", message.detail}});
}

void log_end(Log& log, const Sale& sale, std::string_view request_id, const LoggedEnd& end) {
    const auto reason = sale.reason ? to_string(sale.reason->code) : std::string_view();
    const auto said = refusal_sentence(sale);
    log.info(end.settled_now ? "sale.closed" : "sale.final", end_sentence(sale, end.final_now),
             {{"sale", sale.id},
              {"idExterno", sale.current().id_externo},
              {"idTransacao", sale.current().id_transacao},
              {"terminal", sale.terminal},
              {"request", request_id},
              {"family", to_string(sale.family)},
              {"produto", sale.produto},
              {"valor", sale.valor},
              {"status", to_string(sale.status)},
              {"outcome", to_string(outcome_of(sale))},
              {"reason", reason},
              {"attempts", sale.attempts.size()},
              {"durationMs", end.took},
              {"providerSaid", said},
              {"detail", has_cause(sale) ? std::string_view(sale.reason->detail) : std::string_view()}});
}

}  // namespace gateway
