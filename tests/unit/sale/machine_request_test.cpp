#include "unit/sale/story.hpp"

#include <functional>

namespace gateway::test {
namespace {

TEST(MachineRequest, IsSentAtOnce) {
    const Story story(Family::tv);
    EXPECT_EQ(story.doing(), "solicitar");
}

TEST(MachineRequest, AuthorisedSaleIsConfirmedAtOnce) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(story.stands(), "confirming AUTORIZADA");
    EXPECT_EQ(story.doing(), "confirmar");
    EXPECT_EQ(story.sale.current().confirm_time, story.wall);
    EXPECT_EQ(story.sale.current().id_transacao, "T1");
    EXPECT_EQ(outcome_of(story.sale), Outcome::pending);
}

TEST(MachineRequest, AuthorisedManualSaleIsHeldForItsTerminal) {
    Story story(Family::transit, ConfirmMode::manual);
    story.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(story.stands(), "held AUTORIZADA");
    EXPECT_EQ(story.doing(), "wait 300000 ms");
    EXPECT_EQ(outcome_of(story.sale), Outcome::held);
}

TEST(MachineRequest, WhatTheProviderToldIsPartOfTheSameChange) {
    Story story(Family::health);
    Answer answer{.verdict = Verdict::authorised, .id_transacao = "T9"};
    answer.details.instrucao = Secret("the pin");
    answer.details.cnpj_cpf = "11.222.333/0001-44";
    const auto change = story.answered(Step::solicitar, answer);
    ASSERT_TRUE(change.details);
    EXPECT_EQ(change.details->instrucao, Secret("the pin"));
    EXPECT_EQ(change.details->cnpj_cpf, "11.222.333/0001-44");
    EXPECT_EQ(change.next.state, AttemptState::confirming);
}

TEST(MachineRequest, RefusedSaleIsNegadaAndDone) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::refused);
    EXPECT_EQ(story.stands(), "refused NEGADA settled");
    EXPECT_EQ(story.why(), "refused");
    EXPECT_EQ(story.doing(), "rest");
    EXPECT_EQ(story.sale.attempts.size(), 1u);
}

TEST(MachineRequest, LostAnswerMakesTheSaleCanceladaAtOnceAndTheCancelGoesOn) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.why(), "response_lost");
    EXPECT_EQ(outcome_of(story.sale), Outcome::not_sold);
    EXPECT_EQ(story.doing(), "cancelar");
    EXPECT_EQ(story.sale.current().cancel_time, story.wall);
}

TEST(MachineRequest, WordsThatNoRequestCanGetAreTakenForUnknown) {
    for (const auto known : {Verdict::sold, Verdict::cancelled, Verdict::no_such_sale, Verdict::declined}) {
        Story story(Family::egift);
        story.answered(Step::solicitar, known);
        EXPECT_EQ(story.stands(), "cancelling CANCELADA") << to_string(known);
    }
}

TEST(MachineRequest, NeverSentIsTriedAgainAfterAPauseWhileTheTerminalWaits) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unsent);
    ASSERT_EQ(story.sale.attempts.size(), 2u);
    EXPECT_NE(story.attempt(0).id_externo, story.attempt(1).id_externo);
    EXPECT_EQ(story.attempt(0).state, AttemptState::unsent);
    EXPECT_EQ(story.stands(), "requesting PENDENTE");
    EXPECT_EQ(story.doing(), "solicitar in 250 ms");
    story.pass(250ms);
    story.answered(Step::solicitar, Verdict::authorised);
    story.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(story.stands(), "sold EFETIVADA settled");
}

TEST(MachineRequest, NeverSentIsFinalWhereNobodyWaits) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(story.stands(), "unsent CANCELADA settled");
    EXPECT_EQ(story.why(), "never_sent");
    EXPECT_EQ(story.doing(), "rest");
}

TEST(MachineRequest, AnotherAttemptNeedsItsWholeTimeLeftOfThePatience) {
    Story just_enough(Family::tv);
    just_enough.patient_for(just_enough.rules.attempt_time);
    just_enough.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(just_enough.sale.attempts.size(), 2u);

    Story too_little(Family::tv);
    too_little.patient_for(too_little.rules.attempt_time - 1ms);
    too_little.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(too_little.stands(), "unsent CANCELADA settled");
}

TEST(MachineRequest, AttemptsAreNotMadeBeyondTheirLimit) {
    Story story(Family::tv);
    story.rules.max_attempts = 3;
    story.patient_for(120s);
    for (int i = 0; i < 3; ++i)
        story.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(story.sale.attempts.size(), 3u);
    EXPECT_EQ(story.stands(), "unsent CANCELADA settled");

    Story once(Family::tv);
    once.rules.max_attempts = 1;
    once.patient_for(120s);
    once.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(once.stands(), "unsent CANCELADA settled");
}

TEST(MachineRequest, Answered401GetsANewIdExternoAtOnceEvenWhereNobodyWaits) {
    Story story(Family::tv);
    story.answered(Step::solicitar, Verdict::unauthorised);
    ASSERT_EQ(story.sale.attempts.size(), 2u);
    EXPECT_NE(story.attempt(0).id_externo, story.attempt(1).id_externo);
    EXPECT_EQ(story.stands(), "requesting PENDENTE");
    EXPECT_EQ(story.doing(), "solicitar");
}

TEST(MachineRequest, ASecond401IsTheEnd) {
    Story story(Family::tv);
    story.patient_for(120s);
    story.answered(Step::solicitar, Verdict::unauthorised);
    story.answered(Step::solicitar, Verdict::unauthorised);
    EXPECT_EQ(story.stands(), "unauthorised CANCELADA settled");
    EXPECT_EQ(story.why(), "provider_error");
}

TEST(MachineRequest, A401DoesNotCountAgainstTheLimitOfAttempts) {
    Story story(Family::tv);
    story.rules.max_attempts = 2;
    story.patient_for(120s);
    story.answered(Step::solicitar, Verdict::unsent);        // the first that counts
    story.answered(Step::solicitar, Verdict::unauthorised);  // does not
    EXPECT_EQ(story.sale.attempts.size(), 3u);
    story.answered(Step::solicitar, Verdict::unsent);  // the second
    EXPECT_EQ(story.stands(), "unsent CANCELADA settled");
    EXPECT_EQ(story.sale.attempts.size(), 3u);
}

TEST(MachineRequest, A401AfterTheLastAttemptThatCountsStillGetsItsNewToken) {
    Story story(Family::tv);
    story.rules.max_attempts = 1;
    story.answered(Step::solicitar, Verdict::unauthorised);
    story.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(story.stands(), "confirming AUTORIZADA");
}

TEST(MachineRequest, Answered429IsNotTriedAgainAndKeepsTheProvidersRetryAfter) {
    Story story(Family::tv);
    story.patient_for(120s);
    story.answered(Step::solicitar, asking_for_patience(Verdict::throttled, 30s));
    EXPECT_EQ(story.stands(), "throttled CANCELADA settled");
    ASSERT_TRUE(story.sale.reason);
    EXPECT_EQ(story.sale.reason->retry_after, 30s);
}

TEST(MachineRequest, LostAnswerIsRetractedWhileTheTerminalMayGetAnotherAttempt) {
    Story story(Family::egift);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(story.stands(), "retracting PENDENTE");
    EXPECT_EQ(outcome_of(story.sale), Outcome::pending);
    EXPECT_EQ(story.doing(), "cancelar");
}

TEST(MachineRequest, RetractedSaleIsTriedAgainOnceTheProviderHasConfirmedTheCancel) {
    Story story(Family::egift);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    ASSERT_EQ(story.sale.attempts.size(), 2u);
    EXPECT_EQ(story.stands(0), "lingering PENDENTE");
    EXPECT_EQ(story.doing(0), "cancelar in 120000 ms") << "the request may come to life after its own cancel";
    EXPECT_EQ(story.doing(1), "solicitar");
}

TEST(MachineRequest, TheOldAttemptGetsItsSecondCancelBesideTheNewOne) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    story.answered(Step::solicitar, Verdict::authorised, 1);
    story.answered(Step::confirmar, Verdict::sold, 1);
    EXPECT_EQ(story.stands(), "sold EFETIVADA") << "not settled while the old one lingers";
    story.pass(120s);
    EXPECT_EQ(story.doing(0), "cancelar");
    story.answered(Step::cancelar, Verdict::cancelled, 0);
    EXPECT_EQ(story.stands(0), "cancelled EFETIVADA settled");
}

TEST(MachineRequest, ProviderThatKnowsNoSuchSaleLeadsToNoOtherAttempt) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
    EXPECT_EQ(story.sale.attempts.size(), 1u);
}

TEST(MachineRequest, RetractingEndsInTimeForTheTerminalToBeTold) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    while (story.act().kind == Action::Kind::exchange) {
        story.now = std::max(story.now, story.act().at);
        story.answered(Step::cancelar, Verdict::unknown);
    }
    story.wait_it_out();
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.why(), "response_lost");
    EXPECT_EQ(story.sale.patience - story.now, story.rules.attempt_time);
}

TEST(MachineRequest, CancelConfirmedTooLateForAnotherAttemptOnlyEndsTheSale) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.pass(50s);
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
    EXPECT_EQ(story.sale.attempts.size(), 1u);
}

TEST(MachineRequest, NoRetractingWithoutAnAttemptLeftOrTimeForIt) {
    Story last(Family::tv);
    last.rules.max_attempts = 1;
    last.patient_for(120s);
    last.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(last.stands(), "cancelling CANCELADA");

    Story impatient(Family::tv);
    impatient.patient_for(impatient.rules.attempt_time - 1ms);
    impatient.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(impatient.stands(), "cancelling CANCELADA");
}

// Repeats of a cancel are byte for byte the same, and keep their distance, whatever the terminal is told meanwhile.
TEST(MachineRequest, RetractingThatEndsGoesOnWithTheVerySameCancel) {
    const auto end_by_time = [](Story& story) { story.wait_it_out(); };
    const auto end_by_terminal = [](Story& story) { story.happens(CancelAsked{}); };
    const std::array<std::function<void(Story&)>, 2> ends{end_by_time, end_by_terminal};
    for (const auto& end : ends) {
        Story story(Family::tv);
        story.patient_for(60s);
        story.answered(Step::solicitar, Verdict::unknown);
        const auto cancel_time = story.sale.current().cancel_time;
        const auto attention_at = story.sale.current().attention_at;
        story.pass(20s);
        story.answered(Step::cancelar, asking_for_patience(Verdict::declined, 100s));
        end(story);
        EXPECT_EQ(story.stands(), "cancelling CANCELADA");
        EXPECT_EQ(story.sale.current().cancel_time, cancel_time);
        EXPECT_EQ(story.sale.current().attention_at, attention_at);
        EXPECT_EQ(story.sale.current().tries, 1);
        EXPECT_EQ(story.sale.current().deadline, never);
        EXPECT_EQ(story.sale.current().next_try, Instant(1h) + 120s) << "the provider asked for 100 s at 20 s";
    }
}

TEST(MachineRequest, CancelledByItsTerminalWhileRetractingIsToldSoAtOnce) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unknown);
    story.happens(CancelAsked{});
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.why(), "terminal_cancelled");
    story.answered(Step::cancelar, Verdict::cancelled);  // of the cancel that was under way
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
    EXPECT_EQ(story.sale.attempts.size(), 1u);
}

TEST(MachineRequest, ReasonOfAnAttemptBeforeIsForgottenOnceAuthorised) {
    Story story(Family::tv, ConfirmMode::manual);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(story.why(), "never_sent");
    story.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(story.why(), "no reason");
}

TEST(MachineRequest, CancelledByItsTerminalMeanwhileIsNeverConfirmed) {
    Story story(Family::tv);
    story.happens(CancelAsked{});
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.why(), "terminal_cancelled");
    story.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.doing(), "cancelar");
    EXPECT_EQ(story.sale.current().id_transacao, "T1");
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled") << "the request was seen: it cannot come any more";
}

TEST(MachineRequest, CancelledMeanwhileAndKnownNotToBeThereNeedsNoCancel) {
    for (const auto known : {Verdict::unsent, Verdict::refused, Verdict::unauthorised, Verdict::throttled}) {
        Story story(Family::tv);
        story.patient_for(60s);
        story.happens(CancelAsked{});
        story.answered(Step::solicitar, known);
        EXPECT_EQ(story.stands(), "cancelled CANCELADA settled") << to_string(known);
        EXPECT_EQ(story.why(), "terminal_cancelled");
        EXPECT_EQ(story.sale.attempts.size(), 1u) << "no new attempt for a cancelled sale";
    }
}

TEST(MachineRequest, CancelledMeanwhileAndUnknownIsCancelledTwice) {
    Story story(Family::tv);
    story.happens(CancelAsked{});
    story.answered(Step::solicitar, Verdict::unknown);
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "lingering CANCELADA");
}

TEST(MachineRequest, CancelThatWasOnItsWayWhileAnotherAttemptBeganCancelsThatOne) {
    Story story(Family::tv);
    story.patient_for(60s);
    story.answered(Step::solicitar, Verdict::unsent);
    ASSERT_EQ(story.sale.attempts.size(), 2u);
    const auto change = story.happens(CancelAsked{}, 0);  // posted when there was only the first
    EXPECT_EQ(change.attempt, 1u);
    EXPECT_EQ(story.stands(1), "cancelling CANCELADA");
    EXPECT_EQ(story.stands(0), "unsent CANCELADA");
}

TEST(MachineRequest, HealthWithoutACancelPathIsNotSoldAndLeftToAPerson) {
    Story story(Family::health);
    story.patient_for(120s);
    story.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA no_cancel_path!") << "never retracted: no cancel would confirm it";
    EXPECT_EQ(story.doing(), "rest");
    story.restart(1h);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA no_cancel_path!");
}

TEST(MachineRequest, HealthWithoutACancelPathIsSettledByThePersonWhoClearsTheMark) {
    Story story(Family::health);
    story.answered(Step::solicitar, Verdict::unknown);
    story.happens(Resolved{.note = "cancelled at the partner's desk"});
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
    story.restart(1h);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled") << "nobody is asked twice";
}

TEST(MachineRequest, HealthWithoutACancelPathThatWasNeverThereIsSettled) {
    Story story(Family::health);
    story.happens(CancelAsked{});
    EXPECT_EQ(story.stands(), "cancelling CANCELADA no_cancel_path!");
    story.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

TEST(MachineRequest, HealthWithACancelPathIsCancelledLikeTheOthers) {
    Story story(Family::health);
    story.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = true;
    story.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(story.stands(), "cancelling CANCELADA");
    EXPECT_EQ(story.doing(), "cancelar");
}

TEST(MachineRequest, CancelPathThatIsConfiguredLaterIsUsedAfterARestart) {
    Story story(Family::health);
    story.answered(Step::solicitar, Verdict::unknown);
    story.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = true;
    story.restart();
    EXPECT_EQ(story.doing(), "cancelar");
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.doing(), "cancelar in 120000 ms");
    story.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(story.stands(), "cancelled CANCELADA settled");
}

}  // namespace
}  // namespace gateway::test
