#include "unit/sale/scenario.hpp"

#include <functional>

namespace gateway::test {
namespace {

TEST(MachineRequest, IsSentAtOnce) {
    const Scenario scenario(Family::tv);
    EXPECT_EQ(scenario.doing(), "solicitar");
}

TEST(MachineRequest, AuthorisedSaleIsConfirmedAtOnce) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(scenario.stands(), "confirming AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "confirmar");
    EXPECT_EQ(scenario.sale.current().confirm_time, scenario.wall);
    EXPECT_EQ(scenario.sale.current().id_transacao, "T1");
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::pending);
}

TEST(MachineRequest, AuthorisedManualSaleIsHeldForItsTerminal) {
    Scenario scenario(Family::transit, ConfirmMode::manual);
    scenario.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(scenario.stands(), "held AUTORIZADA");
    EXPECT_EQ(scenario.doing(), "wait 300000 ms");
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::held);
}

TEST(MachineRequest, WhatTheProviderToldIsPartOfTheSameChange) {
    Scenario scenario(Family::health);
    Answer answer{.verdict = Verdict::authorised, .id_transacao = "T9"};
    answer.details.instrucao = Secret("the pin");
    answer.details.cnpj_cpf = "11.222.333/0001-44";
    const auto change = scenario.answered(Step::solicitar, answer);
    ASSERT_TRUE(change.details);
    EXPECT_EQ(change.details->instrucao, Secret("the pin"));
    EXPECT_EQ(change.details->cnpj_cpf, "11.222.333/0001-44");
    EXPECT_EQ(change.next.state, AttemptState::confirming);
}

TEST(MachineRequest, RefusedSaleIsNegadaAndDone) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::refused);
    EXPECT_EQ(scenario.stands(), "refused NEGADA settled");
    EXPECT_EQ(scenario.why(), "refused");
    EXPECT_EQ(scenario.doing(), "rest");
    EXPECT_EQ(scenario.sale.attempts.size(), 1u);
}

TEST(MachineRequest, LostAnswerMakesTheSaleCanceladaAtOnceAndTheCancelGoesOn) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "response_lost");
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::not_sold);
    EXPECT_EQ(scenario.doing(), "cancelar");
    EXPECT_EQ(scenario.sale.current().cancel_time, scenario.wall);
}

TEST(MachineRequest, WordsThatNoRequestCanGetAreTakenForUnknown) {
    for (const auto known : {Verdict::sold, Verdict::cancelled, Verdict::no_such_sale, Verdict::declined}) {
        Scenario scenario(Family::egift);
        scenario.answered(Step::solicitar, known);
        EXPECT_EQ(scenario.stands(), "cancelling CANCELADA") << to_string(known);
    }
}

TEST(MachineRequest, NeverSentIsTriedAgainAfterAPauseWhileTheTerminalWaits) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unsent);
    ASSERT_EQ(scenario.sale.attempts.size(), 2u);
    EXPECT_NE(scenario.attempt(0).id_externo, scenario.attempt(1).id_externo);
    EXPECT_EQ(scenario.attempt(0).state, AttemptState::unsent);
    EXPECT_EQ(scenario.stands(), "requesting PENDENTE");
    EXPECT_EQ(scenario.doing(), "solicitar in 250 ms");
    scenario.pass(250ms);
    scenario.answered(Step::solicitar, Verdict::authorised);
    scenario.answered(Step::confirmar, Verdict::sold);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineRequest, NeverSentIsFinalWhereNobodyWaits) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(scenario.stands(), "unsent CANCELADA settled");
    EXPECT_EQ(scenario.why(), "never_sent");
    EXPECT_EQ(scenario.doing(), "rest");
}

TEST(MachineRequest, AnotherAttemptNeedsItsWholeTimeLeftOfThePatience) {
    Scenario just_enough(Family::tv);
    just_enough.patient_for(just_enough.rules.attempt_time);
    just_enough.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(just_enough.sale.attempts.size(), 2u);

    Scenario too_little(Family::tv);
    too_little.patient_for(too_little.rules.attempt_time - 1ms);
    too_little.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(too_little.stands(), "unsent CANCELADA settled");
}

TEST(MachineRequest, AttemptsAreNotMadeBeyondTheirLimit) {
    Scenario scenario(Family::tv);
    scenario.rules.max_attempts = 3;
    scenario.patient_for(120s);
    for (int i = 0; i < 3; ++i)
        scenario.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(scenario.sale.attempts.size(), 3u);
    EXPECT_EQ(scenario.stands(), "unsent CANCELADA settled");

    Scenario once(Family::tv);
    once.rules.max_attempts = 1;
    once.patient_for(120s);
    once.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(once.stands(), "unsent CANCELADA settled");
}

TEST(MachineRequest, Answered401GetsANewIdExternoAtOnceEvenWhereNobodyWaits) {
    Scenario scenario(Family::tv);
    scenario.answered(Step::solicitar, Verdict::unauthorised);
    ASSERT_EQ(scenario.sale.attempts.size(), 2u);
    EXPECT_NE(scenario.attempt(0).id_externo, scenario.attempt(1).id_externo);
    EXPECT_EQ(scenario.stands(), "requesting PENDENTE");
    EXPECT_EQ(scenario.doing(), "solicitar");
}

TEST(MachineRequest, ASecond401IsTheEnd) {
    Scenario scenario(Family::tv);
    scenario.patient_for(120s);
    scenario.answered(Step::solicitar, Verdict::unauthorised);
    scenario.answered(Step::solicitar, Verdict::unauthorised);
    EXPECT_EQ(scenario.stands(), "unauthorised CANCELADA settled");
    EXPECT_EQ(scenario.why(), "provider_error");
}

TEST(MachineRequest, A401DoesNotCountAgainstTheLimitOfAttempts) {
    Scenario scenario(Family::tv);
    scenario.rules.max_attempts = 2;
    scenario.patient_for(120s);
    scenario.answered(Step::solicitar, Verdict::unsent);        // the first that counts
    scenario.answered(Step::solicitar, Verdict::unauthorised);  // does not
    EXPECT_EQ(scenario.sale.attempts.size(), 3u);
    scenario.answered(Step::solicitar, Verdict::unsent);  // the second
    EXPECT_EQ(scenario.stands(), "unsent CANCELADA settled");
    EXPECT_EQ(scenario.sale.attempts.size(), 3u);
}

TEST(MachineRequest, A401AfterTheLastAttemptThatCountsStillGetsItsNewToken) {
    Scenario scenario(Family::tv);
    scenario.rules.max_attempts = 1;
    scenario.answered(Step::solicitar, Verdict::unauthorised);
    scenario.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(scenario.stands(), "confirming AUTORIZADA");
}

TEST(MachineRequest, Answered429IsNotTriedAgainAndKeepsTheProvidersRetryAfter) {
    Scenario scenario(Family::tv);
    scenario.patient_for(120s);
    scenario.answered(Step::solicitar, asking_for_patience(Verdict::throttled, 30s));
    EXPECT_EQ(scenario.stands(), "throttled CANCELADA settled");
    ASSERT_TRUE(scenario.sale.reason);
    EXPECT_EQ(scenario.sale.reason->retry_after, 30s);
}

TEST(MachineRequest, LostAnswerIsRetractedWhileTheTerminalMayGetAnotherAttempt) {
    Scenario scenario(Family::egift);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(scenario.stands(), "retracting PENDENTE");
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::pending);
    EXPECT_EQ(scenario.doing(), "cancelar");
}

TEST(MachineRequest, RetractedSaleIsTriedAgainOnceTheProviderHasConfirmedTheCancel) {
    Scenario scenario(Family::egift);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    ASSERT_EQ(scenario.sale.attempts.size(), 2u);
    EXPECT_EQ(scenario.stands(0), "lingering PENDENTE");
    EXPECT_EQ(scenario.doing(0), "cancelar in 120000 ms") << "the request may come to life after its own cancel";
    EXPECT_EQ(scenario.doing(1), "solicitar");
}

TEST(MachineRequest, TheOldAttemptGetsItsSecondCancelBesideTheNewOne) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    scenario.answered(Step::solicitar, Verdict::authorised, 1);
    scenario.answered(Step::confirmar, Verdict::sold, 1);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA") << "not settled while the old one lingers";
    scenario.pass(120s);
    EXPECT_EQ(scenario.doing(0), "cancelar");
    scenario.answered(Step::cancelar, Verdict::cancelled, 0);
    EXPECT_EQ(scenario.stands(0), "cancelled EFETIVADA settled");
}

TEST(MachineRequest, ProviderThatKnowsNoSuchSaleLeadsToNoOtherAttempt) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::no_such_sale);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    EXPECT_EQ(scenario.sale.attempts.size(), 1u);
}

TEST(MachineRequest, RetractingEndsInTimeForTheTerminalToBeTold) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    while (scenario.act().kind == Action::Kind::exchange) {
        scenario.now = std::max(scenario.now, scenario.act().at);
        scenario.answered(Step::cancelar, Verdict::unknown);
    }
    scenario.wait_it_out();
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "response_lost");
    EXPECT_EQ(scenario.sale.patience - scenario.now, scenario.rules.attempt_time);
}

TEST(MachineRequest, CancelConfirmedTooLateForAnotherAttemptOnlyEndsTheSale) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.pass(50s);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    EXPECT_EQ(scenario.sale.attempts.size(), 1u);
}

TEST(MachineRequest, NoRetractingWithoutAnAttemptLeftOrTimeForIt) {
    Scenario last(Family::tv);
    last.rules.max_attempts = 1;
    last.patient_for(120s);
    last.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(last.stands(), "cancelling CANCELADA");

    Scenario impatient(Family::tv);
    impatient.patient_for(impatient.rules.attempt_time - 1ms);
    impatient.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(impatient.stands(), "cancelling CANCELADA");
}

// Repeats of a cancel are equal byte for byte, and keep their distance, whatever the terminal is told meanwhile.
TEST(MachineRequest, RetractingThatEndsGoesOnWithTheVerySameCancel) {
    const auto end_by_time = [](Scenario& scenario) { scenario.wait_it_out(); };
    const auto end_by_terminal = [](Scenario& scenario) { scenario.happens(CancelAsked{}); };
    const std::array<std::function<void(Scenario&)>, 2> ends{end_by_time, end_by_terminal};
    for (const auto& end : ends) {
        Scenario scenario(Family::tv);
        scenario.patient_for(60s);
        scenario.answered(Step::solicitar, Verdict::unknown);
        const auto cancel_time = scenario.sale.current().cancel_time;
        const auto attention_at = scenario.sale.current().attention_at;
        scenario.pass(20s);
        scenario.answered(Step::cancelar, asking_for_patience(Verdict::declined, 100s));
        end(scenario);
        EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
        EXPECT_EQ(scenario.sale.current().cancel_time, cancel_time);
        EXPECT_EQ(scenario.sale.current().attention_at, attention_at);
        EXPECT_EQ(scenario.sale.current().tries, 1);
        EXPECT_EQ(scenario.sale.current().deadline, never);
        EXPECT_EQ(scenario.sale.current().next_try, Instant(1h) + 120s) << "the provider asked for 100 s at 20 s";
    }
}

TEST(MachineRequest, CancelledByItsTerminalWhileRetractingIsToldSoAtOnce) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "terminal_cancelled");
    scenario.answered(Step::cancelar, Verdict::cancelled);  // this answers the cancel that was under way
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
    EXPECT_EQ(scenario.sale.attempts.size(), 1u);
}

TEST(MachineRequest, ReasonOfAnAttemptBeforeIsForgottenOnceAuthorised) {
    Scenario scenario(Family::tv, ConfirmMode::manual);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(scenario.why(), "never_sent");
    scenario.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(scenario.why(), "no reason");
}

TEST(MachineRequest, CancelledByItsTerminalMeanwhileIsNeverConfirmed) {
    Scenario scenario(Family::tv);
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.why(), "terminal_cancelled");
    scenario.answered(Step::solicitar, Verdict::authorised);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.doing(), "cancelar");
    EXPECT_EQ(scenario.sale.current().id_transacao, "T1");
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled") << "the request was seen: it cannot come any more";
}

TEST(MachineRequest, CancelledMeanwhileAndKnownNotToBeThereNeedsNoCancel) {
    for (const auto known : {Verdict::unsent, Verdict::refused, Verdict::unauthorised, Verdict::throttled}) {
        Scenario scenario(Family::tv);
        scenario.patient_for(60s);
        scenario.happens(CancelAsked{});
        scenario.answered(Step::solicitar, known);
        EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled") << to_string(known);
        EXPECT_EQ(scenario.why(), "terminal_cancelled");
        EXPECT_EQ(scenario.sale.attempts.size(), 1u) << "no new attempt for a cancelled sale";
    }
}

TEST(MachineRequest, CancelledMeanwhileAndUnknownIsCancelledTwice) {
    Scenario scenario(Family::tv);
    scenario.happens(CancelAsked{});
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "lingering CANCELADA");
}

TEST(MachineRequest, CancelThatWasOnItsWayWhileAnotherAttemptBeganCancelsThatOne) {
    Scenario scenario(Family::tv);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unsent);
    ASSERT_EQ(scenario.sale.attempts.size(), 2u);
    const auto change = scenario.happens(CancelAsked{}, 0);  // it was posted when there was only the first attempt
    EXPECT_EQ(change.attempt, 1u);
    EXPECT_EQ(scenario.stands(1), "cancelling CANCELADA");
    EXPECT_EQ(scenario.stands(0), "unsent CANCELADA");
}

TEST(MachineRequest, HealthWithoutACancelPathIsNotSoldAndLeftToAPerson) {
    Scenario scenario(Family::health);
    scenario.patient_for(120s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA no_cancel_path!")
        << "never retracted: no cancel would confirm it";
    EXPECT_EQ(scenario.doing(), "rest");
    scenario.restart(1h);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA no_cancel_path!");
}

TEST(MachineRequest, HealthWithoutACancelPathIsSettledByThePersonWhoClearsTheMark) {
    Scenario scenario(Family::health);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.happens(Resolved{.note = "cancelled at the partner's desk"});
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    scenario.restart(1h);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled") << "nobody is asked twice";
}

TEST(MachineRequest, HealthWithoutACancelPathThatWasNeverThereIsSettled) {
    Scenario scenario(Family::health);
    scenario.happens(CancelAsked{});
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA no_cancel_path!");
    scenario.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

TEST(MachineRequest, HealthWithACancelPathIsCancelledLikeTheOthers) {
    Scenario scenario(Family::health);
    scenario.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = true;
    scenario.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(scenario.stands(), "cancelling CANCELADA");
    EXPECT_EQ(scenario.doing(), "cancelar");
}

TEST(MachineRequest, CancelPathThatIsConfiguredLaterIsUsedAfterARestart) {
    Scenario scenario(Family::health);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.rules.can_cancel.at(static_cast<std::size_t>(Family::health)) = true;
    scenario.restart();
    EXPECT_EQ(scenario.doing(), "cancelar");
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.doing(), "cancelar in 120000 ms");
    scenario.answered(Step::cancelar, Verdict::cancelled);
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
}

}  // namespace
}  // namespace gateway::test
