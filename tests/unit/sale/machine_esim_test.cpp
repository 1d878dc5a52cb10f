#include "unit/sale/scenario.hpp"

namespace gateway::test {
namespace {

EsimDetails told(std::string situacao_recarga = "", std::string nsu_recarga = "") {
    return {.uuid = "nsu-1",
            .msisdn = Secret("5511999990000"),
            .url = Secret("https://esim.example/1"),
            .situacao_recarga = std::move(situacao_recarga),
            .nsu_recarga = std::move(nsu_recarga)};
}

Scenario awaiting() {
    Scenario scenario(Family::esim);
    scenario.answered(Step::solicitar, Verdict::authorised);
    return scenario;
}

Scenario sold() {
    auto scenario = awaiting();
    scenario.called_back(Status::EFETIVADA, told());
    return scenario;
}

TEST(MachineEsim, AuthorisedSaleAwaitsItsCallback) {
    const auto scenario = awaiting();
    EXPECT_EQ(scenario.stands(), "awaiting AUTORIZADA");
    EXPECT_EQ(outcome_of(scenario.sale), Outcome::pending);
    EXPECT_EQ(scenario.doing(), "wait 600000 ms");
}

TEST(MachineEsim, LostAnswerIsPendingAndNeverAskedAgain) {
    Scenario scenario(Family::esim);
    scenario.patient_for(120s);
    scenario.answered(Step::solicitar, Verdict::unknown);
    EXPECT_EQ(scenario.stands(), "awaiting PENDENTE");
    EXPECT_EQ(scenario.sale.attempts.size(), 1u);
    EXPECT_EQ(scenario.doing(), "wait 600000 ms");
}

TEST(MachineEsim, CrashDuringTheRequestIsPendingToo) {
    Scenario scenario(Family::esim);
    scenario.restart();
    EXPECT_EQ(scenario.stands(), "awaiting PENDENTE");
    EXPECT_EQ(scenario.why(), "no reason");
}

TEST(MachineEsim, CallbackDecidesASaleWhoseAnswerNeverCame) {
    Scenario scenario(Family::esim);
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.called_back(Status::EFETIVADA, told());
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    ASSERT_TRUE(scenario.sale.esim);
    EXPECT_EQ(scenario.sale.esim->uuid, "nsu-1");
}

TEST(MachineEsim, RefusedNeverSentAndUnprocessedRequestsEndLikeTheOthers) {
    const std::vector<std::pair<Verdict, std::string>> rows{
        {Verdict::refused, "refused NEGADA settled"},
        {Verdict::unsent, "unsent CANCELADA settled"},
        {Verdict::throttled, "throttled CANCELADA settled"},
    };
    for (const auto& [known, stands] : rows) {
        Scenario scenario(Family::esim);
        scenario.answered(Step::solicitar, known);
        EXPECT_EQ(scenario.stands(), stands);
    }
}

TEST(MachineEsim, NeverSentAnd401AreTriedAgain) {
    Scenario scenario(Family::esim);
    scenario.patient_for(60s);
    scenario.answered(Step::solicitar, Verdict::unauthorised);
    scenario.answered(Step::solicitar, Verdict::unsent);
    EXPECT_EQ(scenario.sale.attempts.size(), 3u);
    EXPECT_EQ(scenario.stands(), "requesting PENDENTE");
}

TEST(MachineEsim, EveryFinalStatusOfACallbackIsTheSales) {
    auto efetivada = awaiting();
    efetivada.called_back(Status::EFETIVADA, told());
    EXPECT_EQ(efetivada.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(efetivada.why(), "no reason");

    auto cancelada = awaiting();
    cancelada.called_back(Status::CANCELADA, told());
    EXPECT_EQ(cancelada.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(cancelada.why(), "refused");

    auto negada = awaiting();
    negada.called_back(Status::NEGADA, told());
    EXPECT_EQ(negada.stands(), "refused NEGADA settled");
    EXPECT_EQ(negada.why(), "refused");
}

TEST(MachineEsim, CallbackMayComeBeforeTheAnswerToTheRequest) {
    for (const auto status : {Status::EFETIVADA, Status::CANCELADA, Status::NEGADA}) {
        Scenario scenario(Family::esim);
        scenario.called_back(status, told());
        EXPECT_EQ(scenario.sale.status, status);
        EXPECT_TRUE(scenario.sale.settled);
        scenario.answered(Step::solicitar, Verdict::authorised);
        EXPECT_EQ(scenario.sale.status, status);
        EXPECT_EQ(scenario.sale.attention, Attention::none);
        EXPECT_EQ(scenario.sale.current().id_transacao, "T1") << "what it says besides is kept";
    }
}

TEST(MachineEsim, RefusalThatComesAfterASoldCallbackIsAContradiction) {
    Scenario scenario(Family::esim);
    scenario.called_back(Status::EFETIVADA, told());
    scenario.answered(Step::solicitar, Verdict::refused);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!");
}

TEST(MachineEsim, PendenteLeavesTheSaleOpenAndKeepsWhatItTold) {
    auto scenario = awaiting();
    const auto change = scenario.called_back(Status::PENDENTE, told());
    EXPECT_EQ(scenario.stands(), "awaiting AUTORIZADA");
    EXPECT_TRUE(change.esim);
    EXPECT_EQ(scenario.doing(), "wait 600000 ms") << "a person is asked as soon as without it";
    EXPECT_TRUE(scenario.called_back(Status::PENDENTE, told()).changes_nothing);
}

TEST(MachineEsim, RepeatedCallbackChangesNothing) {
    auto scenario = sold();
    EXPECT_TRUE(scenario.called_back(Status::EFETIVADA, told()).changes_nothing);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineEsim, TheFirstFinalStatusWinsAndALaterOneIsAContradiction) {
    for (const auto status : {Status::CANCELADA, Status::NEGADA}) {
        auto scenario = sold();
        scenario.called_back(status, told());
        EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!") << to_string(status);
    }
    auto refused = awaiting();
    refused.called_back(Status::NEGADA, told());
    refused.called_back(Status::EFETIVADA, told());
    EXPECT_EQ(refused.stands(), "refused NEGADA contradiction!");
}

TEST(MachineEsim, PendenteAfterAFinalStatusIsNoContradiction) {
    auto scenario = sold();
    scenario.called_back(Status::PENDENTE, told());
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

TEST(MachineEsim, CallbackThatContradictsARefusedRequestIsAContradiction) {
    Scenario scenario(Family::esim);
    scenario.answered(Step::solicitar, Verdict::refused);
    scenario.called_back(Status::EFETIVADA, told());
    EXPECT_EQ(scenario.stands(), "refused NEGADA contradiction!");
}

TEST(MachineEsim, RechargeCallbackAddsItsFacts) {
    auto scenario = sold();
    scenario.called_back(Status::EFETIVADA, told("SUCESSO", "r-9"));
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(scenario.sale.esim->situacao_recarga, "SUCESSO");
    EXPECT_EQ(scenario.sale.esim->nsu_recarga, "r-9");
    EXPECT_EQ(scenario.sale.esim->url, told().url);
}

TEST(MachineEsim, CallbackWithoutSomeFactsLosesNone) {
    auto scenario = sold();
    scenario.called_back(Status::EFETIVADA, told("SUCESSO", "r-9"));
    scenario.called_back(Status::EFETIVADA, {.uuid = "nsu-1"});
    EXPECT_EQ(scenario.sale.esim, told("SUCESSO", "r-9"));
}

TEST(MachineEsim, FailedRechargeNeedsAPersonWhenItIsNews) {
    for (const auto* failed : {"FALHA", "Falha", "falha"}) {
        auto scenario = sold();
        scenario.called_back(Status::EFETIVADA, told(failed));
        EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled recharge_failed!") << failed;
        scenario.happens(Resolved{.note = "recharged by hand"});
        EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
        scenario.called_back(Status::EFETIVADA, told(failed));
        EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled") << "nobody is asked twice";
    }
}

TEST(MachineEsim, FailedRechargeMayComeWithTheSaleOrBeforeIt) {
    auto with = awaiting();
    with.called_back(Status::EFETIVADA, told("FALHA"));
    EXPECT_EQ(with.stands(), "sold EFETIVADA settled recharge_failed!");

    auto before = awaiting();
    before.called_back(Status::PENDENTE, told("FALHA"));
    EXPECT_EQ(before.stands(), "awaiting AUTORIZADA");
    before.called_back(Status::EFETIVADA, told("FALHA"));
    EXPECT_EQ(before.stands(), "sold EFETIVADA settled recharge_failed!");
}

TEST(MachineEsim, FailedRechargeOfASaleThatIsNotSoldNeedsNobody) {
    auto with = awaiting();
    with.called_back(Status::CANCELADA, told("FALHA"));
    EXPECT_EQ(with.stands(), "cancelled CANCELADA settled");

    auto after = awaiting();
    after.called_back(Status::NEGADA, told());
    after.called_back(Status::NEGADA, told("FALHA"));
    EXPECT_EQ(after.stands(), "refused NEGADA settled");
}

TEST(MachineEsim, CallbackThatNeverComesNeedsAPerson) {
    auto scenario = awaiting();
    scenario.wait_it_out();
    EXPECT_EQ(scenario.stands(), "awaiting AUTORIZADA no_callback!");
    EXPECT_EQ(scenario.doing(), "rest");
    scenario.restart(24h);
    EXPECT_EQ(scenario.stands(), "awaiting AUTORIZADA no_callback!");
}

TEST(MachineEsim, CallbackThatComesAfterAllStillDecides) {
    auto scenario = awaiting();
    scenario.wait_it_out();
    scenario.called_back(Status::EFETIVADA, told());
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
}

const EsimDetails typed{.msisdn = Secret("11987654321"), .url = Secret("https://esim.example/typed")};

TEST(MachineEsim, AWordOfAPersonMayBringWhatTheReceiptPrints) {
    auto scenario = awaiting();
    scenario.wait_it_out();
    scenario.happens(Resolved{.status = Status::EFETIVADA, .note = "active, says the portal", .esim = typed});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(scenario.sale.esim, typed);
    auto late = told("SUCESSO", "r-9");
    scenario.called_back(Status::EFETIVADA, late);
    late.msisdn = typed.msisdn;
    late.url = typed.url;
    EXPECT_EQ(scenario.sale.esim, late) << "what a person typed stays, and a late callback adds the rest";
}

TEST(MachineEsim, AWordOfAPersonOnASoldOneMayCorrectWhatTheReceiptPrints) {
    auto scenario = awaiting();
    scenario.called_back(Status::EFETIVADA, told("FALHA"));
    scenario.happens(Resolved{.note = "another number", .esim = EsimDetails{.msisdn = typed.msisdn}});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(scenario.sale.esim->msisdn, typed.msisdn);
    EXPECT_EQ(scenario.sale.esim->url, told().url);
}

TEST(MachineEsim, WhatAReceiptLacksCanBeGivenWhenNobodyIsNeededAnyMore) {
    auto scenario = awaiting();
    scenario.wait_it_out();
    scenario.happens(Resolved{.status = Status::EFETIVADA, .note = "active, says the portal"});
    ASSERT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_FALSE(scenario.sale.esim);
    scenario.happens(Resolved{.status = Status::EFETIVADA, .note = "decided twice", .esim = typed});
    EXPECT_FALSE(scenario.sale.esim);
    scenario.happens(Resolved{.note = "its number", .esim = typed});
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA settled");
    EXPECT_EQ(scenario.sale.esim, typed);
}

TEST(MachineEsim, NothingIsPrintedForWhatIsNotSoldOrNoEsim) {
    auto scenario = awaiting();
    scenario.wait_it_out();
    scenario.happens(Resolved{.status = Status::CANCELADA, .note = "unknown to the portal", .esim = typed});
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    EXPECT_FALSE(scenario.sale.esim);
    scenario.called_back(Status::EFETIVADA, told());
    const auto before = scenario.sale.esim;
    scenario.happens(Resolved{.note = "settled with the provider", .esim = typed});
    EXPECT_EQ(scenario.sale.esim, before);

    auto other = authorised();
    other.sale.attention = Attention::restored;
    other.happens(CancelAsked{});
    other.happens(Resolved{.status = Status::EFETIVADA, .note = "n", .esim = typed});
    EXPECT_EQ(other.sale.status, Status::EFETIVADA);
    EXPECT_FALSE(other.sale.esim);
}

TEST(MachineEsim, TimeForTheCallbackGoesOnAcrossACrash) {
    auto scenario = awaiting();
    scenario.restart(100s);
    EXPECT_EQ(scenario.doing(), "wait 500000 ms");
    scenario.restart(500s);
    EXPECT_EQ(scenario.stands(), "awaiting AUTORIZADA no_callback!");
}

TEST(MachineEsim, CancelAskedChangesNothing) {
    Scenario requesting(Family::esim);
    EXPECT_TRUE(requesting.happens(CancelAsked{}).changes_nothing);
    auto scenario = awaiting();
    EXPECT_TRUE(scenario.happens(CancelAsked{}).changes_nothing);
}

TEST(MachineEsim, CallbackOfAnotherFamilyChangesNothing) {
    for (const auto status : all_statuses) {
        auto scenario = authorised(Family::tv);
        EXPECT_TRUE(scenario.called_back(status, told()).changes_nothing) << to_string(status);
    }
}

TEST(MachineEsim, WhatWasSoldIsWhatTheDecidingCallbackSaid) {
    Scenario scenario(Family::esim);
    scenario.answered(Step::solicitar, Verdict::authorised);
    const EsimDetails sold{.uuid = "u-1", .msisdn = Secret("5511900000001"), .url = Secret("https://r/good")};
    scenario.called_back(Status::EFETIVADA, sold);
    const EsimDetails other{.uuid = "u-2", .msisdn = Secret("0"), .url = Secret("pending"), .nsu_recarga = "8"};
    EXPECT_TRUE(scenario.called_back(Status::PENDENTE, {.uuid = "u-2", .promocao_ativada = "NAO"}).changes_nothing);
    auto with_recharge = sold;
    with_recharge.promocao_ativada = "SIM";
    with_recharge.nsu_recarga = "7";
    scenario.called_back(Status::EFETIVADA, {.uuid = "u-2", .promocao_ativada = "SIM", .nsu_recarga = "7"});
    EXPECT_EQ(scenario.sale.esim, with_recharge) << "only what was missing, and the recharge, is added";
    scenario.called_back(Status::CANCELADA, other);
    EXPECT_EQ(scenario.sale.esim, with_recharge);
    EXPECT_EQ(scenario.stands(), "sold EFETIVADA contradiction!");
    scenario.called_back(Status::PENDENTE, {.situacao_recarga = "SUCESSO"});
    EXPECT_EQ(scenario.sale.esim->situacao_recarga, "SUCESSO") << "how the recharge went is told in any status";
}

TEST(MachineEsim, AStatusThatDecidesNamesTheTransaction) {
    Scenario scenario(Family::esim);
    scenario.rules.can_ask = true;
    scenario.answered(Step::solicitar, Verdict::unknown);
    scenario.answered(Step::consultar, Answer{.verdict = Verdict::cancelled, .id_transacao = "T2"});
    EXPECT_EQ(scenario.stands(), "cancelled CANCELADA settled");
    EXPECT_EQ(scenario.sale.current().id_transacao, "T2");
}

}  // namespace
}  // namespace gateway::test
