#include "unit/sale/scenario.hpp"

namespace gateway::test {
namespace {

const Resolved says_sold{.status = Status::EFETIVADA, .note = "the portal says EFETIVADA"};
const Resolved says_cancelled{.status = Status::CANCELADA, .note = "the portal says CANCELADA"};
const Resolved looked_into{.note = "settled with the provider"};

// Lets the provider answer nothing until a person is asked.
void starve(Scenario& scenario, Step step, std::size_t attempt = Scenario::current) {
    const auto chance = std::exchange(scenario.chance, ~std::uint32_t{0});
    for (int i = 0; i < 1'000; ++i) {
        const auto due = scenario.act(attempt);
        ASSERT_NE(due.kind, Action::Kind::rest);
        if (due.at > scenario.now) scenario.pass(std::chrono::ceil<Duration>(due.at - scenario.now));
        if (due.kind == Action::Kind::wait) {
            scenario.happens(Elapsed{}, attempt);
            scenario.chance = chance;
            return;
        }
        scenario.answered(step, Verdict::unknown, attempt);
    }
    FAIL() << "nobody was asked";
}

Scenario in_dispute() {
    auto scenario = authorised();
    scenario.happens(CancelAsked{});
    return scenario;
}

Scenario asked_about_dispute() {
    auto scenario = in_dispute();
    starve(scenario, Step::cancelar);
    return scenario;
}

TEST(MachineAttention, CancelThatIsNotAnsweredNeedsAPersonInTime) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    starve(scenario, Step::cancelar);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA unsettled!");
    EXPECT_EQ(scenario.now - Instant(1h), scenario.rules.attention_after) << "not a repeat later";
}

TEST(MachineAttention, DisputeThatIsNotSettledNeedsAPersonInTime) {
    const auto scenario = asked_about_dispute();
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA unsettled!");
    EXPECT_EQ(scenario.now - Instant(1h), scenario.rules.attention_after);
}

TEST(MachineAttention, SecondCancelThatIsNotAnsweredNeedsAPersonInTime) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    starve(scenario, Step::cancelar);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA unsettled!");
    EXPECT_EQ(scenario.now - Instant(1h), scenario.rules.late_arrival + scenario.rules.attention_after);
}

TEST(MachineAttention, OldAttemptThatIsNotSettledNeedsAPersonToo) {
    Scenario scenario(Family::tv, ConfirmMode::manual);
    scenario.rules.hold = 24h;
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.answered(Step::solicitar, Verdict::authorised, 1);
    starve(scenario, Step::cancelar, 0);
    EXPECT_EQ(scenario.stands(1), "held AUTORIZADA unsettled!");
    EXPECT_TRUE(scenario.happens(says_cancelled).changes_nothing) << "a held sale is its terminal's to decide";
}

TEST(MachineAttention, GatewayGoesOnMoreSlowlyOnceAPersonWasAsked) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    starve(scenario, Step::cancelar);
    scenario.chance = ~0u;
    for (int i = 0; i < 20; ++i)
        scenario.answered(Step::cancelar, Verdict::unknown);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA unsettled!");
    const auto pause = scenario.act().at - scenario.now;
    EXPECT_GT(pause, 4min);
    EXPECT_LE(pause, 5min);
}

TEST(MachineAttention, APersonIsAskedOnce) {
    auto scenario = asked_about_dispute();
    EXPECT_EQ(scenario.sale.current().attention_at, never);
    scenario.pass(24h);
    EXPECT_TRUE(scenario.happens(Elapsed{}).changes_nothing);
}

TEST(MachineAttention, WhatSettlesByItselfAfterAllNeedsNobody) {
    auto scenario = asked_about_dispute();
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");

    Scenario cancelled(Family::tv);
    cancelled.answered(Step::solicitar, Verdict::unknown);
    starve(cancelled, Step::cancelar);
    cancelled.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "lingering CANCELADA");
    cancelled.pass(120s);
    cancelled.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled");
}

TEST(MachineAttention, OneThatIsRestartedTooLateIsAskedAboutOnceTheProviderWas) {
    auto scenario = in_dispute();
    scenario.restart(24h);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    starve(scenario, Step::cancelar);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA unsettled!");
    EXPECT_EQ(scenario.act().kind, Action::Kind::exchange) << "and goes on";
}

// While the gateway was off nobody asked the provider, so it gets some tries first.
TEST(MachineAttention, ThePersonOfOneThatIsRestartedTooLateIsAskedAMinuteAfterTheStart) {
    for (const auto machine : {Scenario::Machine::ran_on, Scenario::Machine::started_again})
        for (const bool lingers : {false, true}) {
            Scenario scenario(Family::tv);
            scenario.answered(Step::solicitar, Verdict::unknown);
            if (lingers) scenario.answered(Step::cancelar, Verdict::cancelled);
            scenario.restart(70min, machine);
            const auto started = scenario.now;
            scenario.answered(Step::cancelar, Verdict::unknown);
            EXPECT_EQ(scenario.doing().substr(0, 8), "cancelar") << "nobody is asked after one try";
            starve(scenario, Step::cancelar);
            EXPECT_EQ(scenario.stands(),
                      lingers ? "lingering CANCELADA unsettled!" : "cancelling CANCELADA unsettled!");
            EXPECT_EQ(scenario.now - started, 1min);
        }
}

TEST(MachineAttention, ABoxThatIsOffEachNightDoesNotPutOffThePerson) {
    Scenario scenario(Family::tv);
    scenario.rules.attention_after = 12h;
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.restart(14h);
    const auto started = scenario.now;
    starve(scenario, Step::cancelar);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA unsettled!");
    EXPECT_EQ(scenario.now - started, 1min);
}

TEST(MachineAttention, StartingAgainAndAgainDoesNotPutOffThePerson) {
    auto scenario = in_dispute();
    const auto begun = scenario.now;
    for (int i = 0; i < 4; ++i)
        scenario.restart(2min);
    starve(scenario, Step::cancelar);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA unsettled!");
    EXPECT_EQ(scenario.now - begun, scenario.rules.attention_after);
}

TEST(MachineAttention, AnAnswerTakesTheMarkOffThatSaysThatNoneCame) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    starve(scenario, Step::cancelar);
    scenario.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    starve(scenario, Step::cancelar);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA unsettled!") << "the last one is asked about by itself";
    scenario.restart(1min);
    scenario.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA") << "and was answered";
    scenario.pass(scenario.rules.late_arrival);
    scenario.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineAttention, AnAnswerForOneAttemptLeavesTheMarkOfAnother) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.answered(Step::solicitar, Verdict::unknown, 1);
    starve(scenario, Step::cancelar, 0);
    scenario.answered(Step::cancelar, Verdict::cancelled, 1);
    EXPECT_EQ(scenario.stands(1), "lingering CANCELADA unsettled!");
}

TEST(MachineOperator, DecidesWhatTheProviderWillNotSay) {
    auto sold = asked_about_dispute();
    sold.happens(says_sold);
    EXPECT_EQ(sold.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(sold.why(), "operator");
    EXPECT_EQ(sold.sale.reason->detail, says_sold.note);

    auto cancelled = asked_about_dispute();
    cancelled.happens(says_cancelled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(cancelled.why(), "operator");
    EXPECT_EQ(cancelled.doing(), "rest");
}

TEST(MachineOperator, DecidesAnEsimWithoutACallback) {
    for (const auto& decision : {says_sold, says_cancelled}) {
        Scenario scenario(Family::esim);
        scenario.answered(Step::solicitar, Verdict::unknown);
        scenario.wait_it_out();
        scenario.happens(decision);
        EXPECT_EQ(scenario.sale.status, decision.status);
        EXPECT_EQ(scenario.why(), "operator");
        EXPECT_TRUE(scenario.sale.settled);
    }
}

TEST(MachineOperator, CallbackThatAgreesLaterChangesNothingButTheFacts) {
    Scenario scenario(Family::esim);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.wait_it_out();
    scenario.happens(says_sold);
    scenario.called_back(Status::EFETIVADA, {.uuid = "nsu-1"});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(scenario.why(), "operator");
    scenario.called_back(Status::CANCELADA);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!");
}

TEST(MachineOperator, CannotDecideASaleThatNeedsNobody) {
    auto scenario = in_dispute();
    EXPECT_TRUE(scenario.happens(says_sold).changes_nothing);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
}

TEST(MachineOperator, CannotSellWhatWasNeverConfirmed) {
    for (const auto state : all_states) {
        if (one_of(state, {AttemptState::disputing, AttemptState::awaiting})) continue;
        Sale sale = new_sale(Family::tv);
        sale.attempts.back().state = state;
        sale.status = status_that_follows(sale.current());
        sale.attention = Attention::unsettled;  // it was set for another attempt
        const auto change = decide(Rules{}, sale, 0, says_sold, {});
        EXPECT_EQ(change.status, sale.status) << to_string(state);
        EXPECT_EQ(change.next.state, state);
    }
}

TEST(MachineOperator, ClearsTheMarkOfAFinalSale) {
    auto scenario = authorised(Family::egift);
    scenario.answered(Step::confirmar, Verdict::sold);
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!");
    for (const auto& decision : {says_sold, says_cancelled})
        EXPECT_TRUE(scenario.happens(decision).changes_nothing)
            << "it was made before the mark asked for something else";
    scenario.happens(Resolved{.note = "the code was given by hand"});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_TRUE(scenario.happens(looked_into).changes_nothing) << "there is nothing left to clear";
}

TEST(MachineOperator, ANoteAloneDecidesNothing) {
    auto scenario = asked_about_dispute();
    EXPECT_TRUE(scenario.happens(looked_into).changes_nothing);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA unsettled!");
}

TEST(MachineOperator, ClearingTheMarkOfAnUnansweredCancelDoesNotEndIt) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    starve(scenario, Step::cancelar);
    scenario.happens(looked_into);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.act().kind, Action::Kind::exchange);
}

TEST(MachineOperator, AnswerThatWasUnderWayAndDiffersIsAContradiction) {
    for (const auto step : {Step::confirmar, Step::cancelar}) {
        auto sold = asked_about_dispute();
        sold.happens(says_sold);
        sold.answered(step, Verdict::cancelled);
        EXPECT_EQ(sold.stands(), "sold EFETIVADA contradiction!");

        auto cancelled = asked_about_dispute();
        cancelled.happens(says_cancelled);
        cancelled.answered(step, Verdict::sold);
        EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA contradiction!");
    }
}

TEST(MachineOperator, GoodsThatWereUnderWayAreKept) {
    auto scenario = authorised(Family::egift);
    scenario.happens(CancelAsked{});
    starve(scenario, Step::cancelar);
    scenario.happens(says_sold);
    scenario.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_FALSE(scenario.sale.details.instrucao.empty());
}

TEST(MachineAttention, WhatGoesOnAfterAPersonHasLookedIsAskedAboutAgain) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    starve(scenario, Step::cancelar);
    scenario.happens(looked_into);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    const auto looked = scenario.now;
    starve(scenario, Step::cancelar);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA unsettled!");
    EXPECT_EQ(scenario.now - looked, scenario.rules.attention_after);
}

TEST(MachineAttention, AnOldAttemptThatGoesOnIsTheOneThatAPersonHasLookedAt) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.answered(Step::solicitar, Verdict::authorised, 1);
    scenario.answered(Step::confirmar, Verdict::sold, 1);
    starve(scenario, Step::cancelar, 0);
    EXPECT_EQ(scenario.stands(1), "sold EFETIVADA unsettled!");
    scenario.happens(looked_into);
    EXPECT_EQ(scenario.stands(0), "lingering EFETIVADA");
    starve(scenario, Step::cancelar, 0);
    EXPECT_EQ(scenario.stands(0), "lingering EFETIVADA unsettled!");
}

// The configured way to cancel was wrong, and is gone at the next start.
TEST(MachineAttention, ACancelThatLostItsPathIsForAPerson) {
    for (const bool answered : {false, true}) {
        Scenario scenario(Family::health);
        scenario.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = true;
        scenario.answered(Step::solicitar, Verdict::unknown);
        if (answered) scenario.answered(Step::cancelar, Verdict::no_such_sale);
        scenario.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = false;
        scenario.restart(1s);
        const std::string state = answered ? "lingering" : "cancelling";
        EXPECT_EQ(scenario.stands(), state + " CANCELADA no_cancel_path!")
            << "asked at once, for there is nothing to do";
        EXPECT_EQ(scenario.doing(), "rest");
        scenario.restart(24h);
        EXPECT_EQ(scenario.stands(), state + " CANCELADA no_cancel_path!");
        scenario.happens(looked_into);
        EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    }
}

TEST(MachineAttention, AWordOnWhatWasDecidedOtherwiseMeanwhileClearsNothing) {
    auto scenario = asked_about_dispute();
    scenario.answered(Step::cancelar, Verdict::sold);
    scenario.sale.attention = Attention::undeliverable;
    EXPECT_TRUE(scenario.happens(says_cancelled).changes_nothing) << "it was said of what the sale was before";
    EXPECT_EQ(scenario.sale.attention, Attention::undeliverable);
}

}  // namespace
}  // namespace gateway::test
