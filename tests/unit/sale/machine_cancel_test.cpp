#include "unit/sale/scenario.hpp"

namespace gateway::test {
namespace {

Scenario lost_request(Family family = Family::tv) {
    Scenario scenario(family);
    scenario.answered(Step::solicitar, Verdict::unknown);
    return scenario;
}

TEST(MachineCancel, RequestThatWasNeverSeenIsCancelledOnceMoreAfterItCanHaveArrived) {
    for (const auto known : {Verdict::cancelled, Verdict::no_such_sale}) {
        auto scenario = lost_request();
        const auto cancel_time = scenario.sale.current().cancel_time;
        scenario.answered(Step::cancelar, known);
        EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
        EXPECT_EQ(scenario.doing(), "cancelar in 120000 ms");
        scenario.pass(120s);
        EXPECT_EQ(scenario.doing(), "cancelar");
        EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
        scenario.answered(Step::cancelar, known);
        EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled") << to_string(known);
    }
}

TEST(MachineCancel, RequestThatWasSeenIsCancelledOnce) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.happens(CancelAsked{});
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineCancel, ProviderThatKnowsNoSuchSaleNowIsAskedOnceMoreEvenWhereItHadKnownIt) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.happens(CancelAsked{});
    scenario.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
}

TEST(MachineCancel, WhereA4xxIsSaidOfSalesThatAreThereItIsRepeatedAndAPersonIsAsked) {
    for (const auto& request : {lost_request(), authorised(Family::tv, ConfirmMode::manual)}) {
        auto scenario = request;
        scenario.rules.trusts_cancel_4xx = false;
        scenario.happens(CancelAsked{});
        auto answer = scenario.usual(Step::cancelar, Verdict::no_such_sale);
        answer.without_status = true;
        for (int i = 0; i < 3; ++i) {
            scenario.answered(Step::cancelar, answer);
            EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
        }
        scenario.pass(scenario.rules.attention_after);
        scenario.happens(Elapsed{});
        scenario.answered(Step::cancelar, answer);
        EXPECT_EQ(scenario.stands(), "cancelling CANCELADA unsettled!");
        auto negada = scenario;
        negada.answered(Step::cancelar, Verdict::no_such_sale);
        EXPECT_EQ(negada.sale.current().state, AttemptState::lingering) << "NEGADA is a status";
        scenario.answered(Step::cancelar, Verdict::cancelled);
        scenario.pass(scenario.rules.late_arrival);
        if (!is_settled(scenario.sale.current().state)) scenario.answered(Step::cancelar, Verdict::cancelled);
        EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled") << "a word on the sale counts all the same";
    }
}

TEST(MachineCancel, AnythingElseIsRepeatedForAsLongAsItTakes) {
    for (const auto known : {Verdict::unknown, Verdict::declined, Verdict::unsent, Verdict::refused,
                             Verdict::authorised, Verdict::throttled}) {
        auto scenario = lost_request();
        const auto cancel_time = scenario.sale.current().cancel_time;
        for (int i = 0; i < 100; ++i) {
            scenario.answered(Step::cancelar, known);
            EXPECT_EQ(scenario.doing(), "cancelar in 50 ms");
        }
        EXPECT_EQ(scenario.stands(), "cancelling CANCELADA") << to_string(known);
        EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
    }
}

TEST(MachineCancel, TheSecondCancelIsRepeatedToo) {
    auto scenario = lost_request();
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.pass(120s);
    for (const auto known : {Verdict::unknown, Verdict::declined, Verdict::unsent}) {
        scenario.answered(Step::cancelar, known);
        EXPECT_EQ(scenario.stands(), "lingering CANCELADA") << to_string(known);
        EXPECT_EQ(scenario.doing(), "cancelar in 50 ms");
    }
}

TEST(MachineCancel, A401CostsANewTokenAndNoTimeUnlessTheNewOneIsNoGoodEither) {
    auto scenario = lost_request();
    scenario.answered(Step::cancelar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "cancelar");
    scenario.answered(Step::cancelar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "cancelar in 50 ms");
}

TEST(MachineCancel, SoldWithoutAConfirmIsAContradictionAndNeverToldAsSold) {
    auto scenario = lost_request();
    scenario.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold CANCELADA contradiction!") << "the terminal was told CANCELADA";
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::not_sold);
    EXPECT_EQ(scenario.doing(), "rest");
}

TEST(MachineCancel, SoldWithoutAConfirmWhileRetractingIsSoldAndAContradiction) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!") << "nobody was told otherwise yet";
}

TEST(MachineCancel, SoldAfterTheFirstCancelWasAnsweredIsAContradiction) {
    auto scenario = lost_request();
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.pass(120s);
    scenario.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold CANCELADA contradiction!");
}

TEST(MachineCancel, OldAttemptThatTurnsOutSoldIsAContradictionOfTheNewOne) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.pass(1s);
    scenario.answered(Step::solicitar, Verdict::authorised, 1);
    scenario.answered(Step::cancelar, Verdict::sold, 0);
    EXPECT_EQ(scenario.stands(1), "confirming AUTORIZADA contradiction!");
    scenario.answered(Step::confirmar, Verdict::sold, 1);
    EXPECT_EQ(scenario.stands(1), "sold EFETIVADA contradiction!");
}

TEST(MachineCancel, ContradictionIsNotSettledBeforeAPersonHasSeenIt) {
    auto scenario = lost_request();
    scenario.answered(Step::cancelar, Verdict::sold);
    scenario.restart(24h);
    EXPECT_EQ(scenario.stands(), "sold CANCELADA contradiction!");
    scenario.happens(Resolved{.note = "refunded by the provider"});
    EXPECT_EQ(scenario.stands(), "sold CANCELADA settled");
}

TEST(MachineCancel, CancelAskedOfASaleThatIsBeingCancelledChangesNothing) {
    auto scenario = lost_request();
    EXPECT_TRUE(scenario.happens(CancelAsked{}).changes_nothing);
    EXPECT_EQ(scenario.why(), "response_lost") << "the first reason is the reason";
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_TRUE(scenario.happens(CancelAsked{}).changes_nothing);
}

// The exchange that was under way when the process was killed gets no answer any more.

TEST(MachineAdoption, RequestUnderWayIsCancelled) {
    Scenario scenario(Family::tv);
    scenario.patient_for(120s);
    scenario.restart();
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA") << "nobody waits across a restart";
    EXPECT_EQ(scenario.why(), "response_lost");
    EXPECT_EQ(scenario.sale.reason->detail.find("the sale was taken up again"), 0U) << "where nothing was stopped, too";
    EXPECT_EQ(scenario.doing(), "cancelar");
}

TEST(MachineAdoption, RetractedSaleIsCancelledForGood) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    const auto cancel_time = scenario.sale.current().cancel_time;
    scenario.restart();
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "response_lost");
    EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
}

TEST(MachineAdoption, CancelGoesOnWithTheVerySameCancel) {
    auto scenario = lost_request();
    const auto cancel_time = scenario.sale.current().cancel_time;
    scenario.restart(1h);
    EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.doing(), "cancelar") << "the provider is asked before a person is";
    scenario.answered(Step::cancelar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "cancelar in 50 ms") << "and more than once";
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
}

TEST(MachineAdoption, WaitBeforeTheLastCancelGoesOnWhileTheMachineRuns) {
    auto scenario = lost_request();
    scenario.answered(Step::cancelar, Verdict::cancelled);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(scenario.doing(), "cancelar in " + std::to_string(120'000 - i * 30'000) + " ms");
        scenario.restart(30s, Scenario::Machine::ran_on);
        EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    }
    EXPECT_EQ(scenario.doing(), "cancelar");
}

// A wall clock that was set forward while the machine was down would have cut the wait to nothing.
TEST(MachineAdoption, WaitBeforeTheLastCancelBeginsAnewAfterACancel) {
    for (const auto away : {20s, 119s, 121s, 3600s}) {
        auto scenario = lost_request();
        const auto cancel_time = scenario.sale.current().cancel_time;
        scenario.answered(Step::cancelar, Verdict::cancelled);
        scenario.restart(away);
        EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
        EXPECT_EQ(scenario.doing(), "cancelar") << "a machine that starts again and again never gets further than this";
        EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
        scenario.answered(Step::cancelar, Verdict::cancelled);
        EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
        EXPECT_EQ(scenario.sale.current().deadline, scenario.now + scenario.rules.late_arrival);
    }
}

TEST(MachineAdoption, WhatTheProviderHasCancelledAlarmsNobodyAfterALongStop) {
    for (const auto machine : {Scenario::Machine::ran_on, Scenario::Machine::started_again}) {
        auto scenario = lost_request();
        scenario.answered(Step::cancelar, Verdict::cancelled);
        scenario.restart(8h, machine);
        EXPECT_EQ(scenario.sale.attention, Attention::none);
        EXPECT_EQ(scenario.doing(), "cancelar");
        if (machine == Scenario::Machine::started_again) {
            scenario.answered(Step::cancelar, Verdict::cancelled);
            scenario.pass(scenario.rules.late_arrival);
        }
        scenario.answered(Step::cancelar, Verdict::cancelled);
        EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    }
}

TEST(MachineAdoption, DisputeBeginsItsTurnsAnew) {
    auto scenario = authorised();
    scenario.happens(CancelAsked{});
    scenario.answered(Step::cancelar, Verdict::declined);
    EXPECT_EQ(scenario.doing(), "confirmar in 50 ms");
    scenario.restart();
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "cancelar");
}

TEST(MachineAdoption, SecondAttemptIsCancelledAndTheFirstGoesOn) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.restart(1s, Scenario::Machine::ran_on);
    EXPECT_EQ(scenario.stands(0), "lingering CANCELADA");
    EXPECT_EQ(scenario.stands(1), "cancelling CANCELADA");
}

TEST(MachineAdoption, SettledSaleStaysAsItIs) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_TRUE(scenario.happens(Lost{}).changes_nothing);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

}  // namespace
}  // namespace gateway::test
