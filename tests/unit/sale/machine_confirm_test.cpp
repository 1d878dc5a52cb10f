#include "unit/sale/story.hpp"

namespace gateway::test {
namespace {

Story disputed(Family family = Family::tv) {
    auto story = authorised(family);
    story.pass(story.rules.confirm_window);
    story.wait_it_out();
    return story;
}

TEST(MachineConfirm, ConfirmedSaleIsSoldAndSettled) {
    auto story = authorised();
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(story.why(), "no reason");
    EXPECT_EQ(story.doing(), "rest");
}

TEST(MachineConfirm, ProviderMayCancelInstead) {
    auto story = authorised();
    story.answered(Step::confirmar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(story.why(), "provider_error");
}

TEST(MachineConfirm, LostConfirmAnswerIsConfirmedAgainWithTheVerySameConfirm) {
    auto story = authorised();
    const auto confirm_time = story.sale.current().confirm_time;
    story.pass(15s);
    story.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(story.stands(), "confirming AUTORIZADA");
    EXPECT_EQ(story.doing(), "confirmar in 50 ms");
    EXPECT_EQ(story.sale.current().confirm_time, confirm_time);
}

TEST(MachineConfirm, NothingButAFinalStatusEndsAConfirm) {
    for (const auto known : {Verdict::authorised, Verdict::refused, Verdict::unsent, Verdict::throttled,
                             Verdict::no_such_sale, Verdict::declined, Verdict::unknown}) {
        auto story = authorised();
        story.answered(Step::confirmar, known);
        EXPECT_EQ(story.stands(), "confirming AUTORIZADA") << to_string(known);
        EXPECT_EQ(story.doing(), "confirmar in 50 ms") << to_string(known);
    }
}

TEST(MachineConfirm, A401CostsANewTokenAndNoTimeUnlessTheNewOneIsNoGoodEither) {
    auto story = authorised();
    story.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(story.doing(), "confirmar");
    story.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(story.doing(), "confirmar in 50 ms");
    story.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(story.doing(), "confirmar") << "the token may have run out while the sale waited";
}

TEST(MachineConfirm, A401AfterLostAnswersStillGetsItsNewTokenAtOnce) {
    auto story = authorised();
    story.answered(Step::confirmar, Verdict::unknown);
    story.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(story.doing(), "confirmar");
}

TEST(MachineConfirm, WindowThatClosesTurnsTheConfirmIntoACancel) {
    auto story = authorised();
    story.pass(story.rules.confirm_window - 20ms);
    story.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(story.doing(), "wait 20 ms") << "the next repeat would be after the window";
    story.wait_it_out();
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(outcome_of(story.sale), Outcome::pending) << "a confirm has left: only the provider's word counts";
    EXPECT_EQ(story.doing(), "cancelar");
    EXPECT_EQ(story.sale.current().cancel_time, story.wall);
}

TEST(MachineConfirm, TimeThatHasNotComeChangesNothing) {
    auto story = authorised();
    story.pass(story.rules.confirm_window - 1ms);
    EXPECT_TRUE(story.happens(Elapsed{}).changes_nothing);
    EXPECT_EQ(story.stands(), "confirming AUTORIZADA");
}

TEST(MachineConfirm, AnswerAfterTheWindowStillCounts) {
    auto story = authorised();
    story.pass(story.rules.confirm_window + 10s);  // the exchange began before the window closed
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
}

TEST(MachineConfirm, DisputedSaleIsWhatTheCancelIsAnswered) {
    auto sold = disputed();
    sold.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(sold.stands(), "sold EFETIVADA settled") << "a confirm had got through, as it may";
    EXPECT_EQ(sold.why(), "no reason");

    auto cancelled = disputed();
    cancelled.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(cancelled.why(), "provider_error");
}

TEST(MachineConfirm, DisputedSaleNeverLingersBecauseItsRequestWasSeen) {
    auto story = disputed();
    story.attempt(0).id_transacao.clear();
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

TEST(MachineConfirm, DisputedSaleWhoseCancelIsLostIsCancelledAgain) {
    auto story = disputed();
    const auto cancel_time = story.sale.current().cancel_time;
    for (const auto known :
         {Verdict::unknown, Verdict::unsent, Verdict::throttled, Verdict::refused, Verdict::authorised}) {
        story.answered(Step::cancelar, known);
        EXPECT_EQ(story.doing(), "cancelar in 50 ms") << to_string(known);
    }
    EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
}

TEST(MachineConfirm, DeclinedWithoutAStatusTheTwoAreSentInTurn) {
    for (const auto known : {Verdict::no_such_sale, Verdict::declined}) {
        auto story = disputed();
        const auto confirm_time = story.sale.current().confirm_time;
        const auto cancel_time = story.sale.current().cancel_time;
        for (int i = 0; i < 3; ++i) {
            story.answered(Step::cancelar, known);
            EXPECT_EQ(story.doing(), "confirmar in 50 ms");
            story.answered(Step::confirmar, known);
            EXPECT_EQ(story.doing(), "cancelar in 50 ms");
        }
        EXPECT_EQ(story.sale.current().confirm_time, confirm_time);
        EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
        EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
    }
}

TEST(MachineConfirm, EitherOfTheTwoMaySayTheStatus) {
    for (const auto known : {Verdict::sold, Verdict::cancelled}) {
        auto story = disputed();
        story.answered(Step::cancelar, Verdict::no_such_sale);
        story.answered(Step::confirmar, known);
        EXPECT_EQ(story.stands(), known == Verdict::sold ? "sold EFETIVADA settled" : "cancelled CANCELADA settled");
    }
}

TEST(MachineConfirm, LostConfirmInADisputeGoesBackToTheCancel) {
    auto story = disputed();
    story.answered(Step::cancelar, Verdict::declined);
    story.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(story.doing(), "cancelar in 50 ms");
}

TEST(MachineConfirm, A401InADisputeRepeatsTheSameStep) {
    auto story = disputed();
    story.answered(Step::cancelar, Verdict::unauthorised);
    EXPECT_EQ(story.doing(), "cancelar");

    auto second = disputed();
    second.answered(Step::cancelar, Verdict::no_such_sale);
    second.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(second.doing(), "confirmar");
    second.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(second.doing(), "confirmar in 50 ms");
}

TEST(MachineConfirm, DisputeWithoutACancelPathConfirmsOn) {
    auto story = disputed(Family::health);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(story.doing(), "confirmar");
    story.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(story.doing(), "confirmar in 50 ms");
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
}

TEST(MachineConfirm, CancelAskedAfterTheConfirmHasLeftIsAWishOnly) {
    auto story = authorised();
    story.happens(CancelAsked{});
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(story.why(), "terminal_cancelled");
    EXPECT_EQ(story.doing(), "cancelar");
    EXPECT_EQ(outcome_of(story.sale), Outcome::pending);
}

TEST(MachineConfirm, CancelAskedWhileTheConfirmIsUnderWayWaitsForItsAnswer) {
    auto sold = authorised();
    sold.happens(CancelAsked{});
    sold.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(sold.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(sold.why(), "no reason");

    auto lost = authorised();
    lost.happens(CancelAsked{});
    lost.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(lost.doing(), "cancelar in 50 ms") << "the wish is not forgotten";
    lost.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(lost.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(lost.why(), "terminal_cancelled");
}

TEST(MachineConfirm, CancelAskedTwiceIsOneCancel) {
    auto story = authorised();
    story.happens(CancelAsked{});
    const auto cancel_time = story.sale.current().cancel_time;
    story.pass(5s);
    EXPECT_TRUE(story.happens(CancelAsked{}).changes_nothing);
    EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
}

TEST(MachineConfirm, CrashWithinTheWindowConfirmsOn) {
    auto story = authorised();
    const auto confirm_time = story.sale.current().confirm_time;
    story.restart(119s);
    EXPECT_EQ(story.stands(), "confirming AUTORIZADA");
    EXPECT_EQ(story.doing(), "confirmar");
    EXPECT_EQ(story.sale.current().confirm_time, confirm_time);
}

TEST(MachineConfirm, CrashBeyondTheWindowCancels) {
    auto story = authorised();
    story.restart(120s);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(story.doing(), "cancelar");
}

TEST(MachineHold, TerminalsConfirmConfirms) {
    auto story = authorised(Family::tv, ConfirmMode::manual);
    story.pass(299s);
    story.happens(ConfirmAsked{});
    EXPECT_EQ(story.stands(), "confirming AUTORIZADA");
    EXPECT_EQ(story.sale.current().confirm_time, story.wall);
    EXPECT_EQ(story.doing(), "confirmar");
}

TEST(MachineHold, TerminalsCancelIsToldAtOnceAndCancelledOnce) {
    auto story = authorised(Family::tv, ConfirmMode::manual);
    story.happens(CancelAsked{});
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.why(), "terminal_cancelled");
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

TEST(MachineHold, HoldThatNobodyDecidesExpires) {
    auto story = authorised(Family::tv, ConfirmMode::manual);
    story.wait_it_out();
    EXPECT_EQ(story.now, Instant(1h) + story.rules.hold);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.why(), "hold_expired");
}

TEST(MachineHold, ConfirmThatComesTooLateDoesNotConfirm) {
    auto story = authorised(Family::tv, ConfirmMode::manual);
    story.pass(story.rules.hold);
    story.happens(ConfirmAsked{});
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.why(), "hold_expired");
}

TEST(MachineHold, ConfirmAfterTheCancelChangesNothing) {
    auto story = authorised(Family::tv, ConfirmMode::manual);
    story.happens(CancelAsked{});
    EXPECT_TRUE(story.happens(ConfirmAsked{}).changes_nothing);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
}

TEST(MachineHold, HoldGoesOnAcrossACrashAndExpiresInIt) {
    auto within = authorised(Family::tv, ConfirmMode::manual);
    within.restart(100s);
    EXPECT_EQ(within.stands(), "held AUTORIZADA");
    EXPECT_EQ(within.doing(), "wait 200000 ms");

    auto beyond = authorised(Family::tv, ConfirmMode::manual);
    beyond.restart(300s);
    EXPECT_EQ(beyond.stands(), "cancelling CANCELADA");
    EXPECT_EQ(beyond.why(), "hold_expired");
}

TEST(MachineHold, ConfirmOfASaleThatIsNotHeldChangesNothing) {
    for (const auto state : all_states) {
        if (state == AttemptState::held) continue;
        Sale sale = new_sale(Family::tv);
        sale.attempts.back().state = state;
        EXPECT_TRUE(decide(Rules{}, sale, 0, ConfirmAsked{}, {}).changes_nothing) << to_string(state);
    }
}

TEST(MachineGoods, EgiftConfirmedWithItsGoodsIsSold) {
    auto story = authorised(Family::egift);
    const auto change = story.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
    ASSERT_TRUE(change.details) << "durable before anybody is told";
    EXPECT_EQ(change.details->instrucao, with_goods(Verdict::sold).details.instrucao);
}

TEST(MachineGoods, EgiftWithoutItsGoodsIsConfirmedOnceMore) {
    auto story = authorised(Family::egift);
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(story.stands(), "collecting AUTORIZADA") << "not told sold before there is something to hand over";
    EXPECT_EQ(story.doing(), "confirmar");
    story.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
    EXPECT_FALSE(story.sale.details.instrucao.empty());
}

TEST(MachineGoods, EgiftWhoseCancelSaidSoldIsConfirmedAgainForItsGoods) {
    auto story = disputed(Family::egift);
    story.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(story.stands(), "collecting AUTORIZADA");
    EXPECT_EQ(story.doing(), "confirmar");
    story.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
}

TEST(MachineGoods, GoodsThatDoNotComeMakeTheSaleUndeliverable) {
    for (const auto known : {Verdict::sold, Verdict::no_such_sale}) {
        auto story = authorised(Family::egift);
        story.answered(Step::confirmar, Verdict::sold);
        story.answered(Step::confirmar, known);
        EXPECT_EQ(story.stands(), "sold EFETIVADA settled undeliverable!") << to_string(known);
    }
}

TEST(MachineGoods, CollectingIsRepeatedWithinItsWindowOnly) {
    auto story = authorised(Family::egift);
    story.answered(Step::confirmar, Verdict::sold);
    for (const auto known : {Verdict::unknown, Verdict::declined, Verdict::unsent}) {
        story.answered(Step::confirmar, known);
        EXPECT_EQ(story.doing(), "confirmar in 50 ms") << to_string(known);
    }
    story.pass(story.rules.confirm_window);
    story.wait_it_out();
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled undeliverable!");
}

TEST(MachineGoods, CollectingGoesOnAfterACrash) {
    auto story = authorised(Family::egift);
    story.answered(Step::confirmar, Verdict::sold);
    story.restart(1s);
    EXPECT_EQ(story.stands(), "collecting AUTORIZADA");
    EXPECT_EQ(story.doing(), "confirmar");
    story.restart(120s);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled undeliverable!");
}

TEST(MachineGoods, SoldSaleThatIsThenCalledCanceladaIsAContradiction) {
    auto story = authorised(Family::egift);
    story.answered(Step::confirmar, Verdict::sold);
    story.answered(Step::confirmar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "sold EFETIVADA contradiction!");
}

TEST(MachineGoods, CancelAskedOfASoldSaleChangesNothing) {
    auto story = authorised(Family::egift);
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_TRUE(story.happens(CancelAsked{}).changes_nothing);
    EXPECT_EQ(story.doing(), "confirmar");
}

TEST(MachineGoods, HealthVoucherWhosePinDidNotComeWithTheRequestIsUndeliverable) {
    Story story(Family::health);
    story.answered(Step::solicitar, Answer{.verdict = Verdict::authorised, .id_transacao = "T1"});
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled undeliverable!") << "no confirm brings it";
}

TEST(MachineGoods, OtherFamiliesHaveTheirGoodsFromTheRequest) {
    for (const auto family : {Family::tv, Family::transit, Family::health}) {
        auto story = authorised(family);
        story.answered(Step::confirmar, Verdict::sold);
        EXPECT_EQ(story.stands(), "sold EFETIVADA settled") << to_string(family);
    }
}

// All of what a decision changes, and nothing else.
TEST(MachineConfirm, TheDecisionToConfirmIsThisChangeAndNoOther) {
    Story story(Family::tv);
    auto answer = story.usual(Step::solicitar, Verdict::authorised);
    const auto before = story.sale;
    const auto change = story.answered(Step::solicitar, answer);
    Change expected{.at = story.wall,
                    .attempt = 0,
                    .next = before.attempts.front(),
                    .status = Status::AUTORIZADA,
                    .settled = false,
                    .attention = Attention::none,
                    .reason = std::nullopt,
                    .details = answer.details,
                    .esim = std::nullopt};
    expected.next.state = AttemptState::confirming;
    expected.next.id_transacao = "T1";
    expected.next.confirm_time = story.wall;
    expected.next.deadline = story.now + story.rules.confirm_window;
    expected.next.next_try = story.now;
    EXPECT_EQ(change, expected);
}

TEST(MachineConfirm, AnAnswerThatBringsNothingNewHasNothingOfItWritten) {
    auto story = authorised();
    story.sale.details.instrucao = Secret("the pin");
    auto answer = story.usual(Step::confirmar, Verdict::sold);
    answer.details.instrucao = story.sale.details.instrucao;
    const auto change = story.answered(Step::confirmar, answer);
    EXPECT_FALSE(change.details);
    EXPECT_EQ(change.status, Status::EFETIVADA);
    EXPECT_EQ(story.sale.details.instrucao, Secret("the pin"));
}

TEST(MachineConfirm, ALostAnswerToTheConfirmChangesOnlyWhenItIsAskedAgain) {
    auto story = authorised();
    const auto before = story.sale;
    const auto change = story.answered(Step::confirmar, Verdict::unknown);
    Change expected{.at = story.wall,
                    .attempt = 0,
                    .next = before.attempts.front(),
                    .status = Status::AUTORIZADA,
                    .settled = false,
                    .attention = Attention::none,
                    .reason = std::nullopt,
                    .details = std::nullopt,
                    .esim = std::nullopt};
    expected.next.next_try = story.now + 50ms;
    expected.next.tries = 1;
    expected.changes_nothing = true;
    EXPECT_EQ(change, expected);
}

}  // namespace
}  // namespace gateway::test
