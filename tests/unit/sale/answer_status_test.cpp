// Tests what the answers to `consultar` mean: only a final status of the very attempt that was asked about counts.
#include "unit/sale/reply.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

// The status is asked for an attempt whose idTransacao, T1, is known.
class AnswerToStatus : public ::testing::Test {
  protected:
    // Makes an answer in the shape of the common one.
    json::object told(std::string_view status) const {
        auto body = asked.authorised();
        transacao(body)["status"] = status;
        return body;
    }
    Verdict verdict(const Reply& reply) const { return asked.settle(Step::consultar, reply).verdict; }

    Asked asked{Family::tv, "T1"};
};

TEST_F(AnswerToStatus, EfetivadaAndCanceladaAreFinalWords) {
    EXPECT_EQ(verdict(http(200, told("EFETIVADA"))), Verdict::sold);
    EXPECT_EQ(verdict(http(200, told("CANCELADA"))), Verdict::cancelled);
    EXPECT_EQ(verdict(http(200, told("efetivada"))), Verdict::sold);
    EXPECT_EQ(verdict(http(200, with_status("CANCELADA"))), Verdict::cancelled) << "in the shape of a confirm's answer";
}

TEST_F(AnswerToStatus, NegadaIsAWordOnAnEsimOnly) {
    for (const auto family : all_families) {
        asked.sale.family = family;
        EXPECT_EQ(verdict(http(200, told("NEGADA"))), family == Family::esim ? Verdict::refused : Verdict::unknown)
            << to_string(family);
    }
    asked.sale.family = Family::esim;
    EXPECT_EQ(verdict(http(200, told("PENDENTE"))), Verdict::unknown);
    EXPECT_EQ(asked.settle(Step::consultar, http(200, told("NEGADA"))).reason.code, ReasonCode::refused);
}

TEST_F(AnswerToStatus, SaysWhetherThereWasAStatusThatIsNotFinal) {
    const auto detail = [&](const Reply& reply) { return asked.settle(Step::consultar, reply).reason.detail; };
    EXPECT_EQ(detail(http(200, told("AUTORIZADA"))), "the provider answered 200: no final status");
    EXPECT_EQ(detail(http(200, told("ESTORNADA"))), "the provider answered 200: no status");
}

TEST_F(AnswerToStatus, WhatIsNotFinalSaysNothing) {
    for (const auto* status : {"AUTORIZADA", "PENDENTE", "ESTORNADA", ""})
        EXPECT_EQ(verdict(http(200, told(status))), Verdict::unknown) << status;
    for (const auto& body : senseless_bodies())
        EXPECT_EQ(verdict(http(200, body)), Verdict::unknown) << body;
}

// A request that was lost may still arrive after the provider has said that it does not know it.
TEST_F(AnswerToStatus, A404SaysNothing) {
    for (const auto code : {400u, 403u, 404u, 408u, 409u, 410u, 422u, 425u, 429u})
        for (const auto* body : {"", "{}", "<html>"})
            EXPECT_EQ(verdict(http(code, std::string(body))), Verdict::unknown) << code << body;
}

TEST_F(AnswerToStatus, AFinalWordIsBelievedInASuccessOnly) {
    for (const auto code : {300u, 302u, 307u, 401u, 404u, 409u, 500u, 503u})
        for (const auto* status : {"EFETIVADA", "CANCELADA"})
            EXPECT_EQ(verdict(http(code, told(status))), Verdict::unknown) << code << status;
}

TEST_F(AnswerToStatus, A401IsAboutTheToken) {
    EXPECT_EQ(verdict(http(401, "{}")), Verdict::unauthorised);
}

TEST_F(AnswerToStatus, WordsAboutAnotherAttemptSayNothing) {
    for (const auto* status : {"EFETIVADA", "CANCELADA"}) {
        auto other_transaction = told(status);
        transacao(other_transaction)["idTransacao"] = "T2";
        EXPECT_EQ(verdict(http(200, other_transaction)), Verdict::unknown) << status;
        auto other_request = told(status);
        venda(other_request)["idExterno"] = other_id_externo();
        EXPECT_EQ(verdict(http(200, other_request)), Verdict::unknown) << status;
        auto other_amount = told(status);
        transacao(other_amount)["valor"] = 1;
        EXPECT_EQ(verdict(http(200, other_amount)), Verdict::unknown) << status;
        auto two = told(status);
        two["transacao"] = json::object{{"status", "AUTORIZADA"}};
        EXPECT_EQ(verdict(http(200, two)), Verdict::unknown) << status;
    }
}

// An idTransacao that was never seen may be anybody's.
TEST_F(AnswerToStatus, WordsThatDoNotSayOfWhichAttemptSayNothing) {
    const json::object bare{{"transacao", {{"status", "EFETIVADA"}}}};
    EXPECT_EQ(verdict(http(200, bare)), Verdict::unknown);
    asked.sale.attempts.back().id_transacao.clear();
    EXPECT_EQ(verdict(http(200, bare)), Verdict::unknown);
    EXPECT_EQ(verdict(http(200, with_status("EFETIVADA"))), Verdict::unknown);
    EXPECT_EQ(verdict(http(200, told("EFETIVADA"))), Verdict::sold) << "it echoes idExterno";
}

TEST_F(AnswerToStatus, NoAnswerIsNotSentOrUnknown) {
    EXPECT_EQ(verdict(no_answer(Reply::Kind::nothing_sent, errc::no_token)), Verdict::unsent);
    EXPECT_EQ(verdict(no_answer(Reply::Kind::lost, errc::timed_out)), Verdict::unknown);
}

TEST_F(AnswerToStatus, BringsTheGoodsAndTheTransaction) {
    Asked never_seen(Family::egift);
    auto body = with_status("EFETIVADA");
    body["transacao"].as_object()["instrucao"] = "{}";
    body["idExterno"] = never_seen.attempt().id_externo.text();
    const auto answer = never_seen.settle(Step::consultar, http(200, body));
    EXPECT_EQ(answer.id_transacao, "T1");
    EXPECT_EQ(answer.details.instrucao, Secret("{}"));
}

class StatusSaidTest : public AnswerToStatus {
  protected:
    const Attempt& attempt() const { return asked.sale.current(); }
    std::string said(const Reply& reply) const {
        const auto told_status = status_said(attempt(), reply);
        if (!told_status) return "nothing";
        return std::string(to_string(told_status->status)) + " " + std::to_string(told_status->valor.value) +
               (told_status->id_externo.empty() ? "" : " idExterno") +
               (told_status->id_transacao.empty() ? "" : " idTransacao");
    }
};

TEST_F(StatusSaidTest, EveryStatusOfTheAttemptIsOneAndItsAmountIsTold) {
    for (const auto* status : {"EFETIVADA", "CANCELADA", "NEGADA", "AUTORIZADA"})
        EXPECT_EQ(said(http(200, told(status))),
                  std::string(status) + " " + std::to_string(asked.sale.valor.value) + " idExterno idTransacao");
    auto of_another_amount = told("EFETIVADA");
    transacao(of_another_amount)["valor"] = asked.sale.valor.value + 1;
    EXPECT_EQ(said(http(200, of_another_amount)),
              "EFETIVADA " + std::to_string(asked.sale.valor.value + 1) + " idExterno idTransacao")
        << "which is for the books to see";
}

TEST_F(StatusSaidTest, WhatDoesNotSayAllOfItSaysNothing) {
    EXPECT_EQ(said(http(404, told("EFETIVADA"))), "nothing");
    EXPECT_EQ(said(http(500, told("EFETIVADA"))), "nothing");
    EXPECT_EQ(said(Reply::lost(errc::timed_out)), "nothing");
    EXPECT_EQ(said(http(200, told("whatever"))), "nothing");
    auto without_amount = told("EFETIVADA");
    transacao(without_amount).erase("valor");
    EXPECT_EQ(said(http(200, without_amount)), "nothing");
    auto of_another = told("EFETIVADA");
    transacao(of_another)["idTransacao"] = "T2";
    EXPECT_EQ(said(http(200, of_another)), "nothing");
    auto two = told("EFETIVADA");
    two["transacao"] = {{"status", "CANCELADA"}};
    EXPECT_EQ(said(http(200, two)), "nothing") << "they contradict each other";
    auto without_transaction = told("EFETIVADA");
    transacao(without_transaction).erase("idTransacao");
    EXPECT_EQ(said(http(200, without_transaction)), "EFETIVADA 1099 idExterno") << "it does not name the transaction";
}

}  // namespace
}  // namespace gateway::test
