#include "unit/sale/scenario.hpp"

namespace gateway::test {
namespace {

Scenario disputed(Family family = Family::tv) {
    auto scenario = authorised(family);
    scenario.pass(scenario.rules.confirm_window);
    scenario.wait_it_out();
    return scenario;
}

TEST(MachineConfirm, ConfirmedSaleIsSoldAndSettled) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(scenario.why(), "no reason");
    EXPECT_EQ(scenario.doing(), "rest");
}

TEST(MachineConfirm, ProviderMayCancelInstead) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(scenario.why(), "provider_error");
}

TEST(MachineConfirm, LostConfirmAnswerIsConfirmedAgainWithTheVerySameConfirm) {
    auto scenario = authorised();
    const auto confirm_time = scenario.sale.current().confirm_time;
    scenario.pass(15s);
    scenario.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(scenario.stands(), "confirming AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "confirmar in 50 ms");
    EXPECT_EQ(scenario.sale.current().confirm_time, confirm_time);
}

TEST(MachineConfirm, NothingButAFinalStatusEndsAConfirm) {
    for (const auto known : {Verdict::authorised, Verdict::refused, Verdict::unsent, Verdict::throttled,
                             Verdict::no_such_sale, Verdict::declined, Verdict::unknown}) {
        auto scenario = authorised();
        scenario.answered(Step::confirmar, known);
        EXPECT_EQ(scenario.stands(), "confirming AUTORIZADA") << to_string(known);
        EXPECT_EQ(scenario.doing(), "confirmar in 50 ms") << to_string(known);
    }
}

TEST(MachineConfirm, A401CostsANewTokenAndNoTimeUnlessTheNewOneIsNoGoodEither) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "confirmar in 50 ms");
    scenario.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "confirmar") << "the token may have run out while the sale waited";
}

TEST(MachineConfirm, A401AfterLostAnswersStillGetsItsNewTokenAtOnce) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, Verdict::unknown);
    scenario.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "confirmar");
}

TEST(MachineConfirm, WindowThatClosesTurnsTheConfirmIntoACancel) {
    auto scenario = authorised();
    scenario.pass(scenario.rules.confirm_window - 20ms);
    scenario.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "wait 20 ms") << "the next repeat would be after the window";
    scenario.wait_it_out();
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::pending) << "a confirm has left: only the provider's word counts";
    EXPECT_EQ(scenario.doing(), "cancelar");
    EXPECT_EQ(scenario.sale.current().cancel_time, scenario.wall);
}

TEST(MachineConfirm, TimeThatHasNotComeChangesNothing) {
    auto scenario = authorised();
    scenario.pass(scenario.rules.confirm_window - 1ms);
    EXPECT_TRUE(scenario.happens(Elapsed{}).changes_nothing);
    EXPECT_EQ(scenario.stands(), "confirming AUTORIZADA");
}

TEST(MachineConfirm, AnswerAfterTheWindowStillCounts) {
    auto scenario = authorised();
    scenario.pass(scenario.rules.confirm_window + 10s);  // the exchange began before the window closed
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
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
    auto scenario = disputed();
    scenario.attempt(0).id_transacao.clear();
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineConfirm, DisputedSaleWhoseCancelIsLostIsCancelledAgain) {
    auto scenario = disputed();
    const auto cancel_time = scenario.sale.current().cancel_time;
    for (const auto known :
         {Verdict::unknown, Verdict::unsent, Verdict::throttled, Verdict::refused, Verdict::authorised}) {
        scenario.answered(Step::cancelar, known);
        EXPECT_EQ(scenario.doing(), "cancelar in 50 ms") << to_string(known);
    }
    EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
}

TEST(MachineConfirm, DeclinedWithoutAStatusTheTwoAreSentInTurn) {
    for (const auto known : {Verdict::no_such_sale, Verdict::declined}) {
        auto scenario = disputed();
        const auto confirm_time = scenario.sale.current().confirm_time;
        const auto cancel_time = scenario.sale.current().cancel_time;
        for (int i = 0; i < 3; ++i) {
            scenario.answered(Step::cancelar, known);
            EXPECT_EQ(scenario.doing(), "confirmar in 50 ms");
            scenario.answered(Step::confirmar, known);
            EXPECT_EQ(scenario.doing(), "cancelar in 50 ms");
        }
        EXPECT_EQ(scenario.sale.current().confirm_time, confirm_time);
        EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
        EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    }
}

TEST(MachineConfirm, EitherOfTheTwoMaySayTheStatus) {
    for (const auto known : {Verdict::sold, Verdict::cancelled}) {
        auto scenario = disputed();
        scenario.answered(Step::cancelar, Verdict::no_such_sale);
        scenario.answered(Step::confirmar, known);
        EXPECT_EQ(scenario.stands(), known == Verdict::sold ? "sold EFETIVADA settled" : "cancelled CANCELADA settled");
    }
}

TEST(MachineConfirm, LostConfirmInADisputeGoesBackToTheCancel) {
    auto scenario = disputed();
    scenario.answered(Step::cancelar, Verdict::declined);
    scenario.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "cancelar in 50 ms");
}

TEST(MachineConfirm, A401InADisputeRepeatsTheSameStep) {
    auto scenario = disputed();
    scenario.answered(Step::cancelar, Verdict::unauthorised);
    EXPECT_EQ(scenario.doing(), "cancelar");

    auto second = disputed();
    second.answered(Step::cancelar, Verdict::no_such_sale);
    second.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(second.doing(), "confirmar");
    second.answered(Step::confirmar, Verdict::unauthorised);
    EXPECT_EQ(second.doing(), "confirmar in 50 ms");
}

TEST(MachineConfirm, DisputeWithoutACancelPathConfirmsOn) {
    auto scenario = disputed(Family::health);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.answered(Step::confirmar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "confirmar in 50 ms");
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineConfirm, CancelAskedAfterTheConfirmHasLeftIsAWishOnly) {
    auto scenario = authorised();
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(scenario.why(), "terminal_cancelled");
    EXPECT_EQ(scenario.doing(), "cancelar");
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::pending);
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
    auto scenario = authorised();
    scenario.happens(CancelAsked{});
    const auto cancel_time = scenario.sale.current().cancel_time;
    scenario.pass(5s);
    EXPECT_TRUE(scenario.happens(CancelAsked{}).changes_nothing);
    EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
}

TEST(MachineConfirm, CrashWithinTheWindowConfirmsOn) {
    auto scenario = authorised();
    const auto confirm_time = scenario.sale.current().confirm_time;
    scenario.restart(119s);
    EXPECT_EQ(scenario.stands(), "confirming AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "confirmar");
    EXPECT_EQ(scenario.sale.current().confirm_time, confirm_time);
}

TEST(MachineConfirm, CrashBeyondTheWindowCancels) {
    auto scenario = authorised();
    scenario.restart(120s);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "cancelar");
}

TEST(MachineHold, TerminalsConfirmConfirms) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.pass(299s);
    scenario.happens(ConfirmAsked{});
    EXPECT_EQ(scenario.stands(), "confirming AUTORIZADA");
    EXPECT_EQ(scenario.sale.current().confirm_time, scenario.wall);
    EXPECT_EQ(scenario.doing(), "confirmar");
}

TEST(MachineHold, TerminalsCancelIsToldAtOnceAndCancelledOnce) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "terminal_cancelled");
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineHold, HoldThatNobodyDecidesExpires) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.wait_it_out();
    EXPECT_EQ(scenario.now, Instant(1h) + scenario.rules.hold);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "hold_expired");
}

TEST(MachineHold, ConfirmThatComesTooLateDoesNotConfirm) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.pass(scenario.rules.hold);
    scenario.happens(ConfirmAsked{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "hold_expired");
}

TEST(MachineHold, ConfirmAfterTheCancelChangesNothing) {
    auto scenario = authorised(Family::tv, ConfirmMode::manual);
    scenario.happens(CancelAsked{});
    EXPECT_TRUE(scenario.happens(ConfirmAsked{}).changes_nothing);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
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
    auto scenario = authorised(Family::egift);
    const auto change = scenario.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    ASSERT_TRUE(change.details) << "durable before anybody is told";
    EXPECT_EQ(change.details->instrucao, with_goods(Verdict::sold).details.instrucao);
}

TEST(MachineGoods, EgiftWithoutItsGoodsIsConfirmedOnceMore) {
    auto scenario = authorised(Family::egift);
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "collecting AUTORIZADA") << "not told sold before there is something to hand over";
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_FALSE(scenario.sale.details.instrucao.empty());
}

TEST(MachineGoods, EgiftWhoseCancelSaidSoldIsConfirmedAgainForItsGoods) {
    auto scenario = disputed(Family::egift);
    scenario.answered(Step::cancelar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "collecting AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.answered(Step::confirmar, with_goods(Verdict::sold));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineGoods, GoodsThatDoNotComeMakeTheSaleUndeliverable) {
    for (const auto known : {Verdict::sold, Verdict::no_such_sale}) {
        auto scenario = authorised(Family::egift);
        scenario.answered(Step::confirmar, Verdict::sold);
        scenario.answered(Step::confirmar, known);
        EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!") << to_string(known);
    }
}

TEST(MachineGoods, CollectingIsRepeatedWithinItsWindowOnly) {
    auto scenario = authorised(Family::egift);
    scenario.answered(Step::confirmar, Verdict::sold);
    for (const auto known : {Verdict::unknown, Verdict::declined, Verdict::unsent}) {
        scenario.answered(Step::confirmar, known);
        EXPECT_EQ(scenario.doing(), "confirmar in 50 ms") << to_string(known);
    }
    scenario.pass(scenario.rules.confirm_window);
    scenario.wait_it_out();
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!");
}

TEST(MachineGoods, CollectingGoesOnAfterACrash) {
    auto scenario = authorised(Family::egift);
    scenario.answered(Step::confirmar, Verdict::sold);
    scenario.restart(1s);
    EXPECT_EQ(scenario.stands(), "collecting AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.restart(120s);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!");
}

TEST(MachineGoods, SoldSaleThatIsThenCalledCanceladaIsAContradiction) {
    auto scenario = authorised(Family::egift);
    scenario.answered(Step::confirmar, Verdict::sold);
    scenario.answered(Step::confirmar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!");
}

TEST(MachineGoods, CancelAskedOfASoldSaleChangesNothing) {
    auto scenario = authorised(Family::egift);
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_TRUE(scenario.happens(CancelAsked{}).changes_nothing);
    EXPECT_EQ(scenario.doing(), "confirmar");
}

TEST(MachineGoods, HealthVoucherWhosePinDidNotComeWithTheRequestIsUndeliverable) {
    Scenario scenario(Family::health);
    scenario.answered(Step::solicitar, Answer{.verdict = Verdict::authorised, .id_transacao = "T1"});
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!") << "no confirm brings it";
}

TEST(MachineGoods, OtherFamiliesHaveTheirGoodsFromTheRequest) {
    for (const auto family : {Family::tv, Family::transit, Family::health}) {
        auto scenario = authorised(family);
        scenario.answered(Step::confirmar, Verdict::sold);
        EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled") << to_string(family);
    }
}

// The test names everything that a decision changes, and nothing else may change.
TEST(MachineConfirm, TheDecisionToConfirmIsThisChangeAndNoOther) {
    Scenario scenario(Family::tv);
    auto answer = scenario.usual(Step::solicitar, Verdict::authorised);
    const auto before = scenario.sale;
    const auto change = scenario.answered(Step::solicitar, answer);
    Change expected{.at = scenario.wall,
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
    expected.next.confirm_time = scenario.wall;
    expected.next.deadline = scenario.now + scenario.rules.confirm_window;
    expected.next.next_try = scenario.now;
    EXPECT_EQ(change, expected);
}

TEST(MachineConfirm, AnAnswerThatBringsNothingNewHasNothingOfItWritten) {
    auto scenario = authorised();
    scenario.sale.details.instrucao = Secret("the pin");
    auto answer = scenario.usual(Step::confirmar, Verdict::sold);
    answer.details.instrucao = scenario.sale.details.instrucao;
    const auto change = scenario.answered(Step::confirmar, answer);
    EXPECT_FALSE(change.details);
    EXPECT_EQ(change.status, Status::EFETIVADA);
    EXPECT_EQ(scenario.sale.details.instrucao, Secret("the pin"));
}

TEST(MachineConfirm, ALostAnswerToTheConfirmChangesOnlyWhenItIsAskedAgain) {
    auto scenario = authorised();
    const auto before = scenario.sale;
    const auto change = scenario.answered(Step::confirmar, Verdict::unknown);
    Change expected{.at = scenario.wall,
                    .attempt = 0,
                    .next = before.attempts.front(),
                    .status = Status::AUTORIZADA,
                    .settled = false,
                    .attention = Attention::none,
                    .reason = std::nullopt,
                    .details = std::nullopt,
                    .esim = std::nullopt};
    expected.next.next_try = scenario.now + 50ms;
    expected.next.tries = 1;
    expected.changes_nothing = true;
    EXPECT_EQ(change, expected);
}

}  // namespace
}  // namespace gateway::test
