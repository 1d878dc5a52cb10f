#include "unit/sale/story.hpp"

namespace gateway::test {
namespace {

const Resolved says_sold{.status = Status::EFETIVADA, .note = "the portal says EFETIVADA"};
const Resolved says_cancelled{.status = Status::CANCELADA, .note = "the portal says CANCELADA"};
const Resolved looked_into{.note = "settled with the provider"};

// Has the provider answer nothing until a person is asked.
void starve(Story& story, Step step, std::size_t attempt = Story::current) {
    const auto chance = std::exchange(story.chance, ~std::uint32_t{0});
    for (int i = 0; i < 1'000; ++i) {
        const auto due = story.act(attempt);
        ASSERT_NE(due.kind, Action::Kind::rest);
        if (due.at > story.now) story.pass(std::chrono::ceil<Duration>(due.at - story.now));
        if (due.kind == Action::Kind::wait) {
            story.happens(Elapsed{}, attempt);
            story.chance = chance;
            return;
        }
        story.answered(step, Verdict::unknown, attempt);
    }
    FAIL() << "nobody was asked";
}

Story in_dispute() {
    auto story = authorised();
    story.happens(CancelAsked{});
    return story;
}

Story asked_about_dispute() {
    auto story = in_dispute();
    starve(story, Step::cancelar);
    return story;
}

TEST(MachineAttention, CancelThatIsNotAnsweredNeedsAPersonInTime) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unknown);
    starve(story, Step::cancelar);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA unsettled!");
    EXPECT_EQ(story.now - Instant(1h), story.rules.attention_after) << "not a repeat later";
}

TEST(MachineAttention, DisputeThatIsNotSettledNeedsAPersonInTime) {
    const auto story = asked_about_dispute();
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA unsettled!");
    EXPECT_EQ(story.now - Instant(1h), story.rules.attention_after);
}

TEST(MachineAttention, SecondCancelThatIsNotAnsweredNeedsAPersonInTime) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    starve(story, Step::cancelar);
    EXPECT_EQ(story.stands(), "lingering CANCELADA unsettled!");
    EXPECT_EQ(story.now - Instant(1h), story.rules.late_arrival + story.rules.attention_after);
}

TEST(MachineAttention, OldAttemptThatIsNotSettledNeedsAPersonToo) {
    Story story(Family::tv, ConfirmMode::manual);
    story.rules.hold = 24h;
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    story.answered(Step::solicitar, Verdict::authorised, 1);
    starve(story, Step::cancelar, 0);
    EXPECT_EQ(story.stands(1), "held AUTORIZADA unsettled!");
    EXPECT_TRUE(story.happens(says_cancelled).changes_nothing) << "a held sale is its terminal's to decide";
}

TEST(MachineAttention, GatewayGoesOnMoreSlowlyOnceAPersonWasAsked) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unknown);
    starve(story, Step::cancelar);
    story.chance = ~0u;
    for (int i = 0; i < 20; ++i)
        story.answered(Step::cancelar, Verdict::unknown);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA unsettled!");
    const auto pause = story.act().at - story.now;
    EXPECT_GT(pause, 4min);
    EXPECT_LE(pause, 5min);
}

TEST(MachineAttention, APersonIsAskedOnce) {
    auto story = asked_about_dispute();
    EXPECT_EQ(story.sale.current().attention_at, never);
    story.pass(24h);
    EXPECT_TRUE(story.happens(Elapsed{}).changes_nothing);
}

TEST(MachineAttention, WhatSettlesByItselfAfterAllNeedsNobody) {
    auto story = asked_about_dispute();
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");

    Story cancelled(Family::tv);
    cancelled.answered(Step::solicitar, Verdict::unknown);
    starve(cancelled, Step::cancelar);
    cancelled.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "lingering CANCELADA");
    cancelled.pass(120s);
    cancelled.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled");
}

TEST(MachineAttention, OneThatIsRestartedTooLateIsAskedAboutOnceTheProviderWas) {
    auto story = in_dispute();
    story.restart(24h);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
    starve(story, Step::cancelar);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA unsettled!");
    EXPECT_EQ(story.act().kind, Action::Kind::exchange) << "and goes on";
}

// While the gateway was off nobody asked the provider, which therefore gets some tries.
TEST(MachineAttention, ThePersonOfOneThatIsRestartedTooLateIsAskedAMinuteAfterTheStart) {
    for (const auto machine : {Story::Machine::ran_on, Story::Machine::started_again})
        for (const bool lingers : {false, true}) {
            Story story(Family::tv);
            story.answered(Step::solicitar, Verdict::unknown);
            if (lingers) story.answered(Step::cancelar, Verdict::cancelled);
            story.restart(70min, machine);
            const auto started = story.now;
            story.answered(Step::cancelar, Verdict::unknown);
            EXPECT_EQ(story.doing().substr(0, 8), "cancelar") << "nobody is asked after one try";
            starve(story, Step::cancelar);
            EXPECT_EQ(story.stands(), lingers ? "lingering CANCELADA unsettled!" : "cancelling CANCELADA unsettled!");
            EXPECT_EQ(story.now - started, 1min);
        }
}

TEST(MachineAttention, ABoxThatIsOffEachNightDoesNotPutOffThePerson) {
    Story story(Family::tv);
    story.rules.attention_after = 12h;
    story.answered(Step::solicitar, Verdict::unknown);
    story.restart(14h);
    const auto started = story.now;
    starve(story, Step::cancelar);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA unsettled!");
    EXPECT_EQ(story.now - started, 1min);
}

TEST(MachineAttention, StartingAgainAndAgainDoesNotPutOffThePerson) {
    auto story = in_dispute();
    const auto begun = story.now;
    for (int i = 0; i < 4; ++i)
        story.restart(2min);
    starve(story, Step::cancelar);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA unsettled!");
    EXPECT_EQ(story.now - begun, story.rules.attention_after);
}

TEST(MachineAttention, AnAnswerTakesTheMarkOffThatSaysThatNoneCame) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unknown);
    starve(story, Step::cancelar);
    story.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
    starve(story, Step::cancelar);
    EXPECT_EQ(story.stands(), "lingering CANCELADA unsettled!") << "the last one is asked about by itself";
    story.restart(1min);
    story.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(story.stands(), "lingering CANCELADA") << "and was answered";
    story.pass(story.rules.late_arrival);
    story.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

TEST(MachineAttention, AnAnswerForOneAttemptLeavesTheMarkOfAnother) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    story.answered(Step::solicitar, Verdict::unknown, 1);
    starve(story, Step::cancelar, 0);
    story.answered(Step::cancelar, Verdict::cancelled, 1);
    EXPECT_EQ(story.stands(1), "lingering CANCELADA unsettled!");
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
        Story story(Family::esim);
        story.answered(Step::solicitar, Verdict::unknown);
        story.wait_it_out();
        story.happens(decision);
        EXPECT_EQ(story.sale.status, decision.status);
        EXPECT_EQ(story.why(), "operator");
        EXPECT_TRUE(story.sale.settled);
    }
}

TEST(MachineOperator, CallbackThatAgreesLaterChangesNothingButTheFacts) {
    Story story(Family::esim);
    story.answered(Step::solicitar, Verdict::unknown);
    story.wait_it_out();
    story.happens(says_sold);
    story.called_back(Status::EFETIVADA, {.uuid = "nsu-1"});
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(story.why(), "operator");
    story.called_back(Status::CANCELADA);
    EXPECT_EQ(story.stands(), "sold EFETIVADA contradiction!");
}

TEST(MachineOperator, CannotDecideASaleThatNeedsNobody) {
    auto story = in_dispute();
    EXPECT_TRUE(story.happens(says_sold).changes_nothing);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
}

TEST(MachineOperator, CannotSellWhatWasNeverConfirmed) {
    for (const auto state : all_states) {
        if (one_of(state, {AttemptState::disputing, AttemptState::awaiting})) continue;
        Sale sale = new_sale(Family::tv);
        sale.attempts.back().state = state;
        sale.status = status_that_follows(sale.current());
        sale.attention = Attention::unsettled;  // another attempt's
        const auto change = decide(Rules{}, sale, 0, says_sold, {});
        EXPECT_EQ(change.status, sale.status) << to_string(state);
        EXPECT_EQ(change.next.state, state);
    }
}

TEST(MachineOperator, ClearsTheMarkOfAFinalSale) {
    auto story = authorised(Family::egift);
    story.answered(Step::confirmar, Verdict::sold);
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled undeliverable!");
    for (const auto& decision : {says_sold, says_cancelled})
        EXPECT_TRUE(story.happens(decision).changes_nothing) << "it was made before the mark asked for something else";
    story.happens(Resolved{.note = "the code was given by hand"});
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
    EXPECT_TRUE(story.happens(looked_into).changes_nothing) << "there is nothing left to clear";
}

TEST(MachineOperator, ANoteAloneDecidesNothing) {
    auto story = asked_about_dispute();
    EXPECT_TRUE(story.happens(looked_into).changes_nothing);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA unsettled!");
}

TEST(MachineOperator, ClearingTheMarkOfAnUnansweredCancelDoesNotEndIt) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unknown);
    starve(story, Step::cancelar);
    story.happens(looked_into);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.act().kind, Action::Kind::exchange);
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
    auto story = authorised(Family::egift);
    story.happens(CancelAsked{});
    starve(story, Step::cancelar);
    story.happens(says_sold);
    story.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
    EXPECT_FALSE(story.sale.details.instrucao.empty());
}

TEST(MachineAttention, WhatGoesOnAfterAPersonHasLookedIsAskedAboutAgain) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unknown);
    starve(story, Step::cancelar);
    story.happens(looked_into);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    const auto looked = story.now;
    starve(story, Step::cancelar);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA unsettled!");
    EXPECT_EQ(story.now - looked, story.rules.attention_after);
}

TEST(MachineAttention, AnOldAttemptThatGoesOnIsTheOneThatAPersonHasLookedAt) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    story.answered(Step::solicitar, Verdict::authorised, 1);
    story.answered(Step::confirmar, Verdict::sold, 1);
    starve(story, Step::cancelar, 0);
    EXPECT_EQ(story.stands(1), "sold EFETIVADA unsettled!");
    story.happens(looked_into);
    EXPECT_EQ(story.stands(0), "lingering EFETIVADA");
    starve(story, Step::cancelar, 0);
    EXPECT_EQ(story.stands(0), "lingering EFETIVADA unsettled!");
}

// The configuration's way to cancel was no good, and is not there any more at the next start.
TEST(MachineAttention, ACancelThatLostItsPathIsForAPerson) {
    for (const bool answered : {false, true}) {
        Story story(Family::health);
        story.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = true;
        story.answered(Step::solicitar, Verdict::unknown);
        if (answered) story.answered(Step::cancelar, Verdict::no_such_sale);
        story.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = false;
        story.restart(1s);
        const std::string state = answered ? "lingering" : "cancelling";
        EXPECT_EQ(story.stands(), state + " CANCELADA no_cancel_path!") << "asked at once, for there is nothing to do";
        EXPECT_EQ(story.doing(), "rest");
        story.restart(24h);
        EXPECT_EQ(story.stands(), state + " CANCELADA no_cancel_path!");
        story.happens(looked_into);
        EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
    }
}

TEST(MachineAttention, AWordOnWhatWasDecidedOtherwiseMeanwhileClearsNothing) {
    auto story = asked_about_dispute();
    story.answered(Step::cancelar, Verdict::sold);
    story.sale.attention = Attention::undeliverable;
    EXPECT_TRUE(story.happens(says_cancelled).changes_nothing) << "it was said of what the sale was before";
    EXPECT_EQ(story.sale.attention, Attention::undeliverable);
}

}  // namespace
}  // namespace gateway::test
