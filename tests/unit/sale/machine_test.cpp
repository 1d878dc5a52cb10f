// Combines every state with every event, in every situation that a sale can have: no decision may break the law.
#include "sale/machine.hpp"

#include "unit/sale/law.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using enum AttemptState;

using Moves = std::map<AttemptState, std::set<AttemptState>>;

// These are the transitions that machine.hpp draws.
const Moves drawn{
    {requesting,
     {held, confirming, awaiting, retracting, cancelling, refused, unsent, unauthorised, throttled, sold, cancelled}},
    {held, {confirming, cancelling}},
    {confirming, {sold, collecting, disputing, cancelled}},
    {collecting, {sold}},
    {disputing, {sold, collecting, cancelled}},
    {retracting, {cancelling, lingering, cancelled, sold}},
    {cancelling, {lingering, cancelled, sold}},
    {lingering, {cancelled, sold}},
    {awaiting, {sold, cancelled, refused}},
    // A statement reopens what is over.
    {sold, {collecting}},
    {cancelled, {cancelling, lingering}},
    {refused, {cancelling}},
    {unsent, {cancelling}},
    {unauthorised, {cancelling}},
    {throttled, {cancelling}},
};

bool is_drawn(AttemptState from, AttemptState to) {
    const auto moves = drawn.find(from);
    return moves != drawn.end() && moves->second.contains(to);
}

const Instant now = Instant(2h);
const WallTime wall = std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + std::chrono::hours(14);

// This is the situation of a sale around the attempt that something happens to.
struct Surrounding {
    Family family;
    ConfirmMode mode = ConfirmMode::automatic;
    bool health_cancels = false;
    bool patient = false;
    bool overdue = false;    // the time of the state is over
    bool seen = false;       // idTransacao is known
    bool restored = false;   // from a copy of the journal: whether it was confirmed is not known
    bool confirmed = false;  // a confirm was sent, and its exchange is over
    bool repeated = false;   // it was over, and a statement has it open
    bool asks = false;       // its status can be asked for, and is to be
    Attention attention = Attention::none;
    std::optional<AttemptState> before{};  // the state of an attempt before it
    std::optional<AttemptState> after{};   // an attempt after it: then it is not the current one
};

Rules rules_for(const Surrounding& around) {
    Rules rules;
    rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = around.health_cancels;
    rules.can_ask = around.asks;
    return rules;
}

void put_in_state(Attempt& attempt, AttemptState state, const Surrounding& around) {
    attempt.state = state;
    attempt.ask = around.asks;
    const bool authorised = state == held || may_have_been_confirmed(state);
    if ((authorised && !around.restored) || around.seen) attempt.id_transacao = "T1";
    if (may_have_been_confirmed(state) && !around.restored) attempt.confirm_time = wall - 1min;
    if (is_being_cancelled(state) || state == disputing) attempt.cancel_time = wall - 1min;
    if (around.confirmed) {
        attempt.confirm_time = wall - 1min;
        if (state != sold) attempt.cancel_time = wall - 1min;
    }
    const Instant due = around.overdue ? now - 1s : now + 30s;
    if (one_of(state, {held, confirming, collecting, retracting, lingering})) attempt.deadline = due;
    attempt.deadline_is_certain = state == lingering && around.patient;
    if (is_being_cancelled(state) || state == disputing || state == awaiting) attempt.attention_at = due;
}

Sale sale_in(AttemptState state, const Surrounding& around, std::size_t& index) {
    auto sale = new_sale(around.family, around.mode);
    const auto another = [&] { sale.attempts.push_back(new_sale(around.family).attempts.front()); };
    index = 0;
    if (around.before) {
        put_in_state(sale.attempts.back(), *around.before, around);
        another();
        index = 1;
    }
    put_in_state(sale.attempts.back(), state, around);
    if (around.after) {
        another();
        put_in_state(sale.attempts.back(), *around.after, around);
    }
    sale.status = status_that_follows(sale.current());
    if (around.repeated) sale.status = state == collecting ? Status::EFETIVADA : Status::NEGADA;
    if (sale.status != Status::EFETIVADA) sale.reason = Reason{.code = ReasonCode::response_lost};
    sale.patience = around.patient ? now + 60s : Instant::min();
    sale.attention = around.attention;
    sale.settled = is_final(sale.status) && around.attention != Attention::contradiction;
    for (const auto& attempt : sale.attempts)
        sale.settled = sale.settled && is_settled(attempt.state);
    return sale;
}

bool can_be(AttemptState state, const Surrounding& around) {
    const bool esim = around.family == Family::esim;
    if (esim ? !is_esim_state(state) : state == awaiting) return false;
    if (around.repeated && !one_of(state, {collecting, cancelling, lingering})) return false;
    if (state == collecting && around.family != Family::egift && !around.repeated) return false;
    if (around.confirmed && !one_of(state, {sold, cancelled, cancelling, lingering})) return false;
    if (around.restored) return state == disputing;
    const bool cancellable = around.family != Family::health || around.health_cancels;
    if (one_of(state, {retracting, lingering}) && !cancellable) return false;
    if (state == requesting && around.seen) return false;
    if (state != requesting && around.mode == ConfirmMode::manual) return false;  // this makes no difference any more
    if (around.after) return one_of(state, {unsent, unauthorised, lingering, cancelled, sold});
    return true;
}

std::vector<Event> all_events() {
    std::vector<Event> events{Lost{}, Elapsed{}, ConfirmAsked{}, CancelAsked{}, SentLate{}};
    for (const auto step : all_steps)
        for (const auto known : all_known)
            for (const bool full : {false, true}) {
                Answered answered{.step = step, .answer = {.verdict = known}};
                if (full) {
                    answered.answer.id_transacao = "T2";  // another one, where it is known already
                    answered.answer.details.instrucao = Secret("goods");
                    answered.answer.reason.retry_after = 60s;
                }
                events.emplace_back(answered);
            }
    for (const auto status : all_statuses)
        for (const auto* recharge : {"", "FALHA"})
            events.emplace_back(CalledBack{.status = status, .details = {.uuid = "u", .situacao_recarga = recharge}});
    for (const auto status :
         {std::optional(Status::EFETIVADA), std::optional(Status::CANCELADA), std::optional<Status>()})
        events.emplace_back(Resolved{.status = status, .note = "looked up"});
    for (const auto status : all_statuses)
        events.emplace_back(Stated{.status = status, .source = "statement of 2024-05-02, line 7"});
    return events;
}

std::string name_of(const Event& event) {
    static constexpr std::array names{"Answered",   "Lost",     "Elapsed", "ConfirmAsked", "CancelAsked",
                                      "CalledBack", "Resolved", "Stated",  "SentLate"};
    std::string name = names.at(event.index());
    if (const auto* answered = std::get_if<Answered>(&event))
        name.append(" ").append(to_string(answered->step)).append(" ").append(to_string(answered->answer.verdict));
    if (const auto* called = std::get_if<CalledBack>(&event)) name.append(" ").append(to_string(called->status));
    if (const auto* stated = std::get_if<Stated>(&event)) name.append(" ").append(to_string(stated->status));
    return name;
}

std::vector<Surrounding> surroundings() {
    std::vector<Surrounding> all;
    for (const auto family : all_families)
        for (const auto mode : {ConfirmMode::automatic, ConfirmMode::manual})
            for (unsigned bits = 0; bits < (family == Family::health ? 16u : 8u); ++bits)
                for (const auto attention : {Attention::none, Attention::unsettled, Attention::contradiction})
                    all.push_back({.family = family,
                                   .mode = mode,
                                   .health_cancels = (bits & 8) != 0,
                                   .patient = (bits & 1) != 0,
                                   .overdue = (bits & 2) != 0,
                                   .seen = (bits & 4) != 0,
                                   .attention = attention});
    for (std::size_t i = 0, count = all.size(); i < count; ++i) {
        auto asks = all[i];
        asks.asks = true;
        all.push_back(asks);
    }
    const auto alone = all;
    for (auto around : alone) {
        if (around.mode == ConfirmMode::manual || around.attention == Attention::contradiction) continue;
        around.before = unauthorised;
        all.push_back(around);
        auto restored = around;
        restored.restored = true;
        restored.attention = Attention::restored;
        all.push_back(restored);
        if (around.family != Family::esim) {
            auto over = around;
            over.before.reset();
            over.confirmed = true;
            all.push_back(over);
            over.repeated = true;
            all.push_back(over);
            over.confirmed = false;
            all.push_back(over);
        }
        if (around.family == Family::esim || around.family == Family::health) continue;
        for (const auto next : {requesting, held, confirming, disputing, sold, cancelled}) {
            auto with_next = around;
            with_next.before.reset();
            with_next.after = next;
            all.push_back(with_next);
        }
    }
    return all;
}

// Calls `look` with every decision that can come up.
template <class Look>
void for_every_decision(Look look) {
    const auto events = all_events();
    for (const auto& around : surroundings())
        for (const auto state : all_states) {
            if (!can_be(state, around)) continue;
            std::size_t index = 0;
            const auto rules = rules_for(around);
            const auto sale = sale_in(state, around, index);
            if (sale.settled && sale.attention == Attention::unsettled) continue;  // this cannot happen
            for (const auto& event : events) {
                const auto* answered = std::get_if<Answered>(&event);
                const bool asks = answered != nullptr && answered->step == Step::consultar;
                const bool cancels = (answered != nullptr && answered->step == Step::cancelar) ||
                                     (asks && is_being_cancelled(state));    // asked before a cancel only
                if (cancels && !rules.cancellable(around.family)) continue;  // no cancel is sent
                const auto change = decide(rules, sale, index, event, {.now = now, .wall = wall, .chance = 77});
                look(rules, sale, event, change);
            }
        }
}

TEST(Machine, EveryStateHasALawfulAnswerToEveryEvent) {
    std::size_t decisions = 0;
    std::set<std::string> broken;
    for_every_decision([&](const Rules& rules, const Sale& sale, const Event& event, const Change& change) {
        ++decisions;
        auto after = sale;
        carry_out(after, change, now);
        const auto why = broken_law(rules, sale, event, change, after, now);
        if (why.empty()) return;
        broken.insert(std::string(to_string(sale.family)) + ": " +
                      std::string(to_string(sale.attempts.at(change.attempt).state)) + " meets " + name_of(event) +
                      ": " + why);
    });
    for (const auto& what : broken)
        ADD_FAILURE() << what;
    EXPECT_GT(decisions, 100'000u);
}

TEST(Machine, EveryMoveThatIsDrawnHappensAndNoOther) {
    Moves seen;
    for_every_decision([&](const Rules&, const Sale& sale, const Event&, const Change& change) {
        const auto from = sale.attempts.at(change.attempt).state;
        if (from != change.next.state) seen[from].insert(change.next.state);
    });
    for (const auto from : all_states)
        for (const auto to : all_states)
            EXPECT_EQ(is_drawn(from, to), seen[from].contains(to)) << to_string(from) << " to " << to_string(to);
}

TEST(Machine, TableOfLegalMovesIsTheDrawing) {
    for (const auto from : all_states)
        for (const auto to : all_states)
            EXPECT_EQ(is_legal_move(from, to), is_drawn(from, to)) << to_string(from) << " to " << to_string(to);
}

TEST(Machine, TheMomentOfADecisionIsPartOfIt) {
    const auto change = decide(Rules{}, new_sale(Family::tv), 0, CancelAsked{}, {.now = now, .wall = wall});
    EXPECT_EQ(change.at, wall);
    EXPECT_EQ(change.next.cancel_time, wall);
}

TEST(Machine, WhatWasAlteredIntoWhatTheLawNeverMakesIsImpossible) {
    const auto altered = [](Family family, AttemptState state, Status status, bool settled) {
        auto sale = new_sale(family);
        sale.attempts.back().state = state;
        sale.status = status;
        sale.settled = settled;
        if (is_final(status) && status != Status::EFETIVADA) sale.reason = Reason{};
        return is_possible(sale);
    };
    EXPECT_TRUE(altered(Family::tv, requesting, Status::PENDENTE, false));
    EXPECT_TRUE(altered(Family::tv, sold, Status::EFETIVADA, true));
    EXPECT_TRUE(altered(Family::tv, cancelling, Status::CANCELADA, false));
    EXPECT_TRUE(altered(Family::tv, sold, Status::CANCELADA, false)) << "sold against the provider's own rules";
    EXPECT_TRUE(altered(Family::esim, awaiting, Status::AUTORIZADA, false));
    EXPECT_FALSE(altered(Family::tv, confirming, Status::EFETIVADA, false)) << "not sold yet";
    EXPECT_FALSE(altered(Family::tv, confirming, Status::CANCELADA, false)) << "may yet be sold";
    EXPECT_FALSE(altered(Family::tv, cancelled, Status::PENDENTE, false)) << "would never end";
    EXPECT_FALSE(altered(Family::tv, cancelled, Status::EFETIVADA, true));
    EXPECT_FALSE(altered(Family::tv, unsent, Status::NEGADA, true));
    EXPECT_TRUE(altered(Family::tv, collecting, Status::EFETIVADA, false)) << "a statement has it AUTORIZADA";
    EXPECT_TRUE(altered(Family::tv, cancelling, Status::NEGADA, false)) << "a statement has it AUTORIZADA";
    EXPECT_TRUE(altered(Family::tv, cancelled, Status::NEGADA, true)) << "and its cancel was answered";
    EXPECT_TRUE(altered(Family::tv, sold, Status::NEGADA, false)) << "or it was sold before that";
    EXPECT_FALSE(altered(Family::tv, collecting, Status::CANCELADA, false)) << "it would be confirmed";
    EXPECT_FALSE(altered(Family::tv, cancelling, Status::EFETIVADA, false)) << "it would be cancelled";
    EXPECT_FALSE(altered(Family::tv, refused, Status::CANCELADA, true));
    EXPECT_FALSE(altered(Family::tv, cancelling, Status::CANCELADA, true)) << "its cancel would be forgotten";
    EXPECT_FALSE(altered(Family::tv, held, Status::AUTORIZADA, true));
    EXPECT_FALSE(altered(Family::esim, held, Status::AUTORIZADA, false)) << "a callback could not move it";
    EXPECT_FALSE(altered(Family::tv, awaiting, Status::PENDENTE, false));
    auto was_sold = new_sale(Family::tv);
    was_sold.attempts.back().state = sold;
    was_sold.status = Status::CANCELADA;
    EXPECT_FALSE(is_possible(was_sold)) << "nothing says why it was cancelled";
    auto without = new_sale(Family::tv);
    without.attempts.clear();
    EXPECT_FALSE(is_possible(without));
}

}  // namespace
}  // namespace gateway::test
