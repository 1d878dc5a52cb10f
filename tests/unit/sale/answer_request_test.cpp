// Tests what the answers to `solicitar` mean: every row of the table, and what else may come.
#include "unit/sale/reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

TEST(AnswerToRequest, AutorizadaWithEverythingEchoedIsAuthorised) {
    const Asked asked;
    for (const auto status : {200u, 201u, 202u, 299u}) {
        const auto answer = asked.solicitar(http(status, asked.authorised()));
        EXPECT_EQ(answer.verdict, Verdict::authorised) << status;
        EXPECT_EQ(answer.id_transacao, "T1");
    }
}

TEST(AnswerToRequest, OneThatCannotBeReadIsUnknownAndSaysWhy) {
    const Asked asked;
    const auto page = asked.solicitar(http(200, "<html>"));
    EXPECT_EQ(page.verdict, Verdict::unknown);
    EXPECT_EQ(page.reason.detail, "the provider answered 200: not the documented JSON");
    const auto garbled = asked.solicitar(http(200, "{\"venda\":\"\xFF\xFE\"}"));
    EXPECT_EQ(garbled.verdict, Verdict::unknown);
    EXPECT_EQ(garbled.reason.detail, "the provider answered 200: in an encoding that is not known");
}

TEST(AnswerToRequest, FactsAreReadFromWhereTheyAreDocumented) {
    const Asked asked;
    const auto details = asked.solicitar(http(200, asked.authorised())).details;
    EXPECT_EQ(details.estabelecimento_nome, "Loja");
    EXPECT_EQ(details.cnpj_cpf, "11.222.333/0001-44");
    EXPECT_EQ(details.fornecedor, "Operadora");
    EXPECT_EQ(details.data_hora, "2024-05-02T10:11:12.000-03:00");
    EXPECT_EQ(details.instrucao, Secret(R"({"recargaTV":{"nsuFornecedor":"42"}})"));
    EXPECT_TRUE(details.complemento.empty());
}

TEST(AnswerToRequest, GoodsThatComeAsPlainJsonAreKeptAsItsText) {
    const Asked asked(Family::health);
    auto body = asked.authorised();
    transacao(body)["instrucao"] = json::object{{"pin", "1234"}};
    transacao(body)["complemento"] = R"({"produtoIdParceiro":"9"})";
    const auto details = asked.solicitar(http(200, body)).details;
    EXPECT_EQ(details.instrucao, Secret(R"({"pin":"1234"})"));
    EXPECT_EQ(details.complemento, Secret(R"({"produtoIdParceiro":"9"})"));
}

TEST(AnswerToRequest, FactsThatAreNotThereAreNoReasonToDoubt) {
    const Asked asked;
    auto body = asked.authorised();
    venda(body).erase("estabelecimento");
    venda(body)["produto"] = nullptr;
    transacao(body)["instrucao"] = nullptr;
    transacao(body).erase("dataHora");
    const auto answer = asked.solicitar(http(200, body));
    EXPECT_EQ(answer.verdict, Verdict::authorised);
    EXPECT_TRUE(answer.details.instrucao.empty());
    EXPECT_EQ(answer.details.estabelecimento_nome, "");
}

TEST(AnswerToRequest, FieldsThatTheProviderAddsAreNoReasonToDoubt) {
    const Asked asked;
    auto body = asked.authorised();
    body["versao"] = 2;
    transacao(body)["novo"] = json::array{1, nullptr, json::object{{"a", 1.5}}};
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::authorised);
}

TEST(AnswerToRequest, StatusIsReadInAnyLetterCase) {
    const Asked asked;
    auto body = asked.authorised();
    transacao(body)["status"] = "Autorizada";
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::authorised);
    transacao(body)["status"] = "negada";
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::refused);
}

TEST(AnswerToRequest, TransacaoIsFoundAtTheTopToo) {
    const Asked asked;
    auto nested = asked.authorised();
    const auto answer = asked.solicitar(http(200, venda(nested)));
    EXPECT_EQ(answer.verdict, Verdict::authorised);
    EXPECT_EQ(answer.details.estabelecimento_nome, "Loja");
}

TEST(AnswerToRequest, NumbersAndTextsMayStandForEachOther) {
    const Asked asked;
    auto body = asked.authorised();
    transacao(body)["valor"] = "1099";
    transacao(body)["idTransacao"] = 123456;
    const auto answer = asked.solicitar(http(200, body));
    EXPECT_EQ(answer.verdict, Verdict::authorised);
    EXPECT_EQ(answer.id_transacao, "123456");
}

TEST(AnswerToRequest, AnAmountInATextHasFifteenDigitsAtMost) {
    const Asked asked;
    auto body = asked.authorised();
    transacao(body)["valor"] = std::string(11, '0') + "1099";
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::authorised);
    transacao(body)["valor"] = std::string(12, '0') + "1099";
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::unknown);
}

TEST(AnswerToRequest, ALongIdTransacaoIsReadDigitByDigit) {
    const Asked asked;
    auto body = asked.authorised();
    transacao(body)["idTransacao"] = std::uint64_t{18446744073709551615u};
    EXPECT_EQ(asked.solicitar(http(200, body)).id_transacao, "18446744073709551615");
}

TEST(AnswerToRequest, AZeroCharacterIsNoReasonToDoubt) {
    const Asked asked;
    auto body = asked.authorised();
    venda(body)["observacao"] = std::string(1, '\0');
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::authorised);
}

TEST(AnswerToRequest, TwoTransactionsThatContradictEachOtherSayNothing) {
    const Asked asked;
    auto body = asked.authorised();
    body["transacao"] = {{"valor", asked.sale.valor.value + 1}};
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::unknown) << "they have different amounts";
    body["transacao"] = {{"valor", asked.sale.valor.value}, {"status", "NEGADA"}};
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::unknown) << "they have different statuses";
    body["transacao"] = {{"valor", asked.sale.valor.value}};
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::authorised) << "one of them has no status";
    transacao(body).erase("valor");
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::authorised) << "each has what the other has not";
}

TEST(AnswerToRequest, GoodsThatComeAsADocumentKeepTheirDigits) {
    const Asked asked;
    auto body = json::serialize(asked.authorised());
    const std::string before = R"("transacao":{)";
    body.insert(body.find(before) + before.size(), R"("complemento":{"pin":12345678901234567890123},)");
    const auto answer = asked.solicitar(http(200, body));
    EXPECT_EQ(answer.details.complemento, Secret(R"({"pin":"12345678901234567890123"})"));
}

TEST(AnswerToRequest, AutorizadaWithoutIdTransacaoIsUnknown) {
    const Asked asked;
    const std::vector<json::value> spoilt{nullptr, "", true, 1.5, json::array{"T1"}, json::object{{"id", "T1"}}};
    for (const auto& value : spoilt) {
        auto body = asked.authorised();
        transacao(body)["idTransacao"] = value;
        EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::unknown) << json::serialize(value);
    }
    auto body = asked.authorised();
    transacao(body).erase("idTransacao");
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::unknown);
}

TEST(AnswerToRequest, AutorizadaOfAnotherAmountIsUnknown) {
    const Asked asked;
    const std::vector<json::value> spoilt{1098,
                                          1100,
                                          10990,
                                          -1099,
                                          0,
                                          nullptr,
                                          "",
                                          "1099.00",
                                          "10,99",
                                          "-1099",
                                          "0x44B",
                                          1099.5,
                                          true,
                                          json::array{1099},
                                          std::uint64_t{18446744073709551615u},
                                          "1099000000000000",
                                          " 1099"};
    for (const auto& value : spoilt) {
        auto body = asked.authorised();
        transacao(body)["valor"] = value;
        EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::unknown) << json::serialize(value);
    }
    auto body = asked.authorised();
    transacao(body).erase("valor");
    EXPECT_EQ(asked.solicitar(http(200, body)).reason.detail, "the provider answered 200: AUTORIZADA without valor");
}

TEST(AnswerToRequest, NumberThatNoIntegerHoldsIsUnknown) {
    const Asked asked;
    auto text = json::serialize(asked.authorised());
    const auto at = text.find("1099");
    for (const auto* number : {"1099e0", "1.099e3", "109900000000000000000000", "1e999"})
        EXPECT_EQ(asked.solicitar(http(200, std::string(text).replace(at, 4, number))).verdict, Verdict::unknown)
            << number;
}

TEST(AnswerToRequest, AutorizadaWithoutTheEchoIsUnknownForAllButEsim) {
    for (const auto family : all_families) {
        const Asked asked(family);
        const auto expected = family == Family::esim ? Verdict::authorised : Verdict::unknown;
        auto absent = asked.authorised();
        venda(absent).erase("idExterno");
        EXPECT_EQ(asked.solicitar(http(200, absent)).verdict, expected) << to_string(family);
        auto null = asked.authorised();
        venda(null)["idExterno"] = nullptr;
        EXPECT_EQ(asked.solicitar(http(200, null)).verdict, expected) << to_string(family);
        auto empty = asked.authorised();
        venda(empty)["idExterno"] = "";
        EXPECT_EQ(asked.solicitar(http(200, empty)).verdict, expected) << to_string(family);
    }
}

TEST(AnswerToRequest, EchoMayStandAtTheTop) {
    const Asked asked;
    auto body = asked.authorised();
    body["idExterno"] = venda(body).at("idExterno");
    venda(body).erase("idExterno");
    EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::authorised);
}

TEST(AnswerToRequest, WordsAboutAnotherSaleSayNothingAboutThisOne) {
    const auto other = new_sale(Family::tv).current().id_externo;
    for (const auto family : all_families)
        for (const auto* status : {"AUTORIZADA", "NEGADA"})
            for (const auto code : {200u, 401u, 422u, 429u}) {
                const Asked asked(family);
                auto body = asked.authorised();
                transacao(body)["status"] = status;
                venda(body)["idExterno"] = other.text();
                EXPECT_EQ(asked.solicitar(http(code, body)).verdict, Verdict::unknown) << status << code;
            }
}

TEST(AnswerToRequest, NegadaIsRefusedWhateverElseIsMissing) {
    const Asked asked;
    EXPECT_EQ(asked.solicitar(http(200, with_status("NEGADA"))).verdict, Verdict::refused);
    for (const auto code : {400u, 401u, 403u, 408u, 409u, 422u, 425u, 429u})
        EXPECT_EQ(asked.solicitar(http(code, with_status("NEGADA"))).verdict, Verdict::refused) << code;
}

TEST(AnswerToRequest, A4xxIsRefusedWhateverItsBody) {
    const Asked asked;
    for (const auto code : {400u, 402u, 403u, 404u, 405u, 406u, 410u, 413u, 415u, 422u, 451u, 499u})
        for (const auto& body : {R"({"erro":"saldo"})", "", "<html>", "[1]"})
            EXPECT_EQ(asked.solicitar(http(code, std::string(body))).verdict, Verdict::refused) << code << body;
}

TEST(AnswerToRequest, A4xxAboutTheCallIsNotARefusal) {
    const Asked asked;
    EXPECT_EQ(asked.solicitar(http(401, "{}")).verdict, Verdict::unauthorised);
    EXPECT_EQ(asked.solicitar(http(429, "{}")).verdict, Verdict::throttled);
    for (const auto code : {408u, 409u, 425u})
        EXPECT_EQ(asked.solicitar(http(code, "{}")).verdict, Verdict::unknown) << code;
}

// "Not processed" and a status of the sale exclude each other.
TEST(AnswerToRequest, A4xxWithAStatusThatNoRefusalHasIsUnknown) {
    const Asked asked;
    for (const auto code : {400u, 401u, 409u, 422u, 429u})
        for (const auto* status : {"AUTORIZADA", "EFETIVADA", "CANCELADA", "PENDENTE"}) {
            auto body = asked.authorised();
            transacao(body)["status"] = status;
            EXPECT_EQ(asked.solicitar(http(code, body)).verdict, Verdict::unknown) << code << status;
        }
}

TEST(AnswerToRequest, AnyOtherStatusIsUnknown) {
    const Asked asked;
    for (const auto* status : {"EFETIVADA", "CANCELADA", "PENDENTE", "APROVADA", ""}) {
        auto body = asked.authorised();
        transacao(body)["status"] = status;
        EXPECT_EQ(asked.solicitar(http(200, body)).verdict, Verdict::unknown) << status;
    }
}

TEST(AnswerToRequest, RedirectsAndServerErrorsAreUnknownEvenWithAPerfectBody) {
    const Asked asked;
    for (const auto code : {199u, 300u, 301u, 302u, 303u, 304u, 307u, 308u, 500u, 502u, 503u, 504u, 599u})
        for (const auto* status : {"AUTORIZADA", "NEGADA"}) {
            auto body = asked.authorised();
            transacao(body)["status"] = status;
            EXPECT_EQ(asked.solicitar(http(code, body)).verdict, Verdict::unknown) << code << status;
        }
}

TEST(AnswerToRequest, A2xxThatIsNotTheDocumentedJsonIsUnknown) {
    const Asked asked;
    for (const auto& body : senseless_bodies()) {
        const auto answer = asked.solicitar(http(200, body));
        EXPECT_EQ(answer.verdict, Verdict::unknown) << body;
        EXPECT_EQ(answer.reason.code, ReasonCode::provider_error) << body;
    }
}

TEST(AnswerToRequest, ACutAnswerIsUnknownWhereverItIsCut) {
    const Asked asked;
    const auto whole = json::serialize(asked.authorised());
    for (std::size_t length = 0; length < whole.size(); ++length)
        ASSERT_EQ(asked.solicitar(http(200, whole.substr(0, length))).verdict, Verdict::unknown) << length;
}

TEST(AnswerToRequest, ARepeatedFieldIsUnknownBecauseNobodyKnowsWhichOneCounts) {
    const Asked asked;
    const auto whole = json::serialize(asked.authorised());
    const auto at = whole.find(R"("status")");
    const auto twice = std::string(whole).insert(at, R"("status":"NEGADA",)");
    EXPECT_EQ(asked.solicitar(http(200, twice)).verdict, Verdict::unknown);
}

TEST(AnswerToRequest, NothingSentIsUnsent) {
    const Asked asked;
    const auto answer = asked.solicitar(no_answer(Reply::Kind::nothing_sent, errc::unreachable));
    EXPECT_EQ(answer.verdict, Verdict::unsent);
    EXPECT_EQ(answer.reason.code, ReasonCode::never_sent);
    EXPECT_EQ(answer.reason.detail, "nothing was sent: the provider cannot be reached");

    auto without_token = no_answer(Reply::Kind::nothing_sent, errc::no_token);
    without_token.cause = "the token service answered HTTP 401";
    EXPECT_EQ(asked.solicitar(without_token).reason.detail,
              "nothing was sent: no access token: the token service answered HTTP 401");

    auto said_twice = no_answer(Reply::Kind::nothing_sent, errc::unreachable);
    said_twice.cause = "the provider cannot be reached";
    EXPECT_EQ(asked.solicitar(said_twice).reason.detail, "nothing was sent: the provider cannot be reached");
}

TEST(AnswerToRequest, ARefusedTokenAndAnUnknownAddressAreNamed) {
    const Asked asked;
    EXPECT_EQ(asked.solicitar(http(401, R"({"mensagem":"token invalido"})")).reason.detail,
              "the provider answered 401: it does not accept the token; it said \"token invalido\"");
    EXPECT_EQ(asked.solicitar(http(401, "{}")).reason.detail,
              "the provider answered 401: it does not accept the token");
    const auto address = std::string("the path in provider.base_url is wrong");
    auto not_found = http(404, "{}");
    EXPECT_EQ(asked.solicitar(not_found).reason.detail, "the provider answered 404: it knows no such product");
    not_found.address = Reply::Address::unproven;
    EXPECT_NE(asked.solicitar(not_found).reason.detail.find(address), std::string::npos);
    const auto refused = asked.solicitar(http(404, R"({"transacao":{"status":"NEGADA"}})"));
    EXPECT_EQ(refused.reason.detail, "the provider refused the sale");
    EXPECT_EQ(asked.solicitar(http(400, "{}")).reason.detail, "the provider refused the sale");
}

TEST(AnswerToRequest, LostAnswerIsUnknownAndSaysThatItWasLost) {
    const Asked asked;
    for (const auto why : {errc::timed_out, errc::connection_lost, errc::answer_too_large, errc::malformed}) {
        const auto answer = asked.solicitar(no_answer(Reply::Kind::lost, why));
        EXPECT_EQ(answer.verdict, Verdict::unknown);
        EXPECT_EQ(answer.reason.code, ReasonCode::response_lost);
        EXPECT_NE(answer.reason.detail, "");
    }
}

TEST(AnswerToRequest, ReasonTellsLostAnswersFromSenselessOnes) {
    const Asked asked;
    const auto answer = asked.solicitar(http(500, "{}"));
    EXPECT_EQ(answer.reason.code, ReasonCode::provider_error);
    EXPECT_EQ(answer.reason.provider_status, 500u);
    for (const auto code : {401u, 429u})
        EXPECT_EQ(asked.solicitar(http(code, "{}")).reason.code, ReasonCode::provider_error) << code;
}

TEST(AnswerToRequest, RetryAfterOfTheProviderIsKept) {
    const Asked asked;
    auto reply = http(429, "{}");
    reply.retry_after = 30s;
    EXPECT_EQ(asked.solicitar(reply).reason.retry_after, 30s);
    EXPECT_FALSE(asked.solicitar(http(429, "{}")).reason.retry_after);
}

TEST(AnswerToRequest, RefusalCarriesTheProvidersStatusAndWords) {
    const Asked asked;
    const auto reason = asked.solicitar(http(422, R"({"erro":"saldo insuficiente"})")).reason;
    EXPECT_EQ(reason.code, ReasonCode::refused);
    EXPECT_EQ(reason.provider_status, 422u);
    EXPECT_EQ(reason.provider_body, Secret(R"({"erro":"saldo insuficiente"})"));
}

TEST(AnswerToRequest, NoGoodsAreAmongTheWordsOfARefusal) {
    const Asked asked;
    auto body = with_status("NEGADA");
    body["transacao"].as_object()["instrucao"] = R"({"pin":"4711"})";
    body["venda"] = {{"lista", json::array{{{"complemento", "https://gift.example/4711"}}}}};
    body["erro"] = "saldo insuficiente";
    for (const auto& reply : {http(200, body), http(422, body)}) {
        const auto kept = asked.solicitar(reply).reason.provider_body.reveal();
        EXPECT_THAT(kept, testing::HasSubstr("saldo insuficiente"));
        EXPECT_THAT(kept, testing::Not(testing::HasSubstr("4711")));
    }
    const auto kept =
        asked.solicitar(http(400, std::string(R"({"instrucao":1,"nsu":12345678901234567890123,"a":"\u0000"})")))
            .reason.provider_body.reveal();
    EXPECT_THAT(kept, testing::HasSubstr("12345678901234567890123"));
    const auto text = asked.solicitar(http(400, std::string("instrucao: pin 4711"))).reason.provider_body;
    EXPECT_TRUE(text.empty()) << "what cannot be taken apart is not kept";
    const auto harmless = asked.solicitar(http(400, std::string("sem complemento do endereco"))).reason.provider_body;
    EXPECT_TRUE(harmless.empty());
}

TEST(AnswerToRequest, WordsOfARefusalAreCutBetweenTwoCharacters) {
    const Asked asked;
    std::string body(2047, 'x');
    for (int i = 0; i < 10; ++i)
        body += "\xE2\x82\xAC";  // the € has three bytes
    const auto kept = asked.solicitar(http(400, body)).reason.provider_body.reveal();
    EXPECT_EQ(kept, std::string(2047, 'x'));
    const std::string exact(2048, 'y');
    EXPECT_EQ(asked.solicitar(http(400, exact)).reason.provider_body.reveal(), exact);
    EXPECT_EQ(asked.solicitar(http(400, exact + "z")).reason.provider_body.reveal(), exact);
}

TEST(AnswerToRequest, WordsOfARefusalThatAreNotTextAreNotKept) {
    const Asked asked;
    for (const auto* body : {"\xFF\xFE\x01 binary", "\x1F\x8B\x08", "cut short \xE2\x82"}) {
        const auto answer = asked.solicitar(http(400, std::string(body)));
        EXPECT_EQ(answer.verdict, Verdict::refused);
        EXPECT_TRUE(answer.reason.provider_body.empty()) << body;
    }
}

TEST(AnswerToRequest, WordsOfAnythingButARefusalAreNotKept) {
    const Asked asked;
    auto body = asked.authorised();
    venda(body)["idExterno"] = "another";
    for (const auto& reply : {http(200, body), http(500, body), http(401, "{}"), http(429, "{}"), http(409, "{}")})
        EXPECT_TRUE(asked.solicitar(reply).reason.provider_body.empty()) << "may hold goods of a sale that is not sold";
}

TEST(AnswerToRequest, NoReasonQuotesWhatTheProviderSent) {
    const Asked asked;
    for (const auto code : {200u, 302u, 400u, 401u, 409u, 429u, 500u}) {
        const auto detail = asked.solicitar(http(code, R"({"cpf":"123.456.789-09"})")).reason.detail;
        EXPECT_EQ(detail.find("123"), std::string::npos) << detail;
    }
}

}  // namespace
}  // namespace gateway::test
