// Tests the law against a provider that keeps its own rules and a network that keeps none: sales are carried at random,
// as the driver carries them, and the promises are held against the provider's books after every step. The provider
// here is a few lines of the interface document ("States and transitions"); it knows nothing of the machine.
#include "unit/sale/law.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

enum class Book { none, autorizada, efetivada, cancelada, negada };

class Walk {
  public:
    Walk(std::uint64_t seed, bool telling)
        : telling_(telling), random_(seed), sale_(new_sale(pick(all_families), pick(modes))) {
        rules_.can_cancel.at(static_cast<std::size_t>(Family::health)) = chance(50);
        rules_.can_ask = chance(50);
        rules_.asks_by_id_transacao = chance(30);
        rules_.max_attempts = 1 + static_cast<int>(random_.below(3));
        sale_.patience = now_ + random_.up_to(90s);
        wall_ = sale_.created_at;
        make_room();
    }

    // Returns which promise was broken; empty where none was.
    std::string run() {
        const auto faulty_steps = 5 + random_.below(60);
        for (std::uint64_t i = 0; i < faulty_steps && broken_.empty() && !at_rest(); ++i)
            step();
        calm_ = true;
        for (int i = 0; i < most_calm_steps && broken_.empty() && !at_rest(); ++i)
            step();
        if (!broken_.empty()) return broken_;
        if (!at_rest()) return "never comes to rest";
        return broken_at_rest();
    }

    std::uint64_t steps() const { return steps_; }
    const std::string& scenario() const { return scenario_; }

  private:
    struct Exchange {
        Step step;
        Instant ends;
        Answer answer;
        bool left = true;  // the request has left the gateway
    };
    struct Parcel {  // a request that is still in the network
        Instant arrives;
        Step step;
        std::size_t attempt;
    };
    struct Late {  // a request that a gateway which stands still sends when another one owns the sale
        Instant leaves;
        Instant told;  // when the other gateway learns of it
        std::size_t attempt;
    };
    struct Callback {
        Instant at;
        Status status;
        bool first;  // it is the first status about this: the books change with it
        std::size_t attempt;
    };

    static constexpr std::array modes{ConfirmMode::automatic, ConfirmMode::manual};
    static constexpr int most_calm_steps = 2000;
    static constexpr Duration exchange_limit{15'000};

    bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
    template <class Choices>
    typename Choices::value_type pick(const Choices& choices) {
        return choices.at(random_.below(choices.size()));
    }

    void make_room() {
        books_.resize(sale_.attempts.size(), Book::none);
        in_flight_.resize(sale_.attempts.size());
    }
    // Prints what happened, for a person who has to find out why; `of` is an attempt.
    void tell(std::string_view what, std::size_t of, std::string_view more = {}) {
        if (!telling_) return;
        std::string line(what);
        line.append(" ").append(more).append(" (attempt ").append(std::to_string(of)).append(")");
        line.append(" -> ").append(to_string(sale_.current().state)).append(" ").append(to_string(sale_.status));
        line.append(" at ").append(std::to_string(now_.time_since_epoch() / 1ms - 3'600'000)).append(" ms");
        scenario_ += line + "\n";
    }

    // The following is the gateway's side.

    void decided(const Event& event, std::size_t attempt, std::string_view what, std::string_view more = {}) {
        const auto before = sale_;
        const Context context{.now = now_, .wall = wall_, .chance = static_cast<std::uint32_t>(random_.next())};
        const auto change = decide(rules_, sale_, attempt, event, context);
        carry_out(sale_, change, now_);
        make_room();
        tell(what, attempt, more);
        if (broken_.empty()) broken_ = broken_law(rules_, before, event, change, sale_, now_);
        if (broken_.empty() && !is_possible(sale_)) broken_ = "the law's own sale is called impossible";
        check_promises();
    }

    void step() {
        ++steps_;
        if (!calm_ && chance(12)) return somebody_speaks();
        if (start_what_is_due()) return;
        const auto next = next_time();
        if (next == never) return;  // at rest, except for what somebody may say
        if (leave_late_by(next) || arrive_by(next)) return;
        move_time(next);
        for (std::size_t i = 0; i < late_.size(); ++i)
            if (late_[i].told <= now_) return tell_of_late(i);
        for (std::size_t i = 0; i < callbacks_.size(); ++i)
            if (callbacks_[i].at <= now_) return call_back(i);
        for (std::size_t i = 0; i < in_flight_.size(); ++i)
            if (in_flight_[i] && in_flight_[i]->ends <= now_) return finish(i);
    }

    void somebody_speaks() {
        const auto posted_to = random_.below(sale_.attempts.size());  // another attempt may have begun since then
        switch (random_.below(5)) {
            case 0: return decided(CancelAsked{}, posted_to, "the terminal cancels");
            case 1: return decided(ConfirmAsked{}, posted_to, "the terminal confirms");
            case 2: return restart();
            case 3: return state(posted_to);
            default: return resolve(posted_to);  // default: one more of the five
        }
    }

    // The gateway is started again, or another one takes over while this one is paused.
    void restart() {
        for (std::size_t i = 0; i < in_flight_.size(); ++i) {
            const auto exchange = std::exchange(in_flight_[i], std::nullopt);
            if (exchange && exchange->step == Step::solicitar && !exchange->left && chance(70)) stand_still(i);
        }
        const auto up_again = now_ + random_.up_to(chance(50) ? 5s : 300s);
        while (leave_late_by(up_again) || arrive_by(up_again)) {
        }  // neither the network nor what was paused waits for that
        move_time(up_again);
        forget_what_is_not_durable(sale_, now_);
        const bool machine_too = chance(50);
        for (auto& attempt : sale_.attempts)
            attempt.deadline_is_certain = attempt.deadline_is_certain && !machine_too;
        for (std::size_t i = 0; i < sale_.attempts.size(); ++i)
            decided(Lost{}, i, "started again");
    }

    void stand_still(std::size_t attempt) {
        const auto leaves = now_ + random_.up_to(chance(50) ? 10s : 600s);
        late_.push_back({.leaves = leaves, .told = leaves + random_.up_to(60s), .attempt = attempt});
    }

    bool leave_late_by(Instant when) {
        for (auto& late : late_) {
            if (late.leaves > when) continue;
            move_time(std::max(now_, late.leaves));
            const auto delay = random_.up_to(rules_.late_arrival - 1ms);
            under_way_.push_back({.arrives = now_ + delay, .step = Step::solicitar, .attempt = late.attempt});
            tell("leaves late", late.attempt);
            late.leaves = never;
            return true;
        }
        return false;
    }

    void tell_of_late(std::size_t index) {
        const auto attempt = late_.at(index).attempt;
        if (in_flight_[attempt]) {  // the driver holds it back
            late_[index].told = in_flight_[attempt]->ends;
            if (late_[index].told <= now_) finish(attempt);
            return;
        }
        late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(index));
        decided(SentLate{}, attempt, "may have been sent late");
    }

    // A person looks into the provider's books, and says what is there if it is final.
    void resolve(std::size_t posted_to) {
        const auto book = books_.back();
        if (book != Book::efetivada && book != Book::cancelada) return;
        const auto status = book == Book::efetivada ? Status::EFETIVADA : Status::CANCELADA;
        if (is_final(sale_.status) && sale_.status != status) return;
        resolved_ = true;  // a sale that a person has seen is not silent
        Resolved resolved{.note = "looked up"};
        if (!is_final(sale_.status)) resolved.status = status;
        decided(resolved, posted_to, "a person resolves");
    }

    // A statement says about one attempt what the provider's books say, or what they said last night, or something
    // wrong. About an open attempt it is believed, and is never wrong here.
    void state(std::size_t attempt) {
        if (in_flight_[attempt]) return;  // the driver holds it back
        const auto book = books_[attempt];
        const bool open = !is_settled(sale_.attempts[attempt].state);
        auto status = Status::AUTORIZADA;
        if (chance(30) && !open) {
            status = pick(std::array{Status::EFETIVADA, Status::CANCELADA, Status::NEGADA});
            lied_ = lied_ || (status == Status::EFETIVADA) != (book == Book::efetivada);
        } else if (chance(70)) {
            if (book == Book::none) return;  // the statement has no row for it
            if (book == Book::efetivada) status = Status::EFETIVADA;
            if (book == Book::cancelada) status = Status::CANCELADA;
            if (book == Book::negada) status = Status::NEGADA;
        }
        decided(Stated{.status = status, .source = "a statement"}, attempt, "a statement says", to_string(status));
    }

    bool start_what_is_due() {
        for (std::size_t i = 0; i < sale_.attempts.size(); ++i) {
            if (in_flight_[i]) continue;
            const auto act = next_action(rules_, sale_, i, now_);
            if (act.kind == Action::Kind::rest || act.at > now_) continue;
            if (act.kind == Action::Kind::exchange) {
                send(i, act.step);
                return true;
            }
            decided(Elapsed{}, i, "time has come");
            const auto after = next_action(rules_, sale_, i, now_);
            if (after.kind == Action::Kind::wait && after.at <= now_) broken_ = "waits for a time that has come";
            return true;
        }
        return false;
    }

    Instant next_time() {
        Instant next = never;
        for (std::size_t i = 0; i < sale_.attempts.size(); ++i)
            next = std::min(next, in_flight_[i] ? in_flight_[i]->ends : next_action(rules_, sale_, i, now_).at);
        for (const auto& parcel : under_way_)
            next = std::min(next, parcel.arrives);
        for (const auto& late : late_)
            next = std::min({next, late.leaves, late.told});
        for (const auto& callback : callbacks_)
            next = std::min(next, callback.at);
        return next;
    }

    void move_time(Instant to) {
        const auto by = std::max(Duration(0), std::chrono::ceil<Duration>(to - now_));
        now_ += by;
        wall_ += by;
    }

    void finish(std::size_t attempt) {
        const auto exchange = *std::exchange(in_flight_[attempt], std::nullopt);
        const Answered answered{.step = exchange.step, .answer = exchange.answer};
        decided(answered, attempt, to_string(exchange.step), to_string(exchange.answer.verdict));
    }

    bool at_rest() {
        if (!under_way_.empty() || !callbacks_.empty() || !late_.empty()) return false;
        for (std::size_t i = 0; i < sale_.attempts.size(); ++i)
            if (in_flight_[i] || (!is_over(i) && !is_asked_in_vain(i))) return false;
        return true;
    }
    bool is_over(std::size_t i) const { return next_action(rules_, sale_, i, now_).kind == Action::Kind::rest; }
    // Tells whether the provider never has a final status for it, so that it is asked without end, and a person knows:
    // an eSIM, and a health sale that cannot be cancelled.
    bool is_asked_in_vain(std::size_t i) const {
        const auto state = sale_.attempts[i].state;
        const bool waits = state == AttemptState::awaiting;
        const bool stays = !rules_.cancellable(sale_.family) &&
                           (state == AttemptState::cancelling || state == AttemptState::lingering);
        const bool has_no_word =
            books_[i] == Book::autorizada || books_[i] == Book::none || (stays && books_[i] == Book::negada);
        return (waits || stays) && sale_.attention != Attention::none && has_no_word;
    }

    // The following is the network.

    void send(std::size_t attempt, Step step) {
        const auto answer_in = [&](Duration most, Answer answer) {
            in_flight_[attempt] =
                Exchange{.step = step, .ends = now_ + random_.up_to(most), .answer = std::move(answer)};
        };
        const auto lose = [&] { answer_in(exchange_limit, {.verdict = Verdict::unknown}); };
        const auto later = [&] {
            const auto delay = random_.up_to(rules_.late_arrival - 1ms);
            under_way_.push_back({.arrives = now_ + delay, .step = step, .attempt = attempt});
        };
        tell("sends", attempt, to_string(step));
        switch (calm_ ? 0 : random_.below(15)) {
            default: return answer_in(2s, process(step, attempt));  // default: an ordinary exchange
            case 5: process(step, attempt); return lose();
            case 6: later(); return lose();
            case 7: return lose();
            case 8: later(); return answer_in(2s, process(step, attempt));  // the request arrives twice
            case 9: return answer_in(5s, {.verdict = Verdict::unsent});
            case 10: return answer_in(1s, {.verdict = Verdict::unauthorised});
            case 11:
                return answer_in(1s, {.verdict = step == Step::solicitar ? Verdict::throttled : Verdict::declined});
            case 12: return answer_in(1s, {.verdict = Verdict::unknown});                          // 5xx, not processed
            case 13: process(step, attempt); return answer_in(1s, {.verdict = Verdict::unknown});  // 5xx, processed
            case 14:  // paused before the first byte
                in_flight_[attempt] =
                    Exchange{.step = step, .ends = now_ + exchange_limit, .answer = {}, .left = false};
                in_flight_[attempt]->answer.verdict = Verdict::unknown;
                return;
        }
    }

    // Lets the next of the late requests arrive, if it comes by then.
    bool arrive_by(Instant when) {
        const auto next = std::min_element(under_way_.begin(), under_way_.end(),
                                           [](const auto& a, const auto& b) { return a.arrives < b.arrives; });
        if (next == under_way_.end() || next->arrives > when) return false;
        const auto parcel = *next;
        under_way_.erase(next);
        move_time(parcel.arrives);
        process(parcel.step, parcel.attempt);
        tell("late arrives", parcel.attempt, to_string(parcel.step));
        check_promises();
        return true;
    }

    // The following is the provider.

    Answer process(Step step, std::size_t attempt) {
        auto& book = books_.at(attempt);
        switch (step) {
            case Step::solicitar: return request(book, attempt);
            case Step::confirmar:
                if (book == Book::autorizada) book = Book::efetivada;
                return say(book);
            case Step::cancelar:
                // Some providers say CANCELADA about what they never saw, and accept the request afterwards all the
                // same.
                if (book == Book::none && !calm_ && chance(50)) return {.verdict = Verdict::cancelled};
                if (book == Book::autorizada) book = Book::cancelada;
                return say(book);
            case Step::consultar: return tell_status(book);
        }
        return {};
    }

    // Tells the truth, or that the provider knows nothing.
    Answer tell_status(Book book) {
        if (!calm_ && chance(30)) return {.verdict = pick(std::array{Verdict::unknown, Verdict::unauthorised})};
        if (book == Book::efetivada) return {.verdict = Verdict::sold};
        if (book == Book::cancelada) return {.verdict = Verdict::cancelled};
        const bool denied = book == Book::negada && sale_.family == Family::esim;
        return {.verdict = denied ? Verdict::refused : Verdict::unknown};
    }

    Answer request(Book& book, std::size_t attempt) {
        if (book != Book::none) return {.verdict = Verdict::unknown};  // 409: this idExterno was used
        if (!calm_ && chance(10)) {
            book = Book::negada;
            return {.verdict = Verdict::refused, .reason = {.code = ReasonCode::refused}};
        }
        book = Book::autorizada;
        if (sale_.family == Family::esim) schedule_callbacks(attempt);
        Answer answer{.verdict = Verdict::authorised, .id_transacao = "T" + std::to_string(attempt)};
        const bool goods_come_later = sale_.family == Family::egift || sale_.family == Family::esim;
        if (!goods_come_later && !chance(10)) answer.details.instrucao = Secret("goods");
        return answer;
    }

    Answer say(Book book) {
        if (book == Book::none || book == Book::negada) return {.verdict = Verdict::no_such_sale};
        if (!calm_ && chance(40)) return {.verdict = chance(50) ? Verdict::no_such_sale : Verdict::declined};
        Answer answer{.verdict = book == Book::efetivada ? Verdict::sold : Verdict::cancelled};
        if (book == Book::efetivada && (calm_ || chance(50))) answer.details.instrucao = Secret("goods");
        return answer;
    }

    void schedule_callbacks(std::size_t attempt) {
        if (chance(10)) return;  // it never comes; a person is asked
        const auto status = chance(70) ? Status::EFETIVADA : chance(50) ? Status::CANCELADA : Status::NEGADA;
        const auto at = now_ + random_.up_to(chance(80) ? 60s : 3600s);
        if (chance(30)) callbacks_.push_back({at - 1ms, Status::PENDENTE, false, attempt});
        callbacks_.push_back({at, status, true, attempt});
        if (chance(50)) callbacks_.push_back({at + random_.up_to(60s), status, false, attempt});
    }

    void call_back(std::size_t index) {
        const auto callback = callbacks_.at(index);
        callbacks_.erase(callbacks_.begin() + static_cast<std::ptrdiff_t>(index));
        if (callback.first) {
            auto& book = books_.at(callback.attempt);
            book = callback.status == Status::EFETIVADA   ? Book::efetivada
                   : callback.status == Status::CANCELADA ? Book::cancelada
                                                          : Book::negada;
        }
        const CalledBack called{.status = callback.status, .details = {.uuid = "u", .situacao_recarga = "SUCESSO"}};
        decided(called, random_.below(sale_.attempts.size()), "called back", to_string(callback.status));
    }

    // The following checks the promises.

    void check_promises() {
        if (!broken_.empty()) return;
        const auto of = [&](Book what) { return std::count(books_.begin(), books_.end(), what); };
        const auto outcome = outcome_of(sale_);
        if (outcome == Outcome::sold && books_.back() != Book::efetivada) broken_ = "1: sold, and not EFETIVADA";
        if (outcome == Outcome::not_sold && of(Book::efetivada) > 0) broken_ = "2: not sold, and EFETIVADA";
        if (of(Book::efetivada) > 1) broken_ = "5: sold twice";
        // Until the gateway that was paused has told, the sale is listed as waiting for it.
        if (sale_.settled && of(Book::autorizada) > 0 && late_.empty()) broken_ = "7: settled, and AUTORIZADA";
        const bool needs_goods = sale_.family == Family::egift || sale_.family == Family::health;
        if (outcome == Outcome::sold && needs_goods && sale_.details.instrucao.empty() && !resolved_ &&
            sale_.attention != Attention::undeliverable && sale_.attention != Attention::contradiction)
            broken_ = "8: sold without goods, in silence";
        if (sale_.attention == Attention::contradiction && !lied_)
            broken_ = "a contradiction that the provider did not make";
    }

    std::string broken_at_rest() const {
        if (sale_.settled || (lied_ && sale_.attention == Attention::contradiction)) return {};
        const bool no_way_to_cancel = sale_.attention == Attention::no_cancel_path && !rules_.cancellable(sale_.family);
        const bool never_called = sale_.attention == Attention::no_callback && sale_.family == Family::esim &&
                                  (books_.back() == Book::autorizada || books_.back() == Book::none ||
                                   (books_.back() == Book::negada && !rules_.askable(sale_.current())));
        return no_way_to_cancel || never_called ? "" : "6: at rest, neither settled nor marked";
    }

    const bool telling_;
    SeededRandom random_;
    Rules rules_;
    Sale sale_;
    Instant now_{1h};
    WallTime wall_;
    bool calm_ = false;
    bool resolved_ = false;
    bool lied_ = false;  // a statement said something wrong
    std::vector<Book> books_;
    std::vector<std::optional<Exchange>> in_flight_;
    std::vector<Parcel> under_way_;
    std::vector<Late> late_;
    std::vector<Callback> callbacks_;
    std::string broken_;
    std::uint64_t steps_ = 0;
    std::string scenario_;
};

TEST(MachineWalk, ThePromisesHoldThroughEveryOrderOfEvents) {
    constexpr std::uint64_t enough_steps = 200'000;
    std::uint64_t steps = 0;
    for (std::uint64_t seed = 1; steps < enough_steps; ++seed) {
        Walk walk(seed, false);
        const auto broken = walk.run();
        steps += walk.steps();
        if (broken.empty()) continue;
        Walk told(seed, true);
        FAIL() << "seed " << seed << ": " << told.run() << "\n" << told.scenario();
    }
}

}  // namespace
}  // namespace gateway::test
