// What the answers to `confirmar` and `cancelar` mean: every row of the table, and what else may come.
#include "unit/sale/reply.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

TEST(AnswerToSettling, EfetivadaIsSoldAndCanceladaIsCancelled) {
    const Asked asked;
    for (const auto step : settling_steps)
        for (const auto code : {200u, 201u, 204u, 299u}) {
            EXPECT_EQ(asked.settle(step, http(code, with_status("EFETIVADA"))).verdict, Verdict::sold);
            EXPECT_EQ(asked.settle(step, http(code, with_status("CANCELADA"))).verdict, Verdict::cancelled);
        }
}

TEST(AnswerToSettling, StatusIsReadInAnyLetterCaseAndUnderVenda) {
    const Asked asked;
    for (const auto step : settling_steps) {
        EXPECT_EQ(asked.settle(step, http(200, with_status("Efetivada"))).verdict, Verdict::sold);
        const json::object nested{{"venda", with_status("cancelada")}};
        EXPECT_EQ(asked.settle(step, http(200, nested)).verdict, Verdict::cancelled);
    }
}

TEST(AnswerToSettling, AFinalStatusInA4xxIsBelieved) {
    const Asked asked;
    for (const auto step : settling_steps)
        for (const auto code : {400u, 401u, 403u, 404u, 408u, 409u, 410u, 422u, 425u, 429u}) {
            EXPECT_EQ(asked.settle(step, http(code, with_status("EFETIVADA"))).verdict, Verdict::sold) << code;
            EXPECT_EQ(asked.settle(step, http(code, with_status("CANCELADA"))).verdict, Verdict::cancelled) << code;
        }
}

TEST(AnswerToSettling, AFinalStatusInARedirectOrAServerErrorIsNot) {
    const Asked asked;
    for (const auto step : settling_steps)
        for (const auto code : {300u, 302u, 307u, 500u, 502u, 503u, 504u})
            for (const auto* status : {"EFETIVADA", "CANCELADA"})
                EXPECT_EQ(asked.settle(step, http(code, with_status(status))).verdict, Verdict::unknown) << code;
}

TEST(AnswerToSettling, EgiftGoodsComeWithTheConfirm) {
    const Asked asked(Family::egift);
    auto body = with_status("EFETIVADA");
    body["transacao"].as_object()["instrucao"] = R"({"urlAtivacao":"https://gift.example/1"})";
    const auto answer = asked.confirmar(http(200, body));
    EXPECT_EQ(answer.details.instrucao, Secret(R"({"urlAtivacao":"https://gift.example/1"})"));
    EXPECT_EQ(answer.id_transacao, "T1");
}

TEST(AnswerToSettling, TwoTransactionsThatContradictEachOtherSayNothing) {
    const Asked asked;
    for (const auto step : settling_steps) {
        auto body = with_status("EFETIVADA");
        body["venda"] = with_status("CANCELADA");
        EXPECT_EQ(asked.settle(step, http(200, body)).verdict, Verdict::unknown);
        body["venda"] = with_status("EFETIVADA");
        EXPECT_EQ(asked.settle(step, http(200, body)).verdict, Verdict::sold) << "they agree";
        body["venda"] = with_status("efetivada");
        EXPECT_EQ(asked.settle(step, http(200, body)).verdict, Verdict::sold) << "in any letter case";
        body["venda"] = with_status("EFETIVADA");
        body["venda"].at("transacao").as_object()["idTransacao"] = "T2";
        EXPECT_EQ(asked.settle(step, http(200, body)).verdict, Verdict::unknown);
    }
}

TEST(AnswerToSettling, NoAnswerIsNotSentOrUnknown) {
    const Asked asked;
    for (const auto step : settling_steps) {
        EXPECT_EQ(asked.settle(step, no_answer(Reply::Kind::nothing_sent, errc::no_token)).verdict, Verdict::unsent);
        EXPECT_EQ(asked.settle(step, no_answer(Reply::Kind::lost, errc::timed_out)).verdict, Verdict::unknown);
    }
}

TEST(AnswerToSettling, A2xxWithoutAFinalStatusIsUnknown) {
    const Asked asked;
    for (const auto step : settling_steps) {
        for (const auto& body : senseless_bodies())
            EXPECT_EQ(asked.settle(step, http(200, body)).verdict, Verdict::unknown) << body;
        for (const auto* status : {"AUTORIZADA", "PENDENTE", "ESTORNADA"})
            EXPECT_EQ(asked.settle(step, http(200, with_status(status))).verdict, Verdict::unknown) << status;
    }
}

TEST(AnswerToSettling, ACutAnswerIsUnknownWhereverItIsCut) {
    const Asked asked;
    const auto whole = json::serialize(with_status("EFETIVADA"));
    for (const auto step : settling_steps)
        for (std::size_t length = 0; length < whole.size(); ++length)
            EXPECT_EQ(asked.settle(step, http(200, whole.substr(0, length))).verdict, Verdict::unknown) << length;
}

TEST(AnswerToSettling, A4xxWithoutAStatusMeansThatThereIsNoSuchSaleNow) {
    const Asked asked;
    for (const auto step : settling_steps)
        for (const auto code : {400u, 402u, 404u, 405u, 410u, 422u, 499u})
            for (const auto* body : {"{}", "", R"({"erro":"desconhecida"})", "<html>", R"({"transacao":{}})"})
                EXPECT_EQ(asked.settle(step, http(code, std::string(body))).verdict, Verdict::no_such_sale)
                    << code << body;
}

TEST(AnswerToSettling, A4xxAboutTheCallSaysNothingOfTheSale) {
    const Asked asked;
    for (const auto step : settling_steps) {
        EXPECT_EQ(asked.settle(step, http(401, "{}")).verdict, Verdict::unauthorised);
        for (const auto code : {403u, 408u, 409u, 425u, 429u})
            EXPECT_EQ(asked.settle(step, http(code, "{}")).verdict, Verdict::declined) << code;
    }
}

TEST(AnswerToSettling, A4xxWithAStatusThatIsNotFinalIsUnknown) {
    const Asked asked;
    for (const auto step : settling_steps)
        for (const auto code : {400u, 401u, 403u, 404u, 409u, 429u})
            for (const auto* status : {"AUTORIZADA", "PENDENTE"})
                EXPECT_EQ(asked.settle(step, http(code, with_status(status))).verdict, Verdict::unknown)
                    << code << status;
}

// A confirm that is answered NEGADA may itself have been denied while the sale stands; what is NEGADA leaves a cancel
// nothing to do.
TEST(AnswerToSettling, NegadaLeavesNothingToCancelAndSaysNothingToAConfirm) {
    const Asked asked;
    for (const auto code : {200u, 400u, 401u, 404u, 409u, 429u}) {
        EXPECT_EQ(asked.cancelar(http(code, with_status("NEGADA"))).verdict, Verdict::no_such_sale) << code;
        EXPECT_EQ(asked.confirmar(http(code, with_status("NEGADA"))).verdict, Verdict::unknown) << code;
    }
    EXPECT_EQ(asked.cancelar(http(500, with_status("NEGADA"))).verdict, Verdict::unknown);
}

TEST(AnswerToSettling, WordsAboutAnotherTransactionSayNothingAboutThisOne) {
    Asked asked;
    asked.sale.attempts.back().id_transacao = "T1";
    for (const auto step : settling_steps)
        for (const auto code : {200u, 404u, 409u})
            for (const auto* status : {"EFETIVADA", "CANCELADA", "NEGADA"}) {
                auto body = with_status(status);
                EXPECT_NE(asked.settle(step, http(200, body)).reason.detail, "of another transaction");
                body["transacao"].as_object()["idTransacao"] = "T2";
                EXPECT_EQ(asked.settle(step, http(code, body)).verdict, Verdict::unknown) << code << status;
                auto echo = with_status(status);
                echo["idExterno"] = new_sale(Family::tv).current().id_externo.text();
                EXPECT_EQ(asked.settle(step, http(code, echo)).verdict, Verdict::unknown) << code << status;
            }
}

TEST(AnswerToSettling, TransactionThatWasNeverSeenIsWhatTheAnswerNames) {
    const Asked asked;  // its request's answer was lost
    const auto answer = asked.cancelar(http(200, with_status("CANCELADA")));
    EXPECT_EQ(answer.verdict, Verdict::cancelled);
    EXPECT_EQ(answer.id_transacao, "T1");
}

TEST(AnswerToSettling, AnswerThatNamesNoTransactionIsAboutOurs) {
    Asked asked;
    asked.sale.attempts.back().id_transacao = "T1";
    const json::object body{{"transacao", {{"status", "CANCELADA"}, {"idTransacao", nullptr}}}};
    EXPECT_EQ(asked.cancelar(http(200, body)).verdict, Verdict::cancelled);
}

TEST(AnswerToSettling, CanceladaSaysThatItIsTheProvidersWord) {
    const Asked asked;
    const auto reason = asked.confirmar(http(200, with_status("CANCELADA"))).reason;
    EXPECT_EQ(reason.code, ReasonCode::provider_error);
    EXPECT_EQ(reason.detail, "the provider says CANCELADA");
}

TEST(AnswerToSettling, RetryAfterOfTheProviderIsKept) {
    const Asked asked;
    for (const auto step : settling_steps)
        for (const auto code : {429u, 503u, 409u}) {
            auto reply = http(code, "{}");
            reply.retry_after = 30s;
            EXPECT_EQ(asked.settle(step, reply).reason.retry_after, 30s) << code;
        }
}

TEST(AnswerToSettling, WordsAreNotKept) {
    const Asked asked;
    for (const auto step : settling_steps)
        for (const auto code : {200u, 400u, 404u, 409u, 500u})
            EXPECT_TRUE(asked.settle(step, http(code, R"({"pin":"1234"})")).reason.provider_body.empty()) << code;
}

TEST(Answer, EveryMeaningHasAWordOfItsOwn) {
    std::vector<std::string_view> words;
    for (const auto known : all_known) {
        EXPECT_EQ(std::count(words.begin(), words.end(), to_string(known)), 0) << to_string(known);
        words.push_back(to_string(known));
    }
    EXPECT_EQ(to_string(Verdict::unknown), "unknown");
}

}  // namespace
}  // namespace gateway::test
