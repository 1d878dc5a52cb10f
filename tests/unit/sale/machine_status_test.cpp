// Tests asking the provider for the status of an attempt: where only its answer is missing, before a confirm or a
// cancel, and for an eSIM whose callback does not come.
#include "unit/sale/scenario.hpp"

namespace gateway::test {
namespace {

constexpr auto consultar = Step::consultar;

Scenario asking(Scenario scenario, bool by_id_transacao = false) {
    scenario.rules.can_ask = true;
    scenario.rules.asks_by_id_transacao = by_id_transacao;
    return scenario;
}

// Makes a sale whose confirm nobody answered in its window.
Scenario in_dispute(Family family = Family::tv) {
    auto scenario = asking(authorised(family));
    scenario.answered(Step::confirmar, Verdict::unknown);
    scenario.pass(scenario.rules.confirm_window);
    scenario.happens(Elapsed{});
    return scenario;
}

// Makes a sale whose request was lost, and whose cancel was declined.
Scenario with_a_declined_cancel(Verdict declined = Verdict::declined) {
    auto scenario = asking(Scenario(Family::tv));
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, declined);
    scenario.pass(1min);
    return scenario;
}

Scenario awaited() {
    auto scenario = asking(Scenario(Family::esim));
    scenario.answered(Step::solicitar, Verdict::authorised);
    return scenario;
}

TEST(MachineStatus, IsAskedForBeforeEveryConfirmAndCancelOfADispute) {
    auto scenario = in_dispute();
    EXPECT_EQ(scenario.doing(), "consultar");
    scenario.answered(consultar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "cancelar");
    scenario.answered(Step::cancelar, Verdict::declined);
    scenario.pass(1min);
    EXPECT_EQ(scenario.doing(), "consultar");
    scenario.answered(consultar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.answered(Step::confirmar, Verdict::unknown);
    scenario.pass(1min);
    EXPECT_EQ(scenario.doing(), "consultar");
}

TEST(MachineStatus, DecidesADisputeAsTheAnswerToACancelDoes) {
    auto sold = in_dispute();
    sold.answered(consultar, Verdict::sold);
    EXPECT_EQ(sold.stands(), "sold EFETIVADA settled");
    auto cancelled = in_dispute();
    cancelled.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled");
}

TEST(MachineStatus, EgiftThatIsSoldByItIsConfirmedForItsGoods) {
    auto scenario = in_dispute(Family::egift);
    scenario.answered(consultar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "collecting AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "confirmar");
    auto with = in_dispute(Family::egift);
    with.answered(consultar, with_goods(Verdict::sold));
    EXPECT_EQ(with.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatus, SaysNothingUnlessItIsFinal) {
    for (const auto verdict : all_known) {
        if (verdict == Verdict::sold || verdict == Verdict::cancelled || verdict == Verdict::refused) continue;
        auto scenario = in_dispute();
        const auto before = scenario.stands();
        scenario.answered(consultar, verdict);
        EXPECT_EQ(scenario.stands(), before) << to_string(verdict);
        if (verdict == Verdict::unauthorised) {
            EXPECT_EQ(scenario.doing(), "consultar") << "with a new token";
            scenario.answered(consultar, verdict);
        }
        EXPECT_EQ(scenario.doing(), "cancelar") << to_string(verdict) << ": at once, as without it";
        scenario.answered(Step::cancelar, Verdict::unauthorised);
        EXPECT_EQ(scenario.doing(), "cancelar") << "and that has its own new token";
    }
}

// The confirm has only just left; the cancel that the terminal asks for will tell the status.
TEST(MachineStatus, IsNotAskedForWhereTheTerminalCancels) {
    auto scenario = asking(authorised());
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.doing(), "cancelar");
}

TEST(MachineStatus, IsAskedForBeforeEveryRepeatOfACancel) {
    for (const auto verdict : {Verdict::declined, Verdict::unknown, Verdict::unsent, Verdict::throttled}) {
        auto scenario = with_a_declined_cancel(verdict);
        for (int repeat = 0; repeat < 3; ++repeat) {
            EXPECT_EQ(scenario.doing(), "consultar") << to_string(verdict);
            scenario.answered(consultar, Verdict::unknown);
            EXPECT_EQ(scenario.doing(), "cancelar") << to_string(verdict) << ": at once, as without it";
            scenario.answered(Step::cancelar, verdict);
            scenario.pass(1min);
        }
        scenario.answered(consultar, Verdict::cancelled);
        EXPECT_EQ(scenario.stands(), "lingering CANCELADA") << to_string(verdict);
    }
}

TEST(MachineStatus, IsAskedForBeforeEveryRepeatOfAConfirm) {
    auto scenario = asking(authorised());
    EXPECT_EQ(scenario.doing(), "confirmar") << "the first one is no repeat";
    for (int repeat = 0; repeat < 3; ++repeat) {
        scenario.answered(Step::confirmar, Verdict::unknown);
        scenario.pass(10s);
        EXPECT_EQ(scenario.doing(), "consultar");
        scenario.answered(consultar, Verdict::unknown);
        EXPECT_EQ(scenario.doing(), "confirmar");
    }
    scenario.answered(Step::confirmar, Verdict::unknown);
    scenario.pass(10s);
    scenario.answered(consultar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatus, CanceladaOfATransactionThatWasNeverSeenIsCancelledOnceMore) {
    auto scenario = with_a_declined_cancel();
    scenario.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    EXPECT_EQ(scenario.doing(), "cancelar in 120000 ms");
    scenario.pass(scenario.rules.late_arrival);
    scenario.answered(Step::cancelar, Verdict::declined);
    scenario.pass(1min);
    EXPECT_EQ(scenario.doing(), "consultar") << "the last cancel was sent, and is not believed to have been heard";
    scenario.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineStatus, LastCancelIsSentAfterWhatWasSentLate) {
    auto scenario = with_a_declined_cancel(Verdict::cancelled);
    scenario.pass(scenario.rules.late_arrival);
    scenario.answered(Step::cancelar, Verdict::declined);
    scenario.happens(SentLate{});
    EXPECT_EQ(scenario.doing(), "cancelar in 120000 ms") << "not asked for: what was sent late may not be there yet";
}

TEST(MachineStatus, SoldWithoutAConfirmIsAgainstTheRules) {
    auto scenario = with_a_declined_cancel();
    scenario.answered(consultar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold CANCELADA contradiction!");
}

TEST(MachineStatus, WhileTheTerminalWaitsItMayEndAnAttemptAndBeginAnother) {
    auto scenario = asking(Scenario(Family::tv));
    scenario.patient_for(2min);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::declined);
    scenario.pass(1s);
    EXPECT_EQ(scenario.doing(), "consultar");
    auto answer = scenario.usual(consultar, Verdict::cancelled);
    EXPECT_TRUE(scenario.answered(consultar, answer).again);
    EXPECT_EQ(scenario.stands(0), "lingering PENDENTE");
}

TEST(MachineStatus, UnsettledSaleFoundAtStartIsAskedForFirst) {
    auto requesting = asking(Scenario(Family::tv));
    requesting.restart();
    EXPECT_EQ(requesting.stands(), "cancelling CANCELADA");
    EXPECT_EQ(requesting.doing(), "consultar");
    requesting.answered(consultar, Verdict::unknown);
    EXPECT_EQ(requesting.doing(), "cancelar");

    auto confirming = asking(authorised());
    confirming.restart();
    EXPECT_EQ(confirming.doing(), "consultar");
    auto sold = confirming;
    sold.answered(consultar, Verdict::sold);
    EXPECT_EQ(sold.stands(), "sold EFETIVADA settled");
    auto cancelled = confirming;
    cancelled.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled");
    confirming.answered(consultar, Verdict::unknown);
    EXPECT_EQ(confirming.doing(), "confirmar");

    auto disputing = in_dispute();
    disputing.answered(consultar, Verdict::unknown);
    disputing.restart();
    EXPECT_EQ(disputing.doing(), "consultar");
}

TEST(MachineStatus, WhatWaitsOrIsHeldIsNotAskedForAtAStart) {
    auto held = asking(authorised(Family::tv, ConfirmMode::manual));
    held.restart();
    EXPECT_EQ(held.doing(), "wait 300000 ms");
    auto lingering = with_a_declined_cancel(Verdict::cancelled);
    lingering.restart();
    lingering.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_TRUE(lingering.doing().starts_with("cancelar in ")) << lingering.doing();
}

// The confirm that comes after the question has no more time than it had.
TEST(MachineStatus, DoesNotOutlastTheConfirmWindow) {
    auto scenario = asking(authorised());
    scenario.restart(scenario.rules.confirm_window);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "consultar");
    auto late = asking(authorised());
    late.restart();
    late.pass(late.rules.confirm_window);
    EXPECT_EQ(late.doing(), "wait");
}

TEST(MachineStatus, EsimIsAskedForFromTheMiddleOfItsWaitOn) {
    auto scenario = awaited();
    EXPECT_EQ(scenario.doing(), "consultar in 300000 ms");
    scenario.pass(5min);
    scenario.answered(consultar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "consultar in 15000 ms");
    scenario.restart();
    EXPECT_EQ(scenario.doing(), "consultar") << "begins anew, and not before its time";
    auto early = awaited();
    early.restart(1min);
    EXPECT_EQ(early.doing(), "consultar in 240000 ms");
}

TEST(MachineStatus, EsimIsAskedForWithoutEndEverMoreSeldom) {
    auto scenario = awaited();
    scenario.chance = 0xFFFF'FFFF;
    scenario.pass(5min);
    scenario.answered(consultar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "consultar in 29999 ms");
    Duration longest{0};
    for (int i = 0; i < 100; ++i) {
        scenario.answered(consultar, Verdict::unknown);
        if (scenario.act().kind == Action::Kind::wait) scenario.wait_it_out();
        ASSERT_EQ(scenario.act().step, consultar);
        const auto pause = std::chrono::ceil<Duration>(scenario.act().at - scenario.now);
        EXPECT_GE(pause, 0ms);
        longest = std::max(longest, pause);
        scenario.pass(pause);
    }
    EXPECT_EQ(scenario.stands(), "awaiting AUTORIZADA no_callback!");
    EXPECT_EQ(longest, 10min - 1ms);
    scenario.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineStatus, EsimEndsByItAsByItsCallback) {
    auto cancelled = awaited();
    cancelled.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(cancelled.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(cancelled.why(), "refused");
    auto refused = awaited();
    refused.answered(consultar, Verdict::refused);
    EXPECT_EQ(refused.stands(), "refused NEGADA settled");
    EXPECT_EQ(refused.why(), "refused");
}

TEST(MachineStatus, EsimSoldWithoutItsCallbackNeedsWhatTheCustomerIsToBeGiven) {
    auto scenario = awaited();
    scenario.answered(consultar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled undeliverable!");
    scenario.called_back(Status::EFETIVADA, {.url = Secret("https://esim.example/1")});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatus, CallbackThatComesWhileItIsAskedForDecides) {
    const auto both = [](Status called, Verdict told) {
        auto scenario = awaited();
        scenario.called_back(called, {.url = Secret("https://esim.example/1")});
        scenario.answered(consultar, told);
        return scenario.stands();
    };
    EXPECT_EQ(both(Status::EFETIVADA, Verdict::sold), "sold EFETIVADA settled");
    EXPECT_EQ(both(Status::EFETIVADA, Verdict::unknown), "sold EFETIVADA settled");
    EXPECT_EQ(both(Status::EFETIVADA, Verdict::cancelled), "sold EFETIVADA contradiction!");
    EXPECT_EQ(both(Status::EFETIVADA, Verdict::refused), "sold EFETIVADA contradiction!");
    EXPECT_EQ(both(Status::CANCELADA, Verdict::sold), "cancelled CANCELADA contradiction!");
    EXPECT_EQ(both(Status::CANCELADA, Verdict::refused), "cancelled CANCELADA settled");
    EXPECT_EQ(both(Status::NEGADA, Verdict::sold), "refused NEGADA contradiction!");
}

// Only a person can cancel the sale, but the provider may end it by itself.
TEST(MachineStatus, HealthSaleThatCannotBeCancelledIsAskedForAgainAndAgain) {
    auto scenario = asking(Scenario(Family::health));
    scenario.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA no_cancel_path!");
    EXPECT_EQ(scenario.doing(), "consultar");
    scenario.answered(consultar, Verdict::unknown);
    EXPECT_EQ(scenario.doing(), "consultar in 15000 ms");
    scenario.restart();
    EXPECT_EQ(scenario.doing(), "consultar");
    auto sold = scenario;
    sold.answered(consultar, Verdict::sold);
    EXPECT_EQ(sold.stands(), "sold CANCELADA contradiction!");
    scenario.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(scenario.doing(), "consultar in 120000 ms") << "the request may still arrive";
    scenario.pass(scenario.rules.late_arrival);
    scenario.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

// An address that hangs takes away neither the confirm's window nor the terminal's patience.
TEST(MachineStatus, IsNotAskedForWhereTheWindowHasNoTimeForBoth) {
    auto confirming = asking(authorised());
    confirming.restart(confirming.rules.confirm_window - 2 * confirming.rules.attempt_time);
    EXPECT_EQ(confirming.doing(), "consultar");
    confirming.pass(1ms);
    EXPECT_EQ(confirming.doing(), "confirmar");
    auto retracting = asking(Scenario(Family::tv));
    retracting.patient_for(46s);
    retracting.answered(Step::solicitar, Verdict::unknown);
    retracting.answered(Step::cancelar, Verdict::declined);
    EXPECT_EQ(retracting.sale.current().state, AttemptState::retracting);
    retracting.pass(1s);
    EXPECT_EQ(retracting.doing(), "consultar");
    retracting.pass(1s);
    EXPECT_EQ(retracting.doing(), "cancelar");
}

// An attempt cannot be asked for by an idTransacao that was never seen.
TEST(MachineStatus, ByIdTransacaoOnlyWhatHasOneIsAskedFor) {
    auto never_seen = asking(Scenario(Family::tv), true);
    never_seen.restart();
    EXPECT_EQ(never_seen.doing(), "cancelar");
    never_seen.answered(Step::cancelar, Verdict::declined);
    never_seen.pass(1min);
    EXPECT_EQ(never_seen.doing(), "cancelar");
    auto esim = asking(Scenario(Family::esim), true);
    esim.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(esim.doing(), "wait 600000 ms");
    auto seen = asking(authorised(), true);
    seen.restart();
    EXPECT_EQ(seen.doing(), "consultar");
}

// In a restored copy, that this attempt is not sold says nothing about those that may have followed.
TEST(MachineStatus, OfARestoredAttemptCanceladaIsHalfAnAnswer) {
    const auto restored = [](Family family) {
        auto scenario = asking(Scenario(family));
        auto& attempt = scenario.attempt(0);
        attempt.state = AttemptState::disputing;
        attempt.cancel_time = scenario.wall;
        scenario.sale.status = Status::AUTORIZADA;
        scenario.sale.attention = Attention::restored;
        scenario.restart();
        return scenario;
    };
    auto scenario = restored(Family::tv);
    EXPECT_EQ(scenario.doing(), "consultar");
    scenario.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "disputing AUTORIZADA restored!");
    EXPECT_EQ(scenario.doing(), "cancelar");
    auto sold = restored(Family::tv);
    sold.answered(consultar, Verdict::sold);
    EXPECT_EQ(sold.sale.status, Status::EFETIVADA);
    auto health = restored(Family::health);
    EXPECT_EQ(health.doing(), "consultar") << "there is neither a confirm nor a cancel";
    health.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(health.doing(), "consultar in 15000 ms");
    health.answered(consultar, Verdict::sold);
    EXPECT_EQ(health.sale.status, Status::EFETIVADA);
}

// The same sale with the same luck is compared with one whose status is asked for in vain: every confirm and every
// cancel goes out in both, in the second one at most one exchange later.
TEST(MachineStatus, AskedForInVainItPutsEveryExchangeOffByOneAtMost) {
    constexpr Duration exchange{15'000};
    const auto turns = [&](bool asks) {
        auto scenario = authorised();
        scenario.rules.can_ask = asks;
        scenario.rules.attention_after = 24h;  // the clock asks a person; all repeats are slower from then on
        scenario.answered(Step::confirmar, Verdict::unknown);
        scenario.pass(scenario.rules.confirm_window);
        scenario.happens(Elapsed{});
        std::vector<std::pair<Step, Duration>> all;  // each with the time that it waited for its turn
        int asked = 0;
        auto since = scenario.now;
        for (int turn = 0; turn < 40;) {
            auto due = scenario.act();
            if (due.kind == Action::Kind::wait) {
                scenario.wait_it_out();
                continue;
            }
            if (due.at > scenario.now) scenario.pass(std::chrono::ceil<Duration>(due.at - scenario.now));
            if (due.step == Step::consultar) {
                EXPECT_EQ(++asked, 1);
                scenario.pass(exchange);
                scenario.answered(Step::consultar, Verdict::unknown);
                continue;
            }
            all.emplace_back(due.step, std::chrono::ceil<Duration>(scenario.now - since) - asked * exchange);
            scenario.chance = static_cast<std::uint32_t>(++turn) * 0x9E37'79B9u;
            asked = 0;
            scenario.answered(due.step, turn % 3 == 0 ? Verdict::unknown : Verdict::declined);
            since = scenario.now;
        }
        return all;
    };
    EXPECT_EQ(turns(true), turns(false));
}

TEST(MachineStatus, WithoutAPathNothingIsAskedFor) {
    auto scenario = authorised();
    scenario.restart();
    EXPECT_EQ(scenario.doing(), "confirmar");
    scenario.pass(scenario.rules.confirm_window);
    scenario.happens(Elapsed{});
    EXPECT_EQ(scenario.doing(), "cancelar");
    EXPECT_FALSE(scenario.attempt(0).ask);
}

}  // namespace
}  // namespace gateway::test
