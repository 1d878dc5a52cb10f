// Asking the provider how an attempt stands: where its word is what is missing, before a confirm or a cancel, and for
// an eSIM whose callback does not come.
#include "unit/sale/story.hpp"

namespace gateway::test {
namespace {

constexpr auto consultar = Step::consultar;

Story asking(Story story, bool by_id_transacao = false) {
    story.rules.can_ask = true;
    story.rules.asks_by_id_transacao = by_id_transacao;
    return story;
}

// A confirm that nobody answered in its window.
Story in_dispute(Family family = Family::tv) {
    auto story = asking(authorised(family));
    story.answered(Step::confirmar, Verdict::unknown);
    story.pass(story.rules.confirm_window);
    story.happens(Elapsed{});
    return story;
}

// Its request was lost, and its cancel was declined.
Story with_a_declined_cancel(Verdict declined = Verdict::declined) {
    auto story = asking(Story(Family::tv));
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, declined);
    story.pass(1min);
    return story;
}

Story awaited() {
    auto story = asking(Story(Family::esim));
    story.answered(Step::solicitar, Verdict::authorised);
    return story;
}

TEST(MachineStatus, IsAskedForBeforeEveryConfirmAndCancelOfADispute) {
    auto story = in_dispute();
    EXPECT_EQ(story.doing(), "consultar");
    story.answered(consultar, Verdict::unknown);
    EXPECT_EQ(story.doing(), "cancelar");
    story.answered(Step::cancelar, Verdict::declined);
    story.pass(1min);
    EXPECT_EQ(story.doing(), "consultar");
    story.answered(consultar, Verdict::unknown);
    EXPECT_EQ(story.doing(), "confirmar");
    story.answered(Step::confirmar, Verdict::unknown);
    story.pass(1min);
    EXPECT_EQ(story.doing(), "consultar");
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
    auto story = in_dispute(Family::egift);
    story.answered(consultar, Verdict::sold);
    EXPECT_EQ(story.stands(), "collecting AUTORIZADA");
    EXPECT_EQ(story.doing(), "confirmar");
    auto with = in_dispute(Family::egift);
    with.answered(consultar, with_goods(Verdict::sold));
    EXPECT_EQ(with.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatus, SaysNothingUnlessItIsFinal) {
    for (const auto verdict : all_known) {
        if (verdict == Verdict::sold || verdict == Verdict::cancelled || verdict == Verdict::refused) continue;
        auto story = in_dispute();
        const auto before = story.stands();
        story.answered(consultar, verdict);
        EXPECT_EQ(story.stands(), before) << to_string(verdict);
        if (verdict == Verdict::unauthorised) {
            EXPECT_EQ(story.doing(), "consultar") << "with a new token";
            story.answered(consultar, verdict);
        }
        EXPECT_EQ(story.doing(), "cancelar") << to_string(verdict) << ": at once, as without it";
        story.answered(Step::cancelar, Verdict::unauthorised);
        EXPECT_EQ(story.doing(), "cancelar") << "and that has its own new token";
    }
}

// The confirm has only just left: the cancel that the terminal asks for says how it stands.
TEST(MachineStatus, IsNotAskedForWhereTheTerminalCancels) {
    auto story = asking(authorised());
    story.happens(CancelAsked{});
    EXPECT_EQ(story.doing(), "cancelar");
}

TEST(MachineStatus, IsAskedForBeforeEveryRepeatOfACancel) {
    for (const auto verdict : {Verdict::declined, Verdict::unknown, Verdict::unsent, Verdict::throttled}) {
        auto story = with_a_declined_cancel(verdict);
        for (int repeat = 0; repeat < 3; ++repeat) {
            EXPECT_EQ(story.doing(), "consultar") << to_string(verdict);
            story.answered(consultar, Verdict::unknown);
            EXPECT_EQ(story.doing(), "cancelar") << to_string(verdict) << ": at once, as without it";
            story.answered(Step::cancelar, verdict);
            story.pass(1min);
        }
        story.answered(consultar, Verdict::cancelled);
        EXPECT_EQ(story.stands(), "lingering CANCELADA") << to_string(verdict);
    }
}

TEST(MachineStatus, IsAskedForBeforeEveryRepeatOfAConfirm) {
    auto story = asking(authorised());
    EXPECT_EQ(story.doing(), "confirmar") << "the first one is no repeat";
    for (int repeat = 0; repeat < 3; ++repeat) {
        story.answered(Step::confirmar, Verdict::unknown);
        story.pass(10s);
        EXPECT_EQ(story.doing(), "consultar");
        story.answered(consultar, Verdict::unknown);
        EXPECT_EQ(story.doing(), "confirmar");
    }
    story.answered(Step::confirmar, Verdict::unknown);
    story.pass(10s);
    story.answered(consultar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatus, CanceladaOfATransactionThatWasNeverSeenIsCancelledOnceMore) {
    auto story = with_a_declined_cancel();
    story.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
    EXPECT_EQ(story.doing(), "cancelar in 120000 ms");
    story.pass(story.rules.late_arrival);
    story.answered(Step::cancelar, Verdict::declined);
    story.pass(1min);
    EXPECT_EQ(story.doing(), "consultar") << "the last cancel was sent, and is not believed to have been heard";
    story.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

TEST(MachineStatus, LastCancelIsSentAfterWhatWasSentLate) {
    auto story = with_a_declined_cancel(Verdict::cancelled);
    story.pass(story.rules.late_arrival);
    story.answered(Step::cancelar, Verdict::declined);
    story.happens(SentLate{});
    EXPECT_EQ(story.doing(), "cancelar in 120000 ms") << "not asked for: what was sent late may not be there yet";
}

TEST(MachineStatus, SoldWithoutAConfirmIsAgainstTheRules) {
    auto story = with_a_declined_cancel();
    story.answered(consultar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold CANCELADA contradiction!");
}

TEST(MachineStatus, WhileTheTerminalWaitsItMayEndAnAttemptAndBeginAnother) {
    auto story = asking(Story(Family::tv));
    story.patient_for(2min);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::declined);
    story.pass(1s);
    EXPECT_EQ(story.doing(), "consultar");
    auto answer = story.usual(consultar, Verdict::cancelled);
    EXPECT_TRUE(story.answered(consultar, answer).again);
    EXPECT_EQ(story.stands(0), "lingering PENDENTE");
}

TEST(MachineStatus, UnsettledSaleFoundAtStartIsAskedForFirst) {
    auto requesting = asking(Story(Family::tv));
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

// The confirm that is asked for before has no more time than it had.
TEST(MachineStatus, DoesNotOutlastTheConfirmWindow) {
    auto story = asking(authorised());
    story.restart(story.rules.confirm_window);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA");
    EXPECT_EQ(story.doing(), "consultar");
    auto late = asking(authorised());
    late.restart();
    late.pass(late.rules.confirm_window);
    EXPECT_EQ(late.doing(), "wait");
}

TEST(MachineStatus, EsimIsAskedForFromTheMiddleOfItsWaitOn) {
    auto story = awaited();
    EXPECT_EQ(story.doing(), "consultar in 300000 ms");
    story.pass(5min);
    story.answered(consultar, Verdict::unknown);
    EXPECT_EQ(story.doing(), "consultar in 15000 ms");
    story.restart();
    EXPECT_EQ(story.doing(), "consultar") << "begins anew, and not before its time";
    auto early = awaited();
    early.restart(1min);
    EXPECT_EQ(early.doing(), "consultar in 240000 ms");
}

TEST(MachineStatus, EsimIsAskedForWithoutEndEverMoreSeldom) {
    auto story = awaited();
    story.chance = 0xFFFF'FFFF;
    story.pass(5min);
    Duration longest{0};
    for (int i = 0; i < 100; ++i) {
        story.answered(consultar, Verdict::unknown);
        if (story.act().kind == Action::Kind::wait) story.wait_it_out();
        ASSERT_EQ(story.act().step, consultar);
        const auto pause = std::chrono::ceil<Duration>(story.act().at - story.now);
        EXPECT_GE(pause, 0ms);
        longest = std::max(longest, pause);
        story.pass(pause);
    }
    EXPECT_EQ(story.stands(), "awaiting AUTORIZADA no_callback!");
    EXPECT_GT(longest, 9min);
    EXPECT_LE(longest, 10min);
    story.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
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
    auto story = awaited();
    story.answered(consultar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled undeliverable!");
    story.called_back(Status::EFETIVADA, {.url = Secret("https://esim.example/1")});
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
}

TEST(MachineStatus, CallbackThatComesWhileItIsAskedForDecides) {
    const auto both = [](Status called, Verdict told) {
        auto story = awaited();
        story.called_back(called, {.url = Secret("https://esim.example/1")});
        story.answered(consultar, told);
        return story.stands();
    };
    EXPECT_EQ(both(Status::EFETIVADA, Verdict::sold), "sold EFETIVADA settled");
    EXPECT_EQ(both(Status::EFETIVADA, Verdict::unknown), "sold EFETIVADA settled");
    EXPECT_EQ(both(Status::EFETIVADA, Verdict::cancelled), "sold EFETIVADA contradiction!");
    EXPECT_EQ(both(Status::EFETIVADA, Verdict::refused), "sold EFETIVADA contradiction!");
    EXPECT_EQ(both(Status::CANCELADA, Verdict::sold), "cancelled CANCELADA contradiction!");
    EXPECT_EQ(both(Status::CANCELADA, Verdict::refused), "cancelled CANCELADA settled");
    EXPECT_EQ(both(Status::NEGADA, Verdict::sold), "refused NEGADA contradiction!");
}

// Only a person can cancel it, but the provider may end it by itself.
TEST(MachineStatus, HealthSaleThatCannotBeCancelledIsAskedForAgainAndAgain) {
    auto story = asking(Story(Family::health));
    story.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA no_cancel_path!");
    EXPECT_EQ(story.doing(), "consultar");
    story.answered(consultar, Verdict::unknown);
    EXPECT_EQ(story.doing(), "consultar in 15000 ms");
    story.restart();
    EXPECT_EQ(story.doing(), "consultar");
    auto sold = story;
    sold.answered(consultar, Verdict::sold);
    EXPECT_EQ(sold.stands(), "sold CANCELADA contradiction!");
    story.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(story.doing(), "consultar in 120000 ms") << "the request may still arrive";
    story.pass(story.rules.late_arrival);
    story.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

// An address that hangs takes neither the confirm's window nor the terminal's patience.
TEST(MachineStatus, IsNotAskedForWhereTheWindowHasNoTimeForBoth) {
    auto confirming = asking(authorised());
    confirming.restart(confirming.rules.confirm_window - 2 * confirming.rules.attempt_time);
    EXPECT_EQ(confirming.doing(), "consultar");
    confirming.pass(1ms);
    EXPECT_EQ(confirming.doing(), "confirmar");
    auto retracting = asking(Story(Family::tv));
    retracting.patient_for(46s);
    retracting.answered(Step::solicitar, Verdict::unknown);
    retracting.answered(Step::cancelar, Verdict::declined);
    EXPECT_EQ(retracting.sale.current().state, AttemptState::retracting);
    retracting.pass(1s);
    EXPECT_EQ(retracting.doing(), "consultar");
    retracting.pass(1s);
    EXPECT_EQ(retracting.doing(), "cancelar");
}

// Nothing can be asked for by an idTransacao that was never seen.
TEST(MachineStatus, ByIdTransacaoOnlyWhatHasOneIsAskedFor) {
    auto never_seen = asking(Story(Family::tv), true);
    never_seen.restart();
    EXPECT_EQ(never_seen.doing(), "cancelar");
    never_seen.answered(Step::cancelar, Verdict::declined);
    never_seen.pass(1min);
    EXPECT_EQ(never_seen.doing(), "cancelar");
    auto esim = asking(Story(Family::esim), true);
    esim.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(esim.doing(), "wait 600000 ms");
    auto seen = asking(authorised(), true);
    seen.restart();
    EXPECT_EQ(seen.doing(), "consultar");
}

// Of a restored copy: that this attempt is not sold says nothing of those that may have followed.
TEST(MachineStatus, OfARestoredAttemptCanceladaIsHalfAnAnswer) {
    const auto restored = [](Family family) {
        auto story = asking(Story(family));
        auto& attempt = story.attempt(0);
        attempt.state = AttemptState::disputing;
        attempt.cancel_time = story.wall;
        story.sale.status = Status::AUTORIZADA;
        story.sale.attention = Attention::restored;
        story.restart();
        return story;
    };
    auto story = restored(Family::tv);
    EXPECT_EQ(story.doing(), "consultar");
    story.answered(consultar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "disputing AUTORIZADA restored!");
    EXPECT_EQ(story.doing(), "cancelar");
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

// The same sale with the same luck, once with the status asked for in vain: every confirm and every cancel goes out as
// it does without, each at most one exchange later.
TEST(MachineStatus, AskedForInVainItPutsEveryExchangeOffByOneAtMost) {
    constexpr Duration exchange{15'000};
    const auto turns = [&](bool asks) {
        auto story = authorised();
        story.rules.can_ask = asks;
        story.rules.attention_after = 24h;  // a person is asked by the clock, and all repeats are slower from then on
        story.answered(Step::confirmar, Verdict::unknown);
        story.pass(story.rules.confirm_window);
        story.happens(Elapsed{});
        std::vector<std::pair<Step, Duration>> all;  // and how long each waited for its turn
        int asked = 0;
        auto since = story.now;
        for (int turn = 0; turn < 40;) {
            auto due = story.act();
            if (due.kind == Action::Kind::wait) {
                story.wait_it_out();
                continue;
            }
            if (due.at > story.now) story.pass(std::chrono::ceil<Duration>(due.at - story.now));
            if (due.step == Step::consultar) {
                EXPECT_EQ(++asked, 1);
                story.pass(exchange);
                story.answered(Step::consultar, Verdict::unknown);
                continue;
            }
            all.emplace_back(due.step, std::chrono::ceil<Duration>(story.now - since) - asked * exchange);
            story.chance = static_cast<std::uint32_t>(++turn) * 0x9E37'79B9u;
            asked = 0;
            story.answered(due.step, turn % 3 == 0 ? Verdict::unknown : Verdict::declined);
            since = story.now;
        }
        return all;
    };
    EXPECT_EQ(turns(true), turns(false));
}

TEST(MachineStatus, WithoutAPathNothingIsAskedFor) {
    auto story = authorised();
    story.restart();
    EXPECT_EQ(story.doing(), "confirmar");
    story.pass(story.rules.confirm_window);
    story.happens(Elapsed{});
    EXPECT_EQ(story.doing(), "cancelar");
    EXPECT_FALSE(story.attempt(0).ask);
}

}  // namespace
}  // namespace gateway::test
