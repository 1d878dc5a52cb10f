// Tests what time, terminals, callbacks and operators do not change.
#include "unit/sale/scenario.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

Resolved found_out(std::optional<Status> status = {}, std::optional<EsimDetails> esim = {}) {
    return {.status = status, .note = "", .by = "", .esim = std::move(esim)};
}

TEST(MachineDecisionEvents, ACancelThatThereIsNoMoreKeepsTheMarkThatItHas) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.sale.attention = Attention::unsettled;
    scenario.rules.can_cancel.fill(false);
    scenario.happens(Lost{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA unsettled!");
    EXPECT_EQ(scenario.attempt(0).attention_at, never);
}

TEST(MachineDecisionEvents, TimeReplacesNoMark) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::unknown);
    scenario.sale.attention = Attention::contradiction;
    scenario.pass(scenario.rules.attention_after);
    scenario.happens(Elapsed{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA contradiction!");
}

TEST(MachineDecisionEvents, AConfirmIsNoReasonToLookAtTheClock) {
    auto scenario = authorised();
    scenario.pass(scenario.rules.confirm_window);
    EXPECT_TRUE(scenario.happens(ConfirmAsked{}).changes_nothing);
}

TEST(MachineDecisionEvents, ACancelAfterTheConfirmSaysSo) {
    auto scenario = authorised();
    scenario.happens(CancelAsked{});
    ASSERT_TRUE(scenario.sale.reason);
    EXPECT_EQ(scenario.sale.reason->detail, "the terminal asked to cancel after the confirm had left");
}

TEST(MachineDecisionEvents, ALaterCallbackTakesOffOnlyTheMarkOfWhatItBrings) {
    auto scenario = authorised(Family::esim);
    scenario.called_back(Status::AUTORIZADA);
    EXPECT_EQ(scenario.stands(), "awaiting AUTORIZADA");
    scenario.called_back(Status::EFETIVADA);
    scenario.sale.attention = Attention::contradiction;
    scenario.called_back(Status::EFETIVADA, {.url = Secret("https://r/1"), .situacao_recarga = "FALHA"});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!");
    auto without = authorised(Family::esim);
    without.happens(Stated{.status = Status::EFETIVADA, .source = ""});
    EXPECT_EQ(without.stands(), "sold EFETIVADA settled undeliverable!");
    without.called_back(Status::EFETIVADA);
    EXPECT_EQ(without.stands(), "sold EFETIVADA settled undeliverable!");
}

TEST(MachineDecisionEvents, WhatAnOperatorFoundOutTooLateChangesNothing) {
    auto cancelled = authorised(Family::esim);
    cancelled.called_back(Status::CANCELADA);
    EXPECT_TRUE(cancelled.happens(found_out({}, EsimDetails{.uuid = "u-1"})).changes_nothing);
    auto sold = authorised();
    sold.answered(Step::confirmar, Verdict::sold);
    EXPECT_TRUE(sold.happens(found_out()).changes_nothing);
}

TEST(MachineDecisionEvents, AnOperatorWhoMeetsNoMarkLeavesTheCancelItsTime) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    const auto asked_at = scenario.attempt(0).attention_at;
    scenario.pass(1s);
    EXPECT_TRUE(scenario.happens(found_out()).changes_nothing);
    EXPECT_EQ(scenario.attempt(0).attention_at, asked_at);
}

TEST(MachineDecisionEvents, AMarkThatIsClearedLeavesNoTimeToAskAgainWhereAllIsSettled) {
    auto scenario = authorised();
    scenario.answered(Step::confirmar, Verdict::sold);
    scenario.sale.attention = Attention::undeliverable;
    scenario.happens(found_out());
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(scenario.attempt(0).attention_at, never);
}

TEST(MachineDecisionEvents, AnOperatorsWordTakesTheMarkOffWhileAnEarlierAttemptIsOpen) {
    Scenario scenario(Family::tv);
    scenario.patient_for(1h);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.answered(Step::solicitar, Verdict::authorised);
    scenario.happens(CancelAsked{});
    scenario.sale.attention = Attention::unsettled;
    scenario.happens(found_out(Status::EFETIVADA));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA");
}

TEST(MachineDecisionEvents, ARequestThatLeftLateIsCancelledOnlyWhereThereIsACancel) {
    Scenario health(Family::health);
    health.answered(Step::solicitar, Verdict::unknown);
    health.happens(found_out());
    EXPECT_EQ(health.stands(), "cancelled CANCELADA settled");
    EXPECT_TRUE(health.happens(SentLate{}).changes_nothing);
    Scenario never_cancelled(Family::tv);
    never_cancelled.answered(Step::solicitar, Verdict::unknown);
    never_cancelled.answered(Step::cancelar, Verdict::cancelled);
    never_cancelled.answered(Step::cancelar, Verdict::cancelled);
    never_cancelled.attempt(0).cancel_time.reset();
    never_cancelled.happens(SentLate{});
    EXPECT_EQ(never_cancelled.stands(), "lingering CANCELADA");
    EXPECT_EQ(never_cancelled.attempt(0).cancel_time, never_cancelled.wall);
}

TEST(MachineDecisionEvents, AnEsimThatAStatementSoldIsMarkedByWhatItLacks) {
    const Stated sold{.status = Status::EFETIVADA, .source = ""};
    auto overdue = authorised(Family::esim);
    overdue.sale.attention = Attention::no_callback;
    overdue.happens(sold);
    EXPECT_EQ(overdue.stands(), "sold EFETIVADA settled undeliverable!");
    auto without_address = authorised(Family::esim);
    without_address.called_back(Status::PENDENTE, {.uuid = "u-1"});
    without_address.happens(sold);
    EXPECT_EQ(without_address.stands(), "sold EFETIVADA settled undeliverable!");
    auto complete = authorised(Family::esim);
    complete.called_back(Status::PENDENTE, {.url = Secret("https://r/1")});
    complete.happens(sold);
    EXPECT_EQ(complete.stands(), "sold EFETIVADA settled");
}

TEST(MachineDecisionEvents, ACancelThatAStatementRepeatsHasItsTimeForAPerson) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::refused);
    scenario.happens(Stated{.status = Status::AUTORIZADA, .source = ""});
    EXPECT_EQ(scenario.stands(), "cancelling NEGADA");
    EXPECT_EQ(scenario.attempt(0).attention_at, scenario.now + scenario.rules.attention_after);
}

}  // namespace
}  // namespace gateway::test
