#include "unit/sale/story.hpp"

namespace gateway::test {
namespace {

Story lost_request(Family family = Family::tv) {
    Story story(family);
    story.answered(Step::solicitar, Verdict::unknown);
    return story;
}

TEST(MachineCancel, RequestThatWasNeverSeenIsCancelledOnceMoreAfterItCanHaveArrived) {
    for (const auto known : {Verdict::cancelled, Verdict::no_such_sale}) {
        auto story = lost_request();
        const auto cancel_time = story.sale.current().cancel_time;
        story.answered(Step::cancelar, known);
        EXPECT_EQ(story.stands(), "lingering CANCELADA");
        EXPECT_EQ(story.doing(), "cancelar in 120000 ms");
        story.pass(120s);
        EXPECT_EQ(story.doing(), "cancelar");
        EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
        story.answered(Step::cancelar, known);
        EXPECT_EQ(story.stands(), "cancelled CANCELADA settled") << to_string(known);
    }
}

TEST(MachineCancel, RequestThatWasSeenIsCancelledOnce) {
    auto story = authorised(Family::tv, ConfirmMode::manual);
    story.happens(CancelAsked{});
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

TEST(MachineCancel, ProviderThatKnowsNoSuchSaleNowIsAskedOnceMoreEvenWhereItHadKnownIt) {
    auto story = authorised(Family::tv, ConfirmMode::manual);
    story.happens(CancelAsked{});
    story.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
}

TEST(MachineCancel, WhereA4xxIsSaidOfSalesThatAreThereItIsRepeatedAndAPersonIsAsked) {
    for (const auto& request : {lost_request(), authorised(Family::tv, ConfirmMode::manual)}) {
        auto story = request;
        story.rules.trusts_cancel_4xx = false;
        story.happens(CancelAsked{});
        auto answer = story.usual(Step::cancelar, Verdict::no_such_sale);
        answer.without_status = true;
        for (int i = 0; i < 3; ++i) {
            story.answered(Step::cancelar, answer);
            EXPECT_EQ(story.stands(), "cancelling CANCELADA");
        }
        story.pass(story.rules.attention_after);
        story.happens(Elapsed{});
        story.answered(Step::cancelar, answer);
        EXPECT_EQ(story.stands(), "cancelling CANCELADA unsettled!");
        auto negada = story;
        negada.answered(Step::cancelar, Verdict::no_such_sale);
        EXPECT_EQ(negada.sale.current().state, AttemptState::lingering) << "NEGADA is a status";
        story.answered(Step::cancelar, Verdict::cancelled);
        story.pass(story.rules.late_arrival);
        if (!is_settled(story.sale.current().state)) story.answered(Step::cancelar, Verdict::cancelled);
        EXPECT_EQ(story.stands(), "cancelled CANCELADA settled") << "a word on the sale counts all the same";
    }
}

TEST(MachineCancel, AnythingElseIsRepeatedForAsLongAsItTakes) {
    for (const auto known : {Verdict::unknown, Verdict::declined, Verdict::unsent, Verdict::refused,
                             Verdict::authorised, Verdict::throttled}) {
        auto story = lost_request();
        const auto cancel_time = story.sale.current().cancel_time;
        for (int i = 0; i < 100; ++i) {
            story.answered(Step::cancelar, known);
            EXPECT_EQ(story.doing(), "cancelar in 50 ms");
        }
        EXPECT_EQ(story.stands(), "cancelling CANCELADA") << to_string(known);
        EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
    }
}

TEST(MachineCancel, TheSecondCancelIsRepeatedToo) {
    auto story = lost_request();
    story.answered(Step::cancelar, Verdict::cancelled);
    story.pass(120s);
    for (const auto known : {Verdict::unknown, Verdict::declined, Verdict::unsent}) {
        story.answered(Step::cancelar, known);
        EXPECT_EQ(story.stands(), "lingering CANCELADA") << to_string(known);
        EXPECT_EQ(story.doing(), "cancelar in 50 ms");
    }
}

TEST(MachineCancel, A401CostsANewTokenAndNoTimeUnlessTheNewOneIsNoGoodEither) {
    auto story = lost_request();
    story.answered(Step::cancelar, Verdict::unauthorised);
    EXPECT_EQ(story.doing(), "cancelar");
    story.answered(Step::cancelar, Verdict::unauthorised);
    EXPECT_EQ(story.doing(), "cancelar in 50 ms");
}

TEST(MachineCancel, SoldWithoutAConfirmIsAContradictionAndNeverToldAsSold) {
    auto story = lost_request();
    story.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold CANCELADA contradiction!") << "the terminal was told CANCELADA";
    EXPECT_EQ(outcome_of(story.sale), Outcome::not_sold);
    EXPECT_EQ(story.doing(), "rest");
}

TEST(MachineCancel, SoldWithoutAConfirmWhileRetractingIsSoldAndAContradiction) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA contradiction!") << "nobody was told otherwise yet";
}

TEST(MachineCancel, SoldAfterTheFirstCancelWasAnsweredIsAContradiction) {
    auto story = lost_request();
    story.answered(Step::cancelar, Verdict::cancelled);
    story.pass(120s);
    story.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold CANCELADA contradiction!");
}

TEST(MachineCancel, OldAttemptThatTurnsOutSoldIsAContradictionOfTheNewOne) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    story.pass(1s);
    story.answered(Step::solicitar, Verdict::authorised, 1);
    story.answered(Step::cancelar, Verdict::sold, 0);
    EXPECT_EQ(story.stands(1), "confirming AUTORIZADA contradiction!");
    story.answered(Step::confirmar, Verdict::sold, 1);
    EXPECT_EQ(story.stands(1), "sold EFETIVADA contradiction!");
}

TEST(MachineCancel, ContradictionIsNotSettledBeforeAPersonHasSeenIt) {
    auto story = lost_request();
    story.answered(Step::cancelar, Verdict::sold);
    story.restart(24h);
    EXPECT_EQ(story.stands(), "sold CANCELADA contradiction!");
    story.happens(Resolved{.note = "refunded by the provider"});
    EXPECT_EQ(story.stands(), "sold CANCELADA settled");
}

TEST(MachineCancel, CancelAskedOfASaleThatIsBeingCancelledChangesNothing) {
    auto story = lost_request();
    EXPECT_TRUE(story.happens(CancelAsked{}).changes_nothing);
    EXPECT_EQ(story.why(), "response_lost") << "the first reason is the reason";
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_TRUE(story.happens(CancelAsked{}).changes_nothing);
}

// What was under way when the process was killed has no answer any more.

TEST(MachineAdoption, RequestUnderWayIsCancelled) {
    Story story(Family::tv);
    story.patient_for(120s);
    story.restart();
    EXPECT_EQ(story.stands(), "cancelling CANCELADA") << "nobody waits across a restart";
    EXPECT_EQ(story.why(), "response_lost");
    EXPECT_EQ(story.sale.reason->detail.find("the sale was taken up again"), 0U) << "where nothing was stopped, too";
    EXPECT_EQ(story.doing(), "cancelar");
}

TEST(MachineAdoption, RetractedSaleIsCancelledForGood) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    const auto cancel_time = story.sale.current().cancel_time;
    story.restart();
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.why(), "response_lost");
    EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
}

TEST(MachineAdoption, CancelGoesOnWithTheVerySameCancel) {
    auto story = lost_request();
    const auto cancel_time = story.sale.current().cancel_time;
    story.restart(1h);
    EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.doing(), "cancelar") << "the provider is asked before a person is";
    story.answered(Step::cancelar, Verdict::unknown);
    EXPECT_EQ(story.doing(), "cancelar in 50 ms") << "and more than once";
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
}

TEST(MachineAdoption, WaitBeforeTheLastCancelGoesOnWhileTheMachineRuns) {
    auto story = lost_request();
    story.answered(Step::cancelar, Verdict::cancelled);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(story.doing(), "cancelar in " + std::to_string(120'000 - i * 30'000) + " ms");
        story.restart(30s, Story::Machine::ran_on);
        EXPECT_EQ(story.stands(), "lingering CANCELADA");
    }
    EXPECT_EQ(story.doing(), "cancelar");
}

// A wall clock that was set forward while the machine was down would have cut it to nothing.
TEST(MachineAdoption, WaitBeforeTheLastCancelBeginsAnewAfterACancel) {
    for (const auto away : {20s, 119s, 121s, 3600s}) {
        auto story = lost_request();
        const auto cancel_time = story.sale.current().cancel_time;
        story.answered(Step::cancelar, Verdict::cancelled);
        story.restart(away);
        EXPECT_EQ(story.stands(), "lingering CANCELADA");
        EXPECT_EQ(story.doing(), "cancelar") << "a machine that starts again and again never gets further than this";
        EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
        story.answered(Step::cancelar, Verdict::cancelled);
        EXPECT_EQ(story.stands(), "lingering CANCELADA");
        EXPECT_EQ(story.sale.current().deadline, story.now + story.rules.late_arrival);
    }
}

TEST(MachineAdoption, WhatTheProviderHasCancelledAlarmsNobodyAfterALongStop) {
    for (const auto machine : {Story::Machine::ran_on, Story::Machine::started_again}) {
        auto story = lost_request();
        story.answered(Step::cancelar, Verdict::cancelled);
        story.restart(8h, machine);
        EXPECT_EQ(story.sale.attention, Attention::none);
        EXPECT_EQ(story.doing(), "cancelar");
        if (machine == Story::Machine::started_again) {
            story.answered(Step::cancelar, Verdict::cancelled);
            story.pass(story.rules.late_arrival);
        }
        story.answered(Step::cancelar, Verdict::cancelled);
        EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
    }
}

TEST(MachineAdoption, DisputeBeginsItsTurnsAnew) {
    auto story = authorised();
    story.happens(CancelAsked{});
    story.answered(Step::cancelar, Verdict::declined);
    EXPECT_EQ(story.doing(), "confirmar in 50 ms");
    story.restart();
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(story.doing(), "cancelar");
}

TEST(MachineAdoption, SecondAttemptIsCancelledAndTheFirstGoesOn) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    story.restart(1s, Story::Machine::ran_on);
    EXPECT_EQ(story.stands(0), "lingering CANCELADA");
    EXPECT_EQ(story.stands(1), "cancelling CANCELADA");
}

TEST(MachineAdoption, SettledSaleStaysAsItIs) {
    auto story = authorised();
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_TRUE(story.happens(Lost{}).changes_nothing);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
}

}  // namespace
}  // namespace gateway::test
