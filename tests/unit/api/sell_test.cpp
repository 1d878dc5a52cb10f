#include "api/sell.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using Pointers = std::vector<std::string>;

using SellTest = ApiTest;

TEST_F(SellTest, OneCallSells) {
    const auto told = api.sold("k-1");
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.text("outcome"), "sold");
    EXPECT_EQ(told.json().at("instrucao").at("pin"), "77");
    EXPECT_EQ(told.header("Idempotency-Replayed"), "");
    EXPECT_EQ(api.flow.books.calls["/venda/tv/solicitar"], 1);
    EXPECT_EQ(api.flow.books.calls["/venda/tv/confirmar"], 1);
}

TEST_F(SellTest, TheSameKeyIsAnsweredAgainAndSellsNothing) {
    const auto first = api.sold("k-1");
    // The bodies are compared as JSON values, so order and spaces make no difference.
    const auto again =
        api.sold("k-1", R"({ "cpf":"52998224725", "valor":2500, "produto":"TV Mensal", "family":"tv" })");
    EXPECT_EQ(again.status(), 200u);
    EXPECT_EQ(again.text("id"), first.text("id"));
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(api.flow.books.calls["/venda/tv/solicitar"], 1);
}

TEST_F(SellTest, AFirstCallThatMayHaveBegunTheSaleIsToldThatNothingIsKnownYet) {
    using Ending = DoubtfulJournal::Ending;
    const auto waiting = [] {
        auto asked = ApiRig::sell_request("k-1");
        asked.headers.insert("Prefer", "wait=1");
        return asked;
    };
    api.flow.doubtful->endings = {Ending::done_but_unknown};
    for (int i = 0; i < 6; ++i)
        api.flow.doubtful->endings.push_back(Ending::not_done_and_unknown);
    const auto first = api.ask(waiting());
    EXPECT_EQ(first.status(), 503u);
    EXPECT_EQ(first.code(), "journal_unavailable");
    EXPECT_EQ(first.text("outcome"), "pending") << "without one it would say that it did nothing";
    EXPECT_EQ(first.header("Sale-Outcome"), "pending");
    // For a key that was used before, an error without an outcome tells the terminal to ask again.
    const auto again = api.ask(waiting());
    EXPECT_EQ(again.status(), 503u);
    EXPECT_FALSE(again.json().contains("outcome"));
    api.flow.clock->advance(10s);
    EXPECT_EQ(api.sold("k-1").text("outcome"), "sold");
}

TEST_F(SellTest, TheSameOrderSpeltOtherwiseIsARepeat) {
    const auto first = api.sold("k-1");
    const auto again = api.sold(
        "k-1", R"({"family":"tv","produto":"TV Mensal","valor":"2500","cpf":"529.982.247-25","confirm":"auto"})");
    EXPECT_EQ(again.text("id"), first.text("id"));
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_EQ(api.flow.books.calls["/venda/tv/solicitar"], 1);
}

TEST_F(SellTest, TheSameKeyWithAnotherOrderIs422AndNamesTheSaleAndWhatDiffers) {
    const auto first = api.sold("k-1");
    const auto told = api.sold("k-1", R"({"family":"tv","produto":"TV Mensal","valor":2600,"cpf":"52998224725"})");
    EXPECT_EQ(told.status(), 422u);
    EXPECT_EQ(told.code(), "idempotency_key_reused");
    EXPECT_EQ(told.pointers(), std::vector<std::string>{"/valor"});
    EXPECT_EQ(std::string(told.json().at("existing").at("id").as_string()), first.text("id"));
    EXPECT_EQ(told.json().at("existing").at("outcome"), "sold");
    EXPECT_FALSE(told.json().contains("outcome")) << "this call has none";
    EXPECT_FALSE(told.json().contains("sale"));
}

std::string with(const char* name, boost::json::value value) {
    auto body = boost::json::parse(ApiRig::tv_body).as_object();
    body[name] = std::move(value);
    return boost::json::serialize(body);
}

TEST_F(SellTest, TheFirstCashierStaysAndIsNotSentOn) {
    const auto first = api.sold("k-1", with("cashier", "Zé"));
    EXPECT_EQ(first.text("cashier"), "Zé");
    for (const auto& body : {with("cashier", "Rita"), std::string(ApiRig::tv_body), with("repeat", true)}) {
        const auto again = api.sold("k-1", body);
        EXPECT_EQ(again.header("Idempotency-Replayed"), "true") << body;
        EXPECT_EQ(again.text("cashier"), "Zé");
    }
    for (const auto& seen : api.flow.network->seen)
        EXPECT_EQ(seen.request.body.reveal().find("Zé"), std::string::npos);
    EXPECT_EQ(api.flow.log.count("Zé"), 1u);
    EXPECT_EQ(api.flow.log.count("info sale.begun"), 1u);
    EXPECT_TRUE(api.flow.log.has("cashier=\"Zé\""));
}

TEST_F(SellTest, ACashierDoesNotCountWhereOnlyTheBodyCanTell) {
    api.sold("k-1", with("cashier", "Zé"));
    api.flow.clock->advance(24h);
    ASSERT_TRUE(api.flow.clock->run(api.flow.journal->erase_personal(api.flow.clock->wall())).has_value());
    const auto again = api.sold("k-1", with("cashier", "Rita"));
    EXPECT_EQ(again.header("Idempotency-Replayed"), "true");
    EXPECT_FALSE(again.json().contains("cashier")) << "erased, and not given another one";
}

TEST_F(SellTest, ACashierHas1To64CharactersWhateverTheirBytes) {
    std::string longest;
    for (int i = 0; i < 64; ++i)
        longest += "é";
    EXPECT_EQ(api.sold("k-1", with("cashier", boost::json::string(longest))).text("cashier"), longest);
    for (const boost::json::value& wrong :
         {boost::json::value(""), boost::json::value(boost::json::string(longest + "e")), boost::json::value("a\nb"),
          boost::json::value(7), boost::json::value(nullptr)}) {
        const auto told = api.sold("k-2", with("cashier", wrong));
        EXPECT_EQ(told.status(), 422u);
        EXPECT_EQ(told.pointers(), Pointers{"/cashier"});
    }
}

TEST_F(SellTest, RepeatIsTrueOrFalse) {
    for (const boost::json::value& wrong :
         {boost::json::value("true"), boost::json::value(1), boost::json::value(nullptr)})
        EXPECT_EQ(api.sold("k-1", with("repeat", wrong)).pointers(), Pointers{"/repeat"});
    EXPECT_EQ(api.sold("k-1", with("repeat", false)).status(), 200u);
    EXPECT_EQ(api.sold("k-2", with("repeat", true)).status(), 200u) << "also where nothing is looked for";
}

class DuplicateSellTest : public SellTest {
  protected:
    DuplicateSellTest() {
        api.flow.duplicate_window = 5min;
        api.flow.crash();
        api.build();
    }
};

TEST_F(DuplicateSellTest, APossibleDuplicateIs409WithTheOtherSaleAndWithoutItsGoods) {
    const auto first = api.sold("k-1");
    const auto told = api.sold("k-2", R"({"family":"tv","produto":"TV Mensal","valor":"2500","cpf":"529.982.247-25"})");
    EXPECT_EQ(told.status(), 409u);
    EXPECT_EQ(told.code(), "possible_duplicate");
    const auto body = told.json();
    const auto& existing = body.at("existing").as_object();
    EXPECT_EQ(existing.size(), 4u);
    EXPECT_EQ(existing.at("id"), first.json().at("id"));
    EXPECT_EQ(existing.at("outcome"), "sold");
    EXPECT_EQ(existing.at("status"), "EFETIVADA");
    EXPECT_EQ(existing.at("createdAt"), first.json().at("createdAt"));
    EXPECT_FALSE(body.contains("sale") || body.contains("outcome"));
    EXPECT_EQ(told.header("Sale-Id"), "");
    EXPECT_EQ(api.flow.books.calls["/venda/tv/solicitar"], 1);
    EXPECT_EQ(api.sold("k-2", with("repeat", true)).text("outcome"), "sold");
    EXPECT_EQ(api.sold("k-2", with("repeat", false)).header("Idempotency-Replayed"), "true");
    EXPECT_EQ(api.sold("k-1").header("Idempotency-Replayed"), "true");
}

TEST_F(DuplicateSellTest, AnotherProductAmountPersonOrEstablishmentIsNoDuplicate) {
    api.sold("k-0");
    int key = 0;
    for (const auto& body : {with("produto", "TV Anual"), with("valor", 2400), with("cpf", "11144477735")})
        EXPECT_EQ(api.sold("k-" + std::to_string(++key), body).status(), 200u) << body;
    auto elsewhere = ApiRig::sell_request("k-9");
    elsewhere.principal = "loja-b";
    EXPECT_EQ(api.ask(std::move(elsewhere)).status(), 200u);
    auto next_till = ApiRig::sell_request("k-9");
    next_till.principal = "caixa-02";
    EXPECT_EQ(api.ask(std::move(next_till)).code(), "possible_duplicate");
}

TEST_F(SellTest, ASellOfACardThatIsStillChargedIs503WithoutAnOutcome) {
    const auto* body = R"({"family":"transit","produto":"Bilhete","numeroCartao":"1000000002","tipoCredito":"2",
                           "tipoProduto":"502","descricao":"Recarga livre","valor":2000})";
    api.flow.network->otherwise = [this](const http::ClientRequest& request) {
        return request.post ? api.flow.books.answer(request) : lost();
    };
    api.flow.books.answers_confirms = false;  // it stays pending
    EXPECT_EQ(api.sold("k-1", body).status(), 202u);
    const auto told = api.sold("k-2", body);
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.code(), "overloaded");
    EXPECT_FALSE(told.header("Retry-After").empty());
    EXPECT_FALSE(told.json().contains("outcome"));
}

TEST_F(SellTest, AKeyBelongsToItsTerminal) {
    api.sold("k-1");
    auto other = ApiRig::sell_request("k-1");
    other.principal = "caixa-02";
    EXPECT_EQ(api.ask(std::move(other)).header("Idempotency-Replayed"), "");
    EXPECT_EQ(api.flow.books.calls["/venda/tv/solicitar"], 2);
}

TEST_F(SellTest, EverythingThatIsWrongIsNamedAtOnce) {
    const auto told = api.sold("k-1", R"({"family":"tv","produto":"","valor":0,"cor":"azul","confirm":"no"})");
    EXPECT_EQ(told.status(), 422u);
    auto pointers = told.pointers();
    std::sort(pointers.begin(), pointers.end());
    EXPECT_EQ(pointers, (Pointers{"/confirm", "/cor", "/cpf", "/produto", "/valor"}));
    EXPECT_TRUE(api.flow.network->seen.empty());
}

TEST_F(SellTest, WithoutAFamilyOnlyTheFamilyIsAskedFor) {
    for (const auto* family : {"{}", R"({"family":"TV","produto":"P"})", R"({"family":1,"produto":"P"})"}) {
        const auto pointers = api.sold("k-1", family).pointers();
        EXPECT_NE(std::find(pointers.begin(), pointers.end(), "/family"), pointers.end()) << family;
        EXPECT_EQ(std::find(pointers.begin(), pointers.end(), "/valor"), pointers.end()) << family;
    }
}

TEST_F(SellTest, TheGatewaysOwnBusinessIsToldFromAnUnknownField) {
    for (const auto* name : {"idExterno", "dataHoraCliente", "idTransacao"}) {
        auto body = boost::json::parse(ApiRig::tv_body).as_object();
        body[name] = "x";
        const auto told = api.sold("k-1", boost::json::serialize(body));
        EXPECT_EQ(told.pointers(), Pointers{"/" + std::string(name)});
        EXPECT_NE(told.text("detail").find("gateway's business"), std::string::npos);
    }
}

TEST_F(SellTest, AnotherFamilyOrEstablishmentIs403) {
    auto request = ApiRig::sell_request(
        "k-1", R"({"family":"health","produto":"Consulta","produtoIdParceiro":"7001","valor":5990})");
    request.principal = "so-tv";
    EXPECT_EQ(api.ask(std::move(request)).status(), 403u);
    auto body = boost::json::parse(ApiRig::tv_body).as_object();
    body["estabelecimento"] = "87654321";
    EXPECT_EQ(api.sold("k-2", boost::json::serialize(body)).code(), "forbidden");
    body["estabelecimento"] = "12345678";
    EXPECT_EQ(api.sold("k-3", boost::json::serialize(body)).status(), 200u);
}

TEST_F(SellTest, WhatCannotBeCancelledCannotBeHeld) {
    api.flow.rules.can_cancel.at(index_of(Family::health)) = false;
    auto body = boost::json::parse(ApiRig::esim_body).as_object();
    body["confirm"] = "manual";
    EXPECT_EQ(api.sold("k-1", boost::json::serialize(body)).pointers(), Pointers{"/confirm"});
    const auto* health =
        R"({"family":"health","produto":"Consulta","produtoIdParceiro":"7001","valor":5990,"confirm":"manual"})";
    EXPECT_EQ(api.sold("k-2", health).pointers(), Pointers{"/confirm"});
}

TEST_F(SellTest, AManualConfirmIsHeld) {
    const auto told = api.held("k-1");
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.text("outcome"), "held");
    EXPECT_EQ(api.flow.books.calls["/venda/tv/confirmar"], 0);
}

TEST_F(SellTest, AWaitThatRunsOutIs202AndTheSaleGoesOn) {
    api.flow.network->then(answered(500, ""), 4s);  // nobody knows what became of it
    auto request = ApiRig::sell_request("k-1");
    request.headers.insert("Prefer", "wait=2");
    const auto before = api.flow.clock->now();
    const auto told = api.ask(std::move(request));
    EXPECT_EQ(told.status(), 202u);
    EXPECT_EQ(api.flow.clock->now() - before, 2s);
    EXPECT_EQ(told.header("Preference-Applied"), "wait=2");
    EXPECT_EQ(told.header("Location"), "/v1/sales/" + told.text("id"));
    api.flow.clock->advance(10s);
    EXPECT_EQ(api.get(told.header("Location")).text("status"), "CANCELADA");
}

TEST_F(SellTest, AnEsimIsAnsweredAsSoonAsOnlyItsCallbackIsMissing) {
    const auto before = api.flow.clock->now();
    const auto told = api.sold("k-1", ApiRig::esim_body);
    EXPECT_EQ(told.status(), 202u);
    EXPECT_EQ(told.header("Retry-After"), "5");
    EXPECT_EQ(api.flow.clock->now(), before);
}

TEST_F(SellTest, TooManyASecondAre429AndAKnownKeyIsAnsweredAllTheSame) {
    api.sell_options.per_terminal_rate = 2;
    api.build();
    api.sold("k-1");
    api.sold("k-2");
    const auto refused = api.sold("k-3");
    EXPECT_EQ(refused.status(), 429u);
    EXPECT_EQ(refused.code(), "rate_limited");
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(api.sold("k-1").header("Idempotency-Replayed"), "true");
    auto other = ApiRig::sell_request("k-9");
    other.principal = "caixa-02";
    EXPECT_EQ(api.ask(std::move(other)).status(), 200u) << "one terminal does not slow another down";
    api.flow.clock->advance(1s);
    EXPECT_EQ(api.sold("k-3").status(), 200u);
}

TEST_F(SellTest, OnlyNewSalesCountAgainstTheRate) {
    api.sell_options.per_terminal_rate = 2;
    api.build();
    api.sold("k-1");
    api.cancel_key("k-2");
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(api.sold("k-1").header("Idempotency-Replayed"), "true");
        EXPECT_EQ(api.sold("k-1", ApiRig::held_body).code(), "idempotency_key_reused");
        EXPECT_EQ(api.sold("k-2").code(), "sale_final");
    }
    EXPECT_EQ(api.sold("k-3").status(), 200u);
    EXPECT_EQ(api.sold("k-4").code(), "rate_limited");
}

TEST_F(SellTest, StoppingRefusesNewSalesAndAnswersKnownOnes) {
    api.sold("k-1");
    api.flow.seller->stop_taking();
    const auto refused = api.sold("k-2");
    EXPECT_EQ(refused.status(), 503u);
    EXPECT_EQ(refused.code(), "shutting_down");
    EXPECT_FALSE(refused.header("Retry-After").empty());
    EXPECT_EQ(api.sold("k-1").status(), 200u);
}

class PricedSellTest : public SellTest {
  protected:
    PricedSellTest() {
        api.flow.network->otherwise = [this](const http::ClientRequest& request) {
            if (request.post) return api.flow.books.answer(request);
            ++asked;
            return up ? answered(200, R"({"produtoIdParceiro":"7001","valorProdutoParceiro":"59,90"})") : lost();
        };
    }
    static std::string body(const std::string& valor) {
        return R"({"family":"health","produto":"Consulta","produtoIdParceiro":"7001","valor":)" + valor + "}";
    }
    bool up = true;
    int asked = 0;  // counts the questions about the price
};

TEST_F(PricedSellTest, OutOfBoundsIs422BeforeAnythingIsSent) {
    const auto told = api.sold("k-1", body("5000"));
    EXPECT_EQ(told.status(), 422u);
    EXPECT_EQ(told.pointers(), Pointers{"/valor"});
    EXPECT_TRUE(api.flow.books.calls.empty());
    EXPECT_EQ(api.sold("k-1", body("5990")).status(), 200u) << "a key that led to nothing is free";
}

TEST_F(PricedSellTest, BoundsOfBeforeRefuseNothingWhileTheProviderCannotBeAsked) {
    api.sold("k-1", body("5990"));
    EXPECT_EQ(api.sold("k-2", body("6990")).status(), 422u) << "as long as they are fresh";
    api.flow.clock->advance(10min);
    up = false;
    EXPECT_EQ(api.sold("k-3", body("6990")).text("outcome"), "sold");
}

TEST_F(PricedSellTest, AKnownKeyIsAnsweredBeforeTheProviderIsAskedForBounds) {
    const auto first = api.sold("k-1", body("5990"));
    api.cancel_key("k-2");
    api.flow.clock->advance(10min);
    EXPECT_EQ(api.sold("k-1", body("5990")).text("id"), first.text("id"));
    EXPECT_EQ(api.sold("k-1", body("6990")).code(), "idempotency_key_reused");
    EXPECT_EQ(api.sold("k-2", body("5990")).code(), "sale_final");
    EXPECT_EQ(asked, 1) << "for the first sale alone";
}

TEST_F(PricedSellTest, AKnownKeyDoesNotCountAgainstTheRateWhateverTheBounds) {
    api.sell_options.per_terminal_rate = 2;
    api.build();
    api.sold("k-1", body("5990"));
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(api.sold("k-1", body("6990")).code(), "idempotency_key_reused");
    EXPECT_EQ(api.sold("k-2", body("5990")).status(), 200u);
}

TEST_F(SellTest, BoundsThatCannotBeAskedForInHalfTheWaitAreTheProvidersToJudge) {
    api.flow.network->then(answered(200, "{}"), 20s);
    auto request = ApiRig::sell_request(
        "k-1", R"({"family":"health","produto":"Consulta","produtoIdParceiro":"7001","valor":5990})");
    request.headers.insert("Prefer", "wait=10");
    const auto before = api.flow.clock->now();
    EXPECT_EQ(api.ask(std::move(request)).text("outcome"), "sold");
    EXPECT_EQ(api.flow.clock->now() - before, 5s);
}

TEST_F(SellTest, ATerminalThatWasTakenAwayIs401) {
    api.terminals.reload({});
    const auto told = api.sold("k-1");
    EXPECT_EQ(told.status(), 401u);
    EXPECT_EQ(told.header("WWW-Authenticate"), "Bearer");
}

}  // namespace
}  // namespace gateway::test
