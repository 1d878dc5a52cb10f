// Tests what the answers to `confirmar` and `cancelar` mean: every row of the table, and what else may come.
#include "unit/sale/reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

// The transaction is known as T1, unless a test says otherwise.
class AnswerToSettling : public ::testing::Test {
  protected:
    Asked asked{Family::tv, "T1"};
};

TEST_F(AnswerToSettling, EfetivadaIsSoldAndCanceladaIsCancelled) {
    for (const auto step : settling_steps)
        for (const auto code : {200u, 201u, 204u, 299u}) {
            EXPECT_EQ(asked.settle(step, http(code, with_status("EFETIVADA"))).verdict, Verdict::sold);
            EXPECT_EQ(asked.settle(step, http(code, with_status("CANCELADA"))).verdict, Verdict::cancelled);
        }
}

TEST_F(AnswerToSettling, StatusIsReadInAnyLetterCaseAndUnderVenda) {
    for (const auto step : settling_steps) {
        EXPECT_EQ(asked.settle(step, http(200, with_status("Efetivada"))).verdict, Verdict::sold);
        const json::object nested{{"venda", with_status("cancelada")}};
        EXPECT_EQ(asked.settle(step, http(200, nested)).verdict, Verdict::cancelled);
    }
}

TEST_F(AnswerToSettling, AFinalStatusInA4xxIsBelieved) {
    for (const auto step : settling_steps)
        for (const auto code : {400u, 401u, 403u, 404u, 408u, 409u, 410u, 422u, 425u, 429u}) {
            EXPECT_EQ(asked.settle(step, http(code, with_status("EFETIVADA"))).verdict, Verdict::sold) << code;
            EXPECT_EQ(asked.settle(step, http(code, with_status("CANCELADA"))).verdict, Verdict::cancelled) << code;
        }
}

TEST_F(AnswerToSettling, AFinalStatusInARedirectOrAServerErrorIsNot) {
    for (const auto step : settling_steps)
        for (const auto code : {300u, 302u, 307u, 500u, 502u, 503u, 504u})
            for (const auto* status : {"EFETIVADA", "CANCELADA"})
                EXPECT_EQ(asked.settle(step, http(code, with_status(status))).verdict, Verdict::unknown) << code;
}

TEST_F(AnswerToSettling, EgiftGoodsComeWithTheConfirm) {
    const Asked gift(Family::egift, "T1");
    auto body = with_status("EFETIVADA");
    body["transacao"].as_object()["instrucao"] = R"({"urlAtivacao":"https://gift.example/1"})";
    const auto answer = gift.confirmar(http(200, body));
    EXPECT_EQ(answer.details.instrucao, Secret(R"({"urlAtivacao":"https://gift.example/1"})"));
    EXPECT_EQ(answer.id_transacao, "T1");
}

TEST_F(AnswerToSettling, TwoTransactionsThatContradictEachOtherSayNothing) {
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

TEST_F(AnswerToSettling, NoAnswerIsNotSentOrUnknown) {
    for (const auto step : settling_steps) {
        EXPECT_EQ(asked.settle(step, no_answer(Reply::Kind::nothing_sent, errc::no_token)).verdict, Verdict::unsent);
        EXPECT_EQ(asked.settle(step, no_answer(Reply::Kind::lost, errc::timed_out)).verdict, Verdict::unknown);
    }
}

TEST_F(AnswerToSettling, A2xxWithoutAFinalStatusIsUnknown) {
    for (const auto step : settling_steps) {
        for (const auto& body : senseless_bodies())
            EXPECT_EQ(asked.settle(step, http(200, body)).verdict, Verdict::unknown) << body;
        for (const auto* status : {"AUTORIZADA", "PENDENTE", "ESTORNADA"})
            EXPECT_EQ(asked.settle(step, http(200, with_status(status))).verdict, Verdict::unknown) << status;
    }
}

TEST_F(AnswerToSettling, ACutAnswerIsUnknownWhereverItIsCut) {
    const auto whole = json::serialize(with_status("EFETIVADA"));
    for (const auto step : settling_steps)
        for (std::size_t length = 0; length < whole.size(); ++length)
            EXPECT_EQ(asked.settle(step, http(200, whole.substr(0, length))).verdict, Verdict::unknown) << length;
}

TEST_F(AnswerToSettling, A4xxWithoutAStatusMeansThatThereIsNoSuchSaleNow) {
    for (const auto step : settling_steps)
        for (const auto code : {400u, 402u, 404u, 405u, 410u, 422u, 499u})
            for (const auto* body : {"{}", "", R"({"erro":"desconhecida"})", "<html>", R"({"transacao":{}})"})
                EXPECT_EQ(asked.settle(step, http(code, std::string(body))).verdict, Verdict::no_such_sale)
                    << code << body;
}

TEST_F(AnswerToSettling, OnlyA4xxThatIsAboutTheSaleIsMarkedAsWithoutStatus) {
    for (const auto step : settling_steps) {
        EXPECT_TRUE(asked.settle(step, http(404, "{}")).without_status);
        for (const auto code : {403u, 429u})
            EXPECT_FALSE(asked.settle(step, http(code, "{}")).without_status) << code;
    }
}

// A server at a wrong address knows no sale either.
TEST_F(AnswerToSettling, A4xxOfAnAddressThatMayBeWrongSaysNothingOfTheSale) {
    const Asked authorised(Family::tv, "T1");
    const Asked never_answered;
    const auto from = [](Reply::Address address, unsigned code, std::string body) {
        auto reply = http(code, std::move(body));
        reply.address = address;
        return reply;
    };
    using enum Reply::Address;
    for (const auto step : settling_steps)
        for (const auto& [code, body, anybodys] : {std::tuple{404u, "{}", true},
                                                   {405u, "{}", true},
                                                   {400u, "<html>", true},
                                                   {410u, "<html>", true},
                                                   {404u, "<html>", true},
                                                   {410u, "{}", false},
                                                   {422u, "{}", false}}) {
            const auto settle = [&, code = code, body = body](const Asked& sale, Reply::Address address) {
                return sale.settle(step, from(address, code, body));
            };
            SCOPED_TRACE(std::string(body) + std::to_string(code));
            const auto if_anybodys = anybodys ? Verdict::declined : Verdict::no_such_sale;
            for (const auto* sale : {&authorised, &never_answered}) {
                EXPECT_EQ(settle(*sale, proven).verdict, Verdict::no_such_sale);
                EXPECT_EQ(settle(*sale, doubted).verdict, if_anybodys);
                if (anybodys) {
                    EXPECT_THAT(settle(*sale, doubted).reason.detail, HasSubstr("provider.base_url"));
                }
            }
            const bool is_page = body[0] == '<';
            EXPECT_EQ(settle(authorised, unproven).verdict, is_page ? Verdict::declined : Verdict::no_such_sale)
                << "it was known once, and what says so may be any web server";
            EXPECT_EQ(settle(authorised, once_doubted).verdict, if_anybodys) << "the provider may have it open";
            EXPECT_EQ(settle(never_answered, unproven).verdict, Verdict::no_such_sale);
            EXPECT_EQ(settle(never_answered, once_doubted).verdict, Verdict::no_such_sale);
        }
}

TEST_F(AnswerToSettling, A4xxAboutTheCallSaysNothingOfTheSale) {
    for (const auto step : settling_steps) {
        EXPECT_EQ(asked.settle(step, http(401, "{}")).verdict, Verdict::unauthorised);
        for (const auto code : {403u, 408u, 409u, 425u, 429u}) {
            auto reply = http(code, "<html>");
            reply.address = Reply::Address::doubted;
            const auto answer = asked.settle(step, reply);
            EXPECT_EQ(answer.verdict, Verdict::declined) << code;
            EXPECT_EQ(answer.reason.detail, "the provider answered " + std::to_string(code) + ": no word on the sale");
        }
    }
}

TEST_F(AnswerToSettling, A4xxWithAStatusThatIsNotFinalIsUnknown) {
    for (const auto step : settling_steps)
        for (const auto code : {400u, 401u, 403u, 404u, 409u, 429u})
            for (const auto* status : {"AUTORIZADA", "PENDENTE"})
                EXPECT_EQ(asked.settle(step, http(code, with_status(status))).verdict, Verdict::unknown)
                    << code << status;
}

// The answer NEGADA to a confirm may mean that the confirm was denied while the sale stands. An attempt that is NEGADA
// leaves nothing to cancel.
TEST_F(AnswerToSettling, NegadaLeavesNothingToCancelAndSaysNothingToAConfirm) {
    for (const auto code : {200u, 400u, 401u, 404u, 409u, 429u}) {
        EXPECT_EQ(asked.cancelar(http(code, with_status("NEGADA"))).verdict, Verdict::no_such_sale) << code;
        EXPECT_EQ(asked.confirmar(http(code, with_status("NEGADA"))).verdict, Verdict::unknown) << code;
    }
    EXPECT_EQ(asked.cancelar(http(500, with_status("NEGADA"))).verdict, Verdict::unknown);
}

// The confirm's answer names idTransacao, the cancel's nothing; neither has an idExterno or an amount.
TEST_F(AnswerToSettling, DocumentedAnswersOfEveryFamilyAreBelieved) {
    for (const auto family : {Family::tv, Family::egift, Family::transit, Family::health}) {
        const Asked ours(family, "T1");
        EXPECT_EQ(ours.confirmar(http(200, with_status("EFETIVADA"))).verdict, Verdict::sold) << to_string(family);
        for (const auto& one : {ours, Asked(family)}) {
            const json::object cancelled{{"transacao", {{"status", "CANCELADA"}}}};
            EXPECT_EQ(one.cancelar(http(200, cancelled)).verdict, Verdict::cancelled) << to_string(family);
            const json::object sold{{"transacao", {{"status", "EFETIVADA"}}}};
            EXPECT_EQ(one.cancelar(http(200, sold)).verdict, Verdict::sold) << to_string(family);
        }
    }
}

TEST_F(AnswerToSettling, AnswerThatNamesTheAttemptInAnyWayIsBelieved) {
    const auto own = asked.attempt().id_externo.str();
    const auto valor = asked.sale.valor.value;
    for (const auto step : settling_steps)
        for (const auto& body : std::vector<json::object>{
                 {{"transacao", {{"status", "EFETIVADA"}, {"idTransacao", "T1"}, {"valor", valor}}}},
                 {{"transacao", {{"status", "EFETIVADA"}, {"valor", std::to_string(valor)}}}},
                 {{"transacao", {{"status", "EFETIVADA"}, {"idTransacao", nullptr}}}},
                 {{"transacao", {{"status", "EFETIVADA"}, {"idExterno", own}}}},
                 {{"transacao", {{"status", "EFETIVADA"}}}, {"idExterno", own}},
                 {{"venda", {{"transacao", {{"status", "EFETIVADA"}}}, {"idExterno", own}}}}})
            EXPECT_EQ(asked.settle(step, http(200, body)).verdict, Verdict::sold) << json::serialize(body);
}

// These answers have no status, or name another sale in any place where an answer may.
TEST_F(AnswerToSettling, WordsAboutAnotherSaleSayNothingAboutThisOne) {
    const auto other = other_id_externo();
    const auto own = asked.attempt().id_externo.str();
    const auto another = asked.sale.valor.value + 1;
    for (const auto step : settling_steps)
        for (const auto code : {200u, 404u, 409u})
            for (const auto* status : {"EFETIVADA", "CANCELADA", "NEGADA"})
                for (const auto& body : std::vector<json::object>{
                         {{"transacao", {{"status", status}, {"idTransacao", "T2"}}}},
                         {{"transacao", {{"status", status}, {"idTransacao", "T2"}}}, {"idExterno", own}},
                         {{"transacao", {{"status", status}, {"idTransacao", "T1"}}}, {"idExterno", other}},
                         {{"transacao", {{"status", status}, {"idTransacao", "T1"}, {"idExterno", other}}}},
                         {{"transacao", {{"status", status}}}, {"idExterno", other}},
                         {{"venda", {{"transacao", {{"status", status}}}, {"idExterno", own}}}, {"idExterno", other}},
                         {{"venda", {{"transacao", {{"status", status}}}, {"idExterno", other}}}},
                         {{"venda", {{"transacao", {{"status", status}}}}}, {"transacao", {{"idTransacao", "T2"}}}},
                         {{"transacao", {{"status", status}, {"idTransacao", "T1"}, {"valor", another}}}},
                         {{"transacao", {{"status", status}, {"valor", std::to_string(another)}}}},
                         {{"venda", {{"transacao", {{"status", status}}}}}, {"transacao", {{"valor", another}}}}})
                    EXPECT_EQ(asked.settle(step, http(code, body)).verdict, Verdict::unknown)
                        << to_string(step) << ' ' << code << ' ' << json::serialize(body);
}

TEST_F(AnswerToSettling, WordsAboutAnotherSaleBringNoneOfItsGoods) {
    const Asked gift(Family::egift, "T1");
    auto body = with_status("EFETIVADA");
    body["transacao"].as_object()["instrucao"] = R"({"urlAtivacao":"https://gift.example/2"})";
    body["transacao"].as_object()["valor"] = gift.sale.valor.value + 1;
    const auto answer = gift.confirmar(http(200, body));
    EXPECT_TRUE(answer.details.instrucao.empty());
    EXPECT_EQ(answer.reason.detail, "the provider answered 200: of another valor");
}

// The answer to the request was lost. An idTransacao alone may be anybody's; where it is ours, its idExterno shows it.
TEST_F(AnswerToSettling, OfATransactionThatWasNeverSeenItsIdAloneMakesNothingSold) {
    const Asked unseen;
    auto body = with_status("EFETIVADA");
    EXPECT_EQ(unseen.cancelar(http(200, body)).verdict, Verdict::unknown);
    body["idExterno"] = unseen.attempt().id_externo.text();
    EXPECT_EQ(unseen.cancelar(http(200, body)).verdict, Verdict::sold);
}

TEST_F(AnswerToSettling, TransactionThatWasNeverSeenIsWhatTheAnswerNames) {
    const Asked unseen;
    const auto answer = unseen.cancelar(http(200, with_status("CANCELADA")));
    EXPECT_EQ(answer.verdict, Verdict::cancelled);
    EXPECT_EQ(answer.id_transacao, "T1");
}

TEST_F(AnswerToSettling, CanceladaSaysThatItIsTheProvidersWord) {
    const auto reason = asked.confirmar(http(200, with_status("CANCELADA"))).reason;
    EXPECT_EQ(reason.code, ReasonCode::provider_error);
    EXPECT_EQ(reason.detail, "the provider says CANCELADA");
}

TEST_F(AnswerToSettling, RetryAfterOfTheProviderIsKept) {
    for (const auto step : settling_steps)
        for (const auto code : {429u, 503u, 409u}) {
            auto reply = http(code, "{}");
            reply.retry_after = 30s;
            EXPECT_EQ(asked.settle(step, reply).reason.retry_after, 30s) << code;
        }
}

TEST_F(AnswerToSettling, WordsAreNotKept) {
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
    EXPECT_EQ(Answer{}.verdict, Verdict::unknown) << "nobody has judged it";
}

}  // namespace
}  // namespace gateway::test
