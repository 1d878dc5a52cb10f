#include "sale/machine.hpp"

#include "base/check.hpp"

#include <algorithm>

namespace gateway {
namespace {

using State = AttemptState;

// Repeats are spread by "full jitter": anywhere between the floor and a bound that doubles with every try.
constexpr Duration backoff_floor{50};
constexpr Duration backoff_first{500};
constexpr Duration backoff_most{30'000};
// Once a person was asked to look, nothing is gained by hurry.
constexpr Duration backoff_slow{300'000};
// A provider that asks for patience gets it, within reason.
constexpr std::chrono::seconds retry_after_most{300};
// Between two attempts: long enough for a hiccup to pass, hardly noticed by a cashier.
constexpr Duration attempt_pause{250};

// What a sale is, by its current attempt.
Status status_by(const Attempt& attempt) {
    switch (attempt.state) {
        case State::requesting:
        case State::retracting: return Status::PENDENTE;
        case State::held:
        case State::confirming:
        case State::collecting:
        case State::disputing: return Status::AUTORIZADA;
        case State::awaiting: return attempt.id_transacao.empty() ? Status::PENDENTE : Status::AUTORIZADA;
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

void take_if_there(std::string& mine, const std::string& theirs) {
    if (!theirs.empty()) mine = theirs;
}

void take_if_there(Secret& mine, const Secret& theirs) {
    if (!theirs.empty()) mine = theirs;
}

Facts merged(Facts known, const Facts& learned) {
    take_if_there(known.estabelecimento_nome, learned.estabelecimento_nome);
    take_if_there(known.cnpj_cpf, learned.cnpj_cpf);
    take_if_there(known.fornecedor, learned.fornecedor);
    take_if_there(known.data_hora, learned.data_hora);
    take_if_there(known.instrucao, learned.instrucao);
    take_if_there(known.complemento, learned.complemento);
    return known;
}

EsimFacts merged(EsimFacts known, const EsimFacts& learned) {
    take_if_there(known.uuid, learned.uuid);
    take_if_there(known.msisdn, learned.msisdn);
    take_if_there(known.url, learned.url);
    take_if_there(known.promocao_ativada, learned.promocao_ativada);
    take_if_there(known.situacao_recarga, learned.situacao_recarga);
    take_if_there(known.nsu_recarga, learned.nsu_recarga);
    return known;
}

// One decision in the making: begins as "nothing changes", is moved by one event, and is rounded off by finish().
class Decision {
  public:
    Decision(const Rules& rules, const Sale& sale, std::size_t attempt, const Moment& moment)
        : rules_(rules),
          sale_(sale),
          moment_(moment),
          change_{.at = moment.wall,
                  .attempt = attempt,
                  .next = sale.attempts.at(attempt),
                  .status = sale.status,
                  .settled = sale.settled,
                  .attention = sale.attention,
                  .reason = sale.reason} {
        change_.changes_nothing = true;
    }

    void on(const Answered& event) {
        switch (event.step) {
            case Step::solicitar: return solicitar_answered(event.answer);
            case Step::confirmar: return confirmar_answered(event.answer);
            case Step::cancelar: return cancelar_answered(event.answer);
        }
    }
    void on(const Lost&);
    void on(const Elapsed&);
    void on(const ConfirmAsked&);
    void on(const CancelAsked&);
    void on(const CalledBack& event);
    void on(const Resolved& event);

    Change finish();

  private:
    State state() const { return change_.next.state; }
    Attempt& next() { return change_.next; }
    bool is_current() const { return change_.attempt + 1 == sale_.attempts.size(); }
    bool cancellable() const { return rules_.cancellable(sale_.family); }

    // Moves.
    void move(State to) {
        CHECK(is_legal_move(change_.next.state, to));
        change_.next.state = to;
        change_.next.deadline = never;
        change_.next.attention_at = never;
        change_.next.next_try = moment_.now;
        change_.next.tries = 0;
        change_.next.renewed = false;
        change_.changes_nothing = false;
    }
    void to_confirming() {
        move(State::confirming);
        next().confirm_time = moment_.wall;
        next().deadline = moment_.now + rules_.confirm_window;
    }
    void to_held() {
        move(State::held);
        next().deadline = moment_.now + rules_.hold;
    }
    void to_cancelling(Reason reason) {
        move(State::cancelling);
        decide_to_cancel(std::move(reason));
        if (cancellable()) return;
        next().attention_at = never;  // a person is asked at once
        change_.attention = Attention::no_cancel_path;
    }
    // No further attempt will be made: only the terminal is told something else, the same cancel goes on.
    void stop_retracting(Reason reason) {
        const Attempt before = next();
        to_cancelling(std::move(reason));
        next().cancel_time = before.cancel_time;
        next().attention_at = before.attention_at;
        next().next_try = before.next_try;
        next().tries = before.tries;
    }
    void to_retracting(Reason reason) {
        move(State::retracting);
        decide_to_cancel(std::move(reason));
        next().deadline = sale_.patience - rules_.attempt_time;
    }
    void to_disputing(std::string why) {
        move(State::disputing);
        decide_to_cancel({.code = ReasonCode::provider_error, .detail = std::move(why)});
        next().turn = Step::cancelar;
    }
    void to_lingering() {
        move(State::lingering);
        next().deadline = moment_.now + rules_.late_arrival;
        next().attention_at = next().deadline + rules_.attention_after;
    }
    void to_awaiting() {
        move(State::awaiting);
        next().attention_at = moment_.now + rules_.attention_after;
    }
    // Sold, with the goods or, for a family whose goods come with the confirm, after one more try to get them.
    void to_sold() {
        if (!facts().instrucao.empty()) return move(State::sold);
        // A health voucher's PIN comes with the answer to the request: no confirm will bring it.
        if (sale_.family == Family::health) return to_undeliverable();
        if (sale_.family != Family::egift) return move(State::sold);
        move(State::collecting);
        next().deadline = moment_.now + rules_.confirm_window;
    }
    void to_undeliverable() {
        move(State::sold);
        change_.attention = Attention::undeliverable;
    }
    // The request is known not to be at the provider.
    void to_nothing_there(State to, const Reason& reason) {
        const bool first_401 = to == State::unauthorised && std::none_of(sale_.attempts.begin(), sale_.attempts.end(),
                                                                         [](const Attempt& attempt) {
                                                                             return attempt.state ==
                                                                                    State::unauthorised;
                                                                         });
        move(to);
        change_.reason = reason;
        if (first_401) {
            change_.again = true;
        } else if (to == State::unsent && may_try_again()) {
            change_.again = true;
            change_.pause = attempt_pause;
        }
    }
    void decide_to_cancel(Reason reason) {
        next().cancel_time = moment_.wall;
        next().attention_at = moment_.now + rules_.attention_after;
        if (!is_final(sale_.status)) change_.reason = std::move(reason);
    }

    // Things learned.
    const Facts& facts() const { return change_.facts ? *change_.facts : sale_.facts; }
    void learn(const Answer& answer) {
        if (!answer.id_transacao.empty() && next().id_transacao.empty()) {
            next().id_transacao = answer.id_transacao;
            change_.changes_nothing = false;
        }
        if (answer.known != Known::authorised && answer.known != Known::sold) return;
        change_.facts = merged(facts(), answer.facts);
        change_.changes_nothing = false;
    }
    void contradicted() {
        change_.attention = Attention::contradiction;
        change_.changes_nothing = false;
    }

    // Repeats.
    void again_later(const Reason& reason) {
        const int doublings = std::min(next().tries, 12);
        const auto most = change_.attention == Attention::none ? backoff_most : backoff_slow;
        const auto bound = std::min(most, backoff_first * (1 << doublings));
        const auto spread = (bound - backoff_floor).count() * static_cast<std::int64_t>(moment_.chance >> 1) / 0x8000'0000LL;
        const Duration asked = std::min(reason.retry_after.value_or(std::chrono::seconds(0)), retry_after_most);
        next().next_try = moment_.now + std::max(asked, backoff_floor + Duration(spread));
        next().tries += 1;
        next().renewed = false;
    }
    // A 401 costs a new token and no time; a provider that says it again to the new one is treated as unwell. After
    // every wait a 401 gets its new token at once again: the token may have run out while the sale waited.
    void again_with_new_token(const Reason& reason) {
        if (next().renewed) return again_later(reason);
        next().next_try = moment_.now;
        next().renewed = true;
    }
    bool may_try_again() const {
        const auto counted = std::count_if(sale_.attempts.begin(), sale_.attempts.end(), [](const Attempt& attempt) {
            return attempt.state != State::unauthorised;
        });
        return is_current() && !is_final(sale_.status) && counted < rules_.max_attempts &&
               moment_.now + rules_.attempt_time <= sale_.patience;
    }
    void look_at_the_clock();

    void solicitar_answered(const Answer& answer);
    void requested(const Answer& answer);
    void request_answer_came_late(const Answer& answer);
    void confirmar_answered(const Answer& answer);
    void confirmed_while_disputing(const Answer& answer);
    void collected(const Answer& answer);
    void cancelar_answered(const Answer& answer);
    void retracted(const Answer& answer);
    void cancel_answered(const Answer& answer);
    void lingering_answered(const Answer& answer);
    void cancelled_while_disputing(const Answer& answer);
    void settle_cancel();
    void sold_against_the_rules(const Answer& answer);

    const Rules& rules_;
    const Sale& sale_;
    const Moment& moment_;
    Change change_;
};

// --- answers to solicitar ---------------------------------------------------------------------------------------------

void Decision::solicitar_answered(const Answer& answer) {
    switch (state()) {
        case State::requesting: return requested(answer);
        case State::cancelling:
        case State::sold:
        case State::cancelled:
        case State::refused: return request_answer_came_late(answer);
        case State::held:
        case State::confirming:
        case State::collecting:
        case State::disputing:
        case State::retracting:
        case State::lingering:
        case State::awaiting:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return;  // the request's answer is what led here
    }
}

void Decision::requested(const Answer& answer) {
    learn(answer);
    switch (answer.known) {
        case Known::authorised:
            change_.reason.reset();  // of an attempt before this one
            if (sale_.family == Family::esim) return to_awaiting();
            return sale_.mode == ConfirmMode::manual ? to_held() : to_confirming();
        case Known::refused:
            move(State::refused);
            change_.reason = answer.reason;
            return;
        case Known::unsent: return to_nothing_there(State::unsent, answer.reason);
        case Known::unauthorised: return to_nothing_there(State::unauthorised, answer.reason);
        case Known::throttled: return to_nothing_there(State::throttled, answer.reason);
        case Known::sold:
        case Known::cancelled:
        case Known::no_such_sale:
        case Known::declined:
        case Known::unknown:
            if (sale_.family == Family::esim) return to_awaiting();
            if (cancellable() && may_try_again()) return to_retracting(answer.reason);
            return to_cancelling(answer.reason);
    }
}

// The sale was cancelled by its terminal, or decided by a callback or a person, while the request was under way.
void Decision::request_answer_came_late(const Answer& answer) {
    learn(answer);
    switch (answer.known) {
        case Known::refused:
            if (state() == State::sold) return contradicted();
            [[fallthrough]];
        case Known::unsent:
        case Known::unauthorised:
        case Known::throttled:
            if (state() == State::cancelling) move(State::cancelled);
            return;
        case Known::authorised:
        case Known::sold:
        case Known::cancelled:
        case Known::no_such_sale:
        case Known::declined:
        case Known::unknown: return;
    }
}

// --- answers to confirmar ---------------------------------------------------------------------------------------------

void Decision::confirmar_answered(const Answer& answer) {
    switch (state()) {
        case State::confirming: break;
        case State::disputing: return confirmed_while_disputing(answer);
        case State::collecting: return collected(answer);
        case State::sold:  // by a person, while the confirm was under way
            if (answer.known == Known::sold) learn(answer);
            if (answer.known == Known::cancelled) contradicted();
            return;
        case State::cancelled:
            if (answer.known == Known::sold) contradicted();
            return;
        case State::requesting:
        case State::held:
        case State::retracting:
        case State::cancelling:
        case State::lingering:
        case State::awaiting:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return;  // no confirm is sent from these
    }
    learn(answer);
    if (answer.known == Known::sold) return to_sold();
    if (answer.known == Known::cancelled) {
        move(State::cancelled);
        change_.reason = answer.reason;
    } else if (answer.known == Known::unauthorised) {
        again_with_new_token(answer.reason);
    } else {
        again_later(answer.reason);
    }
}

void Decision::confirmed_while_disputing(const Answer& answer) {
    learn(answer);
    if (answer.known == Known::sold) return to_sold();
    if (answer.known == Known::cancelled) return settle_cancel();
    if (answer.known == Known::unauthorised) return again_with_new_token(answer.reason);
    next().turn = Step::cancelar;
    again_later(answer.reason);
}

void Decision::collected(const Answer& answer) {
    learn(answer);
    if (answer.known == Known::cancelled) return sold_against_the_rules(answer);  // it had said EFETIVADA
    if (!facts().instrucao.empty()) return move(State::sold);
    if (answer.known == Known::sold || answer.known == Known::no_such_sale) return to_undeliverable();
    if (answer.known == Known::unauthorised) return again_with_new_token(answer.reason);
    again_later(answer.reason);
}

// --- answers to cancelar ----------------------------------------------------------------------------------------------

void Decision::cancelar_answered(const Answer& answer) {
    switch (state()) {
        case State::retracting: return retracted(answer);
        case State::cancelling: return cancel_answered(answer);
        case State::lingering: return lingering_answered(answer);
        case State::disputing: return cancelled_while_disputing(answer);
        case State::sold:
            if (answer.known == Known::cancelled) contradicted();
            return;
        case State::cancelled:
            if (answer.known == Known::sold) contradicted();
            return;
        case State::requesting:
        case State::held:
        case State::confirming:
        case State::collecting:
        case State::awaiting:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return;  // no cancel is sent from these
    }
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
    if (answer.known == Known::sold) return sold_against_the_rules(answer);
    if (answer.known == Known::cancelled) {
        const bool again = may_try_again();
        settle_cancel();
        change_.again = again;
        return;
    }
    if (answer.known == Known::no_such_sale) return to_lingering();
    if (answer.known == Known::unauthorised) return again_with_new_token(answer.reason);
    again_later(answer.reason);
}

void Decision::cancel_answered(const Answer& answer) {
    if (answer.known == Known::sold) return sold_against_the_rules(answer);
    if (answer.known == Known::cancelled) return settle_cancel();
    if (answer.known == Known::no_such_sale) return to_lingering();
    if (answer.known == Known::unauthorised) return again_with_new_token(answer.reason);
    again_later(answer.reason);
}

void Decision::lingering_answered(const Answer& answer) {
    if (answer.known == Known::sold) return sold_against_the_rules(answer);
    if (answer.known == Known::cancelled || answer.known == Known::no_such_sale) return move(State::cancelled);
    if (answer.known == Known::unauthorised) return again_with_new_token(answer.reason);
    again_later(answer.reason);
}

void Decision::cancelled_while_disputing(const Answer& answer) {
    learn(answer);
    if (answer.known == Known::sold) return to_sold();
    if (answer.known == Known::cancelled) return settle_cancel();
    if (answer.known == Known::unauthorised) return again_with_new_token(answer.reason);
    // Declined without a word on its status: the confirm, sent again, may bring the word.
    if (answer.known == Known::no_such_sale || answer.known == Known::declined) next().turn = Step::confirmar;
    again_later(answer.reason);
}

// --- everything that is no answer -------------------------------------------------------------------------------------

void Decision::on(const Lost&) {
    switch (state()) {
        case State::requesting:
            if (sale_.family == Family::esim) return to_awaiting();
            return to_cancelling({.code = ReasonCode::response_lost,
                                  .detail = "the gateway was stopped before the provider's answer came"});
        case State::retracting: return stop_retracting(sale_.reason.value_or(Reason{}));
        case State::held:
        case State::confirming:
        case State::collecting:
        case State::disputing:
        case State::cancelling:
        case State::lingering:
        case State::awaiting: return look_at_the_clock();
        case State::sold:
        case State::cancelled:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return;
    }
}

void Decision::on(const Elapsed&) {
    look_at_the_clock();
}

// What time alone brings.
void Decision::look_at_the_clock() {
    const bool over = moment_.now >= next().deadline;
    switch (state()) {
        case State::held:
            if (over)
                return to_cancelling({.code = ReasonCode::hold_expired,
                                      .detail = "the terminal neither confirmed nor cancelled in time"});
            break;
        case State::confirming:
            if (over) return to_disputing("the provider did not answer the confirm in its window");
            break;
        case State::collecting:
            if (over) return to_undeliverable();
            break;
        case State::retracting:
            if (over) return stop_retracting(sale_.reason.value_or(Reason{}));
            break;
        case State::requesting:
        case State::disputing:
        case State::cancelling:
        case State::lingering:
        case State::awaiting:
        case State::sold:
        case State::cancelled:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: break;
    }
    if (moment_.now < next().attention_at) return;
    next().attention_at = never;
    change_.changes_nothing = false;
    if (change_.attention == Attention::none)
        change_.attention = state() == State::awaiting ? Attention::no_callback : Attention::unsettled;
}

void Decision::on(const ConfirmAsked&) {
    if (state() != State::held) return;  // anything else is answered with the sale as it stands
    look_at_the_clock();
    if (state() == State::held) to_confirming();
}

void Decision::on(const CancelAsked&) {
    switch (state()) {
        case State::requesting:
        case State::held:
            if (sale_.family == Family::esim) return;  // has no cancel; the callback decides
            return to_cancelling({.code = ReasonCode::terminal_cancelled, .detail = "the terminal cancelled"});
        case State::retracting:
            return stop_retracting({.code = ReasonCode::terminal_cancelled, .detail = "the terminal cancelled"});
        case State::confirming:
            // The confirm has left: the wish changes what is asked next, and only the provider's word what is so.
            to_disputing("the terminal asked to cancel after the confirm had left");
            change_.reason = Reason{.code = ReasonCode::terminal_cancelled,
                                    .detail = "the terminal asked to cancel after the confirm had left"};
            return;
        case State::collecting:
        case State::disputing:
        case State::cancelling:
        case State::lingering:
        case State::awaiting:
        case State::sold:
        case State::cancelled:
        case State::refused:
        case State::unsent:
        case State::unauthorised:
        case State::throttled: return;
    }
}

void Decision::on(const CalledBack& event) {
    if (sale_.family != Family::esim) return;
    auto facts = merged(sale_.esim.value_or(EsimFacts{}), event.facts);
    const bool failed = recharge_failed(facts);
    if (facts != sale_.esim) {
        change_.esim = std::move(facts);
        change_.changes_nothing = false;
    }
    if (is_final(sale_.status)) {
        if (is_final(event.status) && event.status != sale_.status) contradicted();
        // Told again of a failed recharge that a person has dealt with already, nobody is asked once more.
        const bool news = change_.esim && recharge_failed(event.facts);
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
    if (sale_.attention == Attention::none) return;  // it came right while the person looked
    if (is_final(sale_.status)) {
        change_.attention = Attention::none;
        change_.changes_nothing = false;
        // Where there is no cancel, nobody but the person can say that it is done.
        if (state() == State::cancelling && !cancellable()) move(State::cancelled);
        return;
    }
    // A person decides only what the provider was asked and did not answer.
    if (state() != State::disputing && state() != State::awaiting) return;
    move(event.status == Status::EFETIVADA ? State::sold : State::cancelled);
    change_.attention = Attention::none;
    change_.reason = Reason{.code = ReasonCode::by_operator, .detail = event.note};
}

// --- the sale, by its attempts ----------------------------------------------------------------------------------------

Change Decision::finish() {
    const auto moved = status_by(next());
    const bool sold_elsewhere = state() == State::sold && !is_current();
    if (is_final(sale_.status)) {
        // A final status never changes; an attempt that ended otherwise is for a person to look at.
        const bool differs = is_final(moved) && moved != sale_.status && (is_current() || sold_elsewhere);
        if (differs && !change_.changes_nothing && state() != sale_.attempts.at(change_.attempt).state) contradicted();
    } else if (sold_elsewhere) {
        contradicted();
    } else if (is_current()) {
        change_.status = change_.again ? Status::PENDENTE : moved;
    }
    if (change_.status == Status::EFETIVADA && (!change_.reason || change_.reason->code != ReasonCode::by_operator))
        change_.reason.reset();

    bool settled = is_final(change_.status) && change_.attention != Attention::contradiction && is_settled(state());
    for (std::size_t i = 0; i < sale_.attempts.size(); ++i)
        if (i != change_.attempt) settled = settled && is_settled(sale_.attempts[i].state);
    change_.settled = settled;
    const bool passing = change_.attention == Attention::unsettled || change_.attention == Attention::no_callback ||
                         change_.attention == Attention::no_cancel_path;
    if (settled && passing) change_.attention = Attention::none;
    return std::move(change_);
}

// What a terminal, a callback or a person says is about the latest attempt, even one that was begun while the word was
// on its way; everything else is about the attempt that it happened to.
bool is_about_the_sale(const Event& event) {
    return !std::holds_alternative<Answered>(event) && !std::holds_alternative<Lost>(event) &&
           !std::holds_alternative<Elapsed>(event);
}

// --- what to do -------------------------------------------------------------------------------------------------------

Act exchange(Step step, Instant at) { return {.kind = Act::Kind::exchange, .step = step, .at = at}; }
Act wait(Instant at) { return {.kind = Act::Kind::wait, .at = at}; }
Act rest() { return {}; }

// An exchange within a window: no more of them once it is over.
Act exchange_until(Instant deadline, Step step, Instant at, Instant now) {
    return std::max(at, now) >= deadline ? wait(deadline) : exchange(step, at);
}

}  // namespace

Change decide(const Rules& rules, const Sale& sale, std::size_t attempt, const Event& event, const Moment& moment) {
    Decision decision(rules, sale, is_about_the_sale(event) ? sale.attempts.size() - 1 : attempt, moment);
    std::visit([&](const auto& what) { decision.on(what); }, event);
    return decision.finish();
}

Act next_act(const Rules& rules, const Sale& sale, std::size_t index, Instant now) {
    const Attempt& attempt = sale.attempts.at(index);
    const bool cancellable = rules.cancellable(sale.family);
    // An exchange that repeats itself without end still lets a person be asked in time.
    const auto endlessly = [&](Step step, Instant at) {
        return attempt.attention_at < at ? wait(attempt.attention_at) : exchange(step, at);
    };
    switch (attempt.state) {
        case State::requesting: return exchange(Step::solicitar, attempt.next_try);
        case State::held: return wait(attempt.deadline);
        case State::confirming:
        case State::collecting:
            return exchange_until(attempt.deadline, Step::confirmar, attempt.next_try, now);
        case State::retracting: return exchange_until(attempt.deadline, Step::cancelar, attempt.next_try, now);
        case State::disputing:
            return endlessly(cancellable ? attempt.turn : Step::confirmar, attempt.next_try);
        case State::cancelling: return cancellable ? endlessly(Step::cancelar, attempt.next_try) : rest();
        case State::lingering: return endlessly(Step::cancelar, std::max(attempt.deadline, attempt.next_try));
        case State::awaiting: return attempt.attention_at == never ? rest() : wait(attempt.attention_at);
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
        Move{State::requesting, State::held},         Move{State::requesting, State::confirming},
        Move{State::requesting, State::awaiting},     Move{State::requesting, State::retracting},
        Move{State::requesting, State::cancelling},   Move{State::requesting, State::refused},
        Move{State::requesting, State::unsent},       Move{State::requesting, State::unauthorised},
        Move{State::requesting, State::throttled},    Move{State::requesting, State::sold},       // eSIM: called back
        Move{State::requesting, State::cancelled},    Move{State::held, State::confirming},
        Move{State::held, State::cancelling},         Move{State::confirming, State::sold},
        Move{State::confirming, State::collecting},   Move{State::confirming, State::cancelled},
        Move{State::confirming, State::disputing},    Move{State::collecting, State::sold},
        Move{State::disputing, State::sold},          Move{State::disputing, State::collecting},
        Move{State::disputing, State::cancelled},     Move{State::retracting, State::cancelling},
        Move{State::retracting, State::lingering},    Move{State::retracting, State::cancelled},
        Move{State::retracting, State::sold},         Move{State::cancelling, State::lingering},
        Move{State::cancelling, State::cancelled},    Move{State::cancelling, State::sold},
        Move{State::lingering, State::cancelled},     Move{State::lingering, State::sold},
        Move{State::awaiting, State::sold},           Move{State::awaiting, State::cancelled},
        Move{State::awaiting, State::refused},
    };
    return std::any_of(moves.begin(), moves.end(), [&](const Move& move) { return move.from == from && move.to == to; });
}

std::string_view advice(Attention attention) noexcept {
    switch (attention) {
        case Attention::none: return "nothing to do";
        case Attention::unsettled:
            return "The provider has not answered the gateway's confirm or cancel for a long time. Whether it counts the "
                   "transaction is not known. The gateway goes on asking; look the idExterno up at the provider.";
        case Attention::no_callback:
            return "The eSIM was asked for and no callback has said what became of it. Look the idExterno up at the "
                   "provider and resolve the sale with what it says; a callback that still comes decides it too.";
        case Attention::no_cancel_path:
            return "The sale is not sold and never will be, but the provider documents no cancel for this family and may "
                   "keep the transaction AUTORIZADA. Ask the provider to cancel the idExterno, then clear the mark.";
        case Attention::contradiction:
            return "The provider said something else after the sale was final. Compare the idExterno with the provider's "
                   "books and with what the customer was given, settle the difference, then clear the mark.";
        case Attention::undeliverable:
            return "Sold, but what the customer is to be given never came. Ask the provider for the goods of this "
                   "idTransacao, give them to the customer, then clear the mark.";
        case Attention::recharge_failed:
            return "The eSIM is sold and the recharge after it failed. Arrange the recharge with the provider, then "
                   "clear the mark.";
    }
    return "";
}

}  // namespace gateway
