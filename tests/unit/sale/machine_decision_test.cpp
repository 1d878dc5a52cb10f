// Tests what the law asks of an attempt while it decides, and which attempt a decision is about.
#include "sale/machine_decision.hpp"

#include "unit/sale/scenario.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using enum AttemptState;

// Says which ways there are to learn how an attempt stands.
struct Ways {
    bool cancel = false;
    bool ask = false;
    bool confirmed = false;
};

template <class Question>
std::vector<AttemptState> states_where(Question is_so, Ways ways) {
    Rules rules;
    rules.can_cancel.fill(ways.cancel);
    rules.can_ask = ways.ask;
    Attempt attempt = new_sale(Family::tv).current();
    if (ways.confirmed) attempt.confirm_time = WallTime();
    std::vector<AttemptState> states;
    for (const auto state : all_states) {
        attempt.state = state;
        if (is_so(rules, Family::tv, attempt)) states.push_back(state);
    }
    return states;
}

TEST(MachineDecision, OnlyWhatIsOpenAndCanBeAskedIsAskedWithoutEnd) {
    using States = std::vector<AttemptState>;
    const auto asked = [](Ways ways) { return states_where(is_asked_without_end, ways); };
    EXPECT_EQ(asked({}), States{});
    EXPECT_EQ(asked({.confirmed = true}), States{disputing});
    EXPECT_EQ(asked({.cancel = true}), (States{disputing, cancelling, lingering}));
    EXPECT_EQ(asked({.ask = true}), (States{disputing, cancelling, lingering, awaiting}));
}

TEST(MachineDecision, OnlyAskedIsWhatCanBeNeitherConfirmedNorCancelled) {
    using States = std::vector<AttemptState>;
    const auto asked = [](Ways ways) { return states_where(is_only_asked, ways); };
    EXPECT_EQ(asked({}), States{});
    EXPECT_EQ(asked({.ask = true}), (States{disputing, cancelling, lingering, awaiting}));
    EXPECT_EQ(asked({.ask = true, .confirmed = true}), (States{cancelling, lingering, awaiting}));
    EXPECT_EQ(asked({.cancel = true, .ask = true}), States{awaiting});
}

TEST(MachineDecision, IsAboutTheAttemptThatTheEventHappenedToOrAboutTheLatest) {
    Scenario scenario(Family::tv);
    scenario.sale.attempts.push_back(scenario.sale.current());
    const auto about = [&](const Event& event) {
        return decide(scenario.rules, scenario.sale, 0, event, {.now = scenario.now, .wall = scenario.wall}).attempt;
    };
    EXPECT_EQ(about(Answered{.step = Step::solicitar, .answer = scenario.usual(Step::solicitar, Verdict::unknown)}),
              0u);
    EXPECT_EQ(about(Lost{}), 0u);
    EXPECT_EQ(about(Elapsed{}), 0u);
    EXPECT_EQ(about(Stated{.status = Status::EFETIVADA, .source = ""}), 0u);
    EXPECT_EQ(about(SentLate{}), 0u);
    EXPECT_EQ(about(ConfirmAsked{}), 1u);
    EXPECT_EQ(about(CancelAsked{}), 1u);
    EXPECT_EQ(about(CalledBack{.status = Status::EFETIVADA, .details = {}}), 1u);
    EXPECT_EQ(about(Resolved{.status = Status::EFETIVADA, .note = "", .by = "", .esim = {}}), 1u);
}

TEST(MachineDecision, ANewStateHasNoneOfTheTimesOfTheOneBefore) {
    auto sold_one = authorised();
    sold_one.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(sold_one.attempt(0).deadline, never);
    Scenario cancelled_one(Family::tv);
    cancelled_one.sale.attempts.back().id_transacao = "T1";
    cancelled_one.answered(Step::solicitar, Verdict::unknown);
    cancelled_one.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(cancelled_one.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(cancelled_one.attempt(0).attention_at, never);
    Scenario cancelled_twice(Family::tv);
    cancelled_twice.answered(Step::solicitar, Verdict::unknown);
    cancelled_twice.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_TRUE(cancelled_twice.attempt(0).deadline_is_certain);
    cancelled_twice.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(cancelled_twice.stands(), "cancelled CANCELADA settled");
    EXPECT_FALSE(cancelled_twice.attempt(0).deadline_is_certain);
}

TEST(MachineDecision, ANewStateOwesNothingToTheLastAnswer) {
    auto scenario = authorised();
    scenario.rules.can_ask = true;
    scenario.answered(Step::confirmar, Verdict::unknown);
    scenario.pass(1min);
    EXPECT_EQ(scenario.doing(), "consultar");
    scenario.answered(Step::consultar, Verdict::unauthorised);
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.doing(), "cancelar") << "the terminal asked for that";
    scenario.answered(Step::cancelar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "cancelar") << "at once, with a new token";
}

TEST(MachineDecision, AnAnswerToACancelTakesOffOnlyTheMarkThatNoneCame) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.sale.attention = Attention::contradiction;
    scenario.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA contradiction!");

    Scenario second(Family::tv);
    second.patient_for(1h);
    second.answered(Step::solicitar, Verdict::unsent);
    second.answered(Step::solicitar, Verdict::unknown);
    second.sale.attention = Attention::unsettled;
    second.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(second.stands(), "lingering CANCELADA")
        << "the first attempt was never sent, so the mark is not about it";
}

TEST(MachineDecision, ALateAnswerThatBringsNothingChangesNothing) {
    Scenario scenario(Family::tv);
    scenario.happens(CancelAsked{});
    EXPECT_TRUE(scenario.answered(Step::solicitar, Verdict::unknown).changes_nothing);
}

TEST(MachineDecision, ALateAnswerThatNoRequestCanGetSaysNothing) {
    for (const auto verdict :
         {Verdict::sold, Verdict::cancelled, Verdict::no_such_sale, Verdict::declined, Verdict::unknown}) {
        Scenario scenario(Family::tv);
        scenario.happens(CancelAsked{});
        scenario.answered(Step::solicitar, verdict);
        EXPECT_EQ(scenario.stands(), "cancelling CANCELADA") << to_string(verdict);
        Scenario called_back(Family::esim);
        called_back.called_back(Status::EFETIVADA);
        called_back.answered(Step::solicitar, verdict);
        EXPECT_EQ(called_back.stands(), "sold EFETIVADA settled") << to_string(verdict);
    }
}

// Makes a sale whose confirm is under way when an operator decides it.
Scenario decided_by_an_operator(Status status, Family family = Family::tv) {
    auto scenario = authorised(family);
    scenario.pass(scenario.rules.confirm_window);
    scenario.happens(Elapsed{});
    scenario.sale.attention = Attention::unsettled;
    scenario.happens(Resolved{.status = status, .note = "", .by = "", .esim = {}});
    return scenario;
}

TEST(MachineDecision, AnAnswerAfterTheOperatorsWordEitherAgreesOrContradicts) {
    for (const auto step : {Step::confirmar, Step::cancelar, Step::consultar}) {
        SCOPED_TRACE(to_string(step));
        auto not_sold = decided_by_an_operator(Status::CANCELADA, Family::egift);
        EXPECT_FALSE(not_sold.answered(step, Verdict::cancelled).details);
        EXPECT_EQ(not_sold.stands(), "cancelled CANCELADA settled");
        not_sold.answered(step, Verdict::unknown);
        EXPECT_EQ(not_sold.stands(), "cancelled CANCELADA settled");
        EXPECT_FALSE(not_sold.answered(step, with_goods(Verdict::sold)).details) << "nobody is given these goods";
        EXPECT_EQ(not_sold.stands(), "cancelled CANCELADA contradiction!");

        auto is_sold = decided_by_an_operator(Status::EFETIVADA);
        is_sold.attempt(0).id_transacao.clear();
        EXPECT_TRUE(is_sold.answered(step, Answer{.verdict = Verdict::unknown, .id_transacao = "T9"}).changes_nothing);
        is_sold.answered(step, Verdict::sold);
        EXPECT_EQ(is_sold.stands(), "sold EFETIVADA settled");
        is_sold.answered(step, Verdict::cancelled);
        EXPECT_EQ(is_sold.stands(), "sold EFETIVADA contradiction!");
    }
}

// Makes a sale whose latest attempt is in this state.
Scenario in_state(AttemptState state) {
    if (state == confirming) return authorised();
    if (state == disputing) {
        auto scenario = authorised();
        scenario.happens(CancelAsked{});
        return scenario;
    }
    if (state == collecting) {
        auto scenario = authorised(Family::egift);
        scenario.answered(Step::confirmar, Verdict::sold);
        return scenario;
    }
    Scenario scenario(Family::tv);
    if (state == retracting) scenario.patient_for(1h);
    scenario.answered(Step::solicitar, Verdict::unknown);
    if (state == lingering) {
        scenario.answered(Step::cancelar, Verdict::cancelled);
        scenario.pass(scenario.rules.late_arrival);
    }
    return scenario;
}

TEST(MachineDecision, The401OfAnyStepGetsANewTokenAtOnceAndTheNextOneWaits) {
    for (const auto state : {confirming, collecting, disputing, retracting, cancelling, lingering}) {
        auto scenario = in_state(state);
        scenario.chance = 1u << 31;
        ASSERT_EQ(scenario.sale.current().state, state);
        const auto step = scenario.act().step;
        scenario.answered(step, Verdict::unauthorised);
        EXPECT_EQ(scenario.doing(), to_string(step)) << to_string(state);
        scenario.answered(step, Verdict::unauthorised);
        EXPECT_EQ(scenario.doing(), std::string(to_string(step)) + " in 275 ms") << to_string(state);
    }
}

TEST(MachineDecision, A4xxWithoutAStatusIsTrustedOnlyWhereTheRulesSaySo) {
    const Answer nothing_there{.verdict = Verdict::no_such_sale, .without_status = true};
    for (const bool trusted : {true, false}) {
        auto cancelled = in_state(cancelling);
        cancelled.rules.trusts_cancel_4xx = trusted;
        cancelled.answered(Step::cancelar, nothing_there);
        EXPECT_EQ(cancelled.sale.current().state, trusted ? lingering : cancelling);
        auto disputed = in_state(disputing);
        disputed.rules.trusts_cancel_4xx = trusted;
        disputed.answered(Step::cancelar, nothing_there);
        EXPECT_EQ(disputed.act().step, Step::confirmar) << "it was declined in both cases";
    }
}

TEST(MachineDecision, WhatIsSoldAgainstTheRulesBringsItsGoods) {
    auto scenario = in_state(cancelling);
    EXPECT_TRUE(scenario.answered(Step::cancelar, with_goods(Verdict::sold)).details);
    EXPECT_EQ(scenario.stands(), "sold CANCELADA contradiction!");
}

TEST(MachineDecision, ARetractedAttemptIsNotRepeatedBeforeItsLastCancel) {
    auto scenario = in_state(retracting);
    EXPECT_TRUE(scenario.answered(Step::cancelar, Verdict::cancelled).again);
    EXPECT_EQ(scenario.attempt(0).state, lingering);
    EXPECT_EQ(scenario.attempt(0).tries, 0);
}

TEST(MachineDecision, AWaitForALateArrivalThatBeginsAnewForgetsItsTries) {
    auto scenario = in_state(lingering);
    scenario.rules.can_ask = true;
    scenario.restart();
    EXPECT_EQ(scenario.doing(), "cancelar") << "the last cancel is sent in any case";
    scenario.answered(Step::cancelar, Verdict::unknown);
    EXPECT_EQ(scenario.attempt(0).tries, 1);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    EXPECT_EQ(scenario.attempt(0).tries, 0);
}

TEST(MachineDecision, AStatusThatAgreesWithACallbackContradictsNothing) {
    auto scenario = authorised(Family::esim);
    scenario.called_back(Status::NEGADA);
    scenario.answered(Step::consultar, Verdict::refused);
    EXPECT_EQ(scenario.stands(), "refused NEGADA settled");
}

TEST(MachineDecision, AConfirmInADisputeBringsTheGoods) {
    auto scenario = authorised(Family::egift);
    scenario.pass(scenario.rules.confirm_window);
    scenario.happens(Elapsed{});
    scenario.answered(Step::cancelar, Verdict::declined);
    scenario.pass(1min);
    EXPECT_EQ(scenario.doing(), "confirmar");
    EXPECT_TRUE(scenario.answered(Step::confirmar, with_goods(Verdict::sold)).details);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineDecision, AnAttemptThatWasSoldBesideTheOneThatCountsIsNeverConfirmedOnceMore) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, Verdict::sold);
    scenario.sale.attempts.insert(scenario.sale.attempts.begin(), scenario.sale.current());
    const auto effect = [&](Status status, std::size_t attempt) {
        return decide(scenario.rules, scenario.sale, attempt, Stated{.status = status, .source = ""},
                      {.now = scenario.now, .wall = scenario.wall})
            .stated;
    };
    EXPECT_EQ(effect(Status::AUTORIZADA, 0), StatedEffect::nothing);
    EXPECT_EQ(effect(Status::CANCELADA, 0), StatedEffect::nothing);
    EXPECT_EQ(effect(Status::AUTORIZADA, 1), StatedEffect::repeated);
    EXPECT_EQ(effect(Status::CANCELADA, 1), StatedEffect::contradiction);
}

// The law leads to no such sale, but a journal that was altered may have one.
TEST(MachineDecision, NeitherAnEarlierAttemptNorAFinalSaleBeginsAnother) {
    Scenario scenario(Family::tv);
    scenario.rules.max_attempts = 9;
    scenario.patient_for(1h);
    scenario.sale.attempts.push_back(scenario.sale.current());
    const Answered unsent{.step = Step::solicitar, .answer = scenario.usual(Step::solicitar, Verdict::unsent)};
    const auto begins_another = [&](std::size_t attempt) {
        return decide(scenario.rules, scenario.sale, attempt, unsent, {.now = scenario.now, .wall = scenario.wall})
            .again;
    };
    EXPECT_TRUE(begins_another(1));
    EXPECT_FALSE(begins_another(0));
    scenario.sale.status = Status::CANCELADA;
    EXPECT_FALSE(begins_another(1));
}

TEST(MachineDecision, AFinalSaleKeepsItsReason) {
    Scenario scenario(Family::tv);
    scenario.sale.status = Status::CANCELADA;
    scenario.sale.reason = Reason{.code = ReasonCode::hold_expired};
    scenario.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(scenario.why(), "hold_expired");
}

// Makes a sold e-gift whose first attempt is not settled, and whose statement has the second AUTORIZADA.
Scenario confirmed_once_more(bool with_its_goods) {
    Scenario scenario(Family::egift);
    scenario.patient_for(1h);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.answered(Step::solicitar, Verdict::authorised);
    auto answer = with_its_goods ? with_goods(Verdict::sold) : scenario.usual(Step::confirmar, Verdict::sold);
    scenario.answered(Step::confirmar, std::move(answer));
    if (!with_its_goods) scenario.answered(Step::confirmar, Verdict::sold);
    scenario.happens(Stated{.status = Status::AUTORIZADA, .source = ""});
    return scenario;
}

TEST(MachineDecision, AConfirmThatIsSentOnceMoreTakesOffOnlyTheMarkOfMissingGoods) {
    auto without = confirmed_once_more(false);
    EXPECT_EQ(without.stands(), "collecting EFETIVADA undeliverable!");
    without.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(without.stands(), "sold EFETIVADA");
    auto with_another = confirmed_once_more(true);
    with_another.sale.attention = Attention::contradiction;
    with_another.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(with_another.stands(), "sold EFETIVADA contradiction!");
}

TEST(MachineDecision, RulesThatNobodyHasConfiguredAreTheDocumentedOnes) {
    const Rules rules;
    EXPECT_EQ(rules.max_attempts, 2);
    EXPECT_TRUE(rules.trusts_cancel_4xx);
    EXPECT_EQ(rules.day, DayClock::ours);
}

// Makes a sale that was altered outside of this program.
Sale altered(Family family, AttemptState state, Status status = Status::PENDENTE) {
    auto sale = new_sale(family);
    sale.attempts.back().state = state;
    sale.status = status;
    return sale;
}

TEST(MachineDecision, AnAttemptIsPossibleOnlyInTheStatesOfItsFamily) {
    for (const auto state : all_states) {
        auto tv = altered(Family::tv, state);
        tv.attempts.push_back(new_sale(Family::tv).current());
        EXPECT_EQ(is_possible(tv), state != awaiting) << to_string(state);
        auto esim = altered(Family::esim, state);
        esim.attempts.push_back(new_sale(Family::esim).current());
        EXPECT_EQ(is_possible(esim), is_esim_state(state)) << to_string(state);
    }
}

TEST(MachineDecision, ASaleIsPossiblySettledOnlyWhereAllOfItIs) {
    auto sale = altered(Family::tv, sold, Status::EFETIVADA);
    sale.settled = true;
    EXPECT_TRUE(is_possible(sale));
    sale.attempts.insert(sale.attempts.begin(), altered(Family::tv, lingering).current());
    EXPECT_FALSE(is_possible(sale)) << "its first attempt would be forgotten";
    sale.settled = false;
    EXPECT_TRUE(is_possible(sale));
}

}  // namespace
}  // namespace gateway::test
