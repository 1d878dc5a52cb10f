#include "api/sales.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class SalesTest : public ApiTest {
  protected:
    // Makes an eSIM sale whose callback never came, so that a person has to look.
    std::string for_a_person() {
        const auto id = api.sold("esim-1", ApiRig::esim_body).text("id");
        api.flow.clock->advance(api.flow.rules.attention_after + 1s);
        EXPECT_EQ(api.get("/v1/sales/" + id).json().at("attention"), true);
        return id;
    }
    Told resolve(const std::string& id, std::string body) {
        return api.operators(http::verb::post, "/v1/sales/" + id + "/resolve", std::move(body));
    }
    Told confirm(const std::string& id, const char* prefer = nullptr) {
        auto request = ApiRig::request(http::verb::post, "/v1/sales/" + id + "/confirm");
        if (prefer != nullptr) request.headers.insert("Prefer", prefer);
        return api.ask(std::move(request));
    }
    Told as(std::string principal, http::verb method, const std::string& target) {
        auto request = ApiRig::request(method, target);
        request.principal = std::move(principal);
        return api.ask(std::move(request));
    }
};

TEST_F(SalesTest, TheLogNamesTheCallThatMovedTheSaleInAllThatFollows) {
    const auto id = api.held("k-1").text("id");
    auto request = ApiRig::request(http::verb::post, "/v1/sales/" + id + "/confirm");
    request.request_id = "the-confirm";
    api.flow.log.lines.clear();
    api.ask(std::move(request));
    EXPECT_TRUE(api.flow.log.has("step=confirm_asked"));
    EXPECT_TRUE(api.flow.log.has("sale.closed"));
    EXPECT_EQ(api.flow.log.count("request=the-confirm"), api.flow.log.lines.size());
    // A command that changes nothing has no effect.
    auto late = ApiRig::request(http::verb::post, "/v1/sales/" + id + "/cancel");
    late.request_id = "too-late";
    api.ask(std::move(late));
    EXPECT_FALSE(api.flow.log.has("too-late"));
}

TEST_F(SalesTest, ASaleIsFoundWithItsAttempts) {
    const auto sold = api.sold("k-1");
    const auto told = api.get("/v1/sales/" + sold.text("id"));
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.json().at("attempts").as_array().size(), 1u);
    EXPECT_FALSE(sold.json().contains("attempts"));
}

TEST_F(SalesTest, WhatIsNoSaleIs404) {
    for (const auto* id : {"x", "01JD3W4Q8Y7RZK5T9V2XB6M0NA", "01jd3w4q8y7rzk5t9v2xb6m0na"})
        EXPECT_EQ(api.get("/v1/sales/" + std::string(id)).code(), "not_found") << id;
}

TEST_F(SalesTest, AnotherEstablishmentsSaleIsNobodys) {
    const auto id = api.held("k-1").text("id");
    EXPECT_EQ(as("loja-b", http::verb::get, "/v1/sales/" + id).status(), 404u);
    EXPECT_EQ(as("loja-b", http::verb::get, "/v1/sales/" + id + "/receipt").status(), 404u);
    EXPECT_EQ(as("loja-b", http::verb::post, "/v1/sales/" + id + "/confirm").status(), 404u);
    EXPECT_EQ(as("loja-b", http::verb::post, "/v1/sales/" + id + "/cancel").status(), 404u);
    EXPECT_TRUE(as("loja-b", http::verb::get, "/v1/sales").json().at("sales").as_array().empty());
    EXPECT_EQ(as("caixa-02", http::verb::get, "/v1/sales/" + id).text("outcome"), "held") << "the same establishment's";
    EXPECT_EQ(api.operators(http::verb::get, "/v1/sales/" + id).status(), 200u);
}

TEST_F(SalesTest, ATerminalSeesItsFamiliesOnlyAndWhateverItSoldItself) {
    const auto esim = api.sold("k-1", ApiRig::esim_body).text("id");
    const auto tv = api.sold("k-2").text("id");
    const auto listed = [&](const char* who) {
        std::vector<std::string> ids;
        const auto body = as(who, http::verb::get, "/v1/sales").json();
        for (const auto& sale : body.at("sales").as_array())
            ids.emplace_back(sale.at("id").as_string());
        return ids;
    };
    for (const auto* path : {"", "/receipt"})
        EXPECT_EQ(as("so-tv", http::verb::get, "/v1/sales/" + esim + path).status(), 404u) << path;
    EXPECT_EQ(as("so-tv", http::verb::post, "/v1/sales/" + esim + "/cancel").status(), 404u);
    EXPECT_EQ(as("so-tv", http::verb::get, "/v1/sales/" + tv).status(), 200u);
    EXPECT_EQ(listed("so-tv"), (std::vector<std::string>{tv}));
    EXPECT_EQ(listed("caixa-02"), (std::vector<std::string>{tv, esim}));
    api.terminals.reload({terminal("caixa-01", "12345678", {Family::egift})});
    EXPECT_EQ(listed("caixa-01"), (std::vector<std::string>{tv, esim}));
    EXPECT_EQ(as("caixa-01", http::verb::get, "/v1/sales/" + esim).status(), 200u);
}

TEST_F(SalesTest, AGetWithAWaitAnswersWhenTheSaleIsFinal) {
    const auto id = api.held("k-1").text("id");
    auto request = ApiRig::request(http::verb::get, "/v1/sales/" + id);
    request.headers.insert("Prefer", "wait=7");
    const auto before = api.flow.clock->now();
    const auto told = api.ask(std::move(request));
    EXPECT_EQ(told.text("outcome"), "held");
    EXPECT_EQ(told.header("Preference-Applied"), "wait=7");
    EXPECT_EQ(api.flow.clock->now() - before, 7s);
}

TEST_F(SalesTest, PagesAreWholeAndNewestFirst) {
    std::vector<std::string> ids;
    for (int i = 0; i < 5; ++i) {
        ids.insert(ids.begin(), api.sold("k-" + std::to_string(i)).text("id"));
        api.flow.clock->advance(1s);
    }
    std::vector<std::string> listed;
    std::string target = "/v1/sales?limit=2";
    for (int page = 0; page < 3; ++page) {
        const auto body = api.get(target).json();
        for (const auto& sale : body.at("sales").as_array())
            listed.emplace_back(sale.at("id").as_string());
        EXPECT_EQ(body.at("next").is_null(), page == 2);
        if (page < 2) target = "/v1/sales?limit=2&cursor=" + std::string(body.at("next").as_string());
    }
    EXPECT_EQ(listed, ids);
}

TEST_F(SalesTest, APageThatIsJustFullIsTheLast) {
    api.sold("k-1");
    api.sold("k-2");
    EXPECT_TRUE(api.get("/v1/sales?limit=2").json().at("next").is_null());
}

TEST_F(SalesTest, AKeyInAListIsTheCallersOwn) {
    api.sold("k-1");
    EXPECT_EQ(api.get("/v1/sales?key=k-1").json().at("sales").as_array().size(), 1u);
    EXPECT_TRUE(as("caixa-02", http::verb::get, "/v1/sales?key=k-1").json().at("sales").as_array().empty());
}

TEST_F(SalesTest, ASecondReceiptSaysThatItIsOne) {
    const auto target = "/v1/sales/" + api.sold("k-1").text("id") + "/receipt";
    const auto first = api.get(target);
    EXPECT_EQ(first.status(), 200u);
    EXPECT_EQ(first.response.content_type, "text/plain; charset=utf-8");
    EXPECT_EQ(first.response.body.find("VIA"), std::string::npos);
    EXPECT_EQ(api.get(target).response.body, "2ª VIA\n" + first.response.body);
}

TEST_F(SalesTest, WhatIsNotSoldHasNoReceipt) {
    const auto held = api.held("k-1").text("id");
    EXPECT_EQ(api.get("/v1/sales/" + held + "/receipt").status(), 404u);
}

TEST_F(SalesTest, AConfirmSellsWhatIsHeldOnce) {
    const auto id = api.held("k-1").text("id");
    for (int i = 0; i < 2; ++i) {
        const auto told = api.post("/v1/sales/" + id + "/confirm");
        EXPECT_EQ(told.status(), 200u);
        EXPECT_EQ(told.text("outcome"), "sold");
    }
    EXPECT_EQ(api.flow.books.calls["/venda/tv/confirmar"], 1);
}

TEST_F(SalesTest, AConfirmOfWhatIsHeldWaitsForTheOutcomeAndSoDoesARepeat) {
    const auto id = api.held("k-1").text("id");
    api.flow.network->then(answered(500, ""), 4s);  // nobody knows what became of it, so the confirm is sent again
    EXPECT_EQ(confirm(id, "wait=1").status(), 202u);
    const auto told = confirm(id);
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.text("outcome"), "sold");
}

TEST_F(SalesTest, AConfirmOfWhatIsNotHeldAnswersAtOnceWithTheSaleAsItStands) {
    const auto esim = api.sold("k-1", ApiRig::esim_body).text("id");
    std::vector<std::string> ids{esim};
    for (const auto* body : {ApiRig::tv_body, ApiRig::held_body}) {
        api.flow.network->then(answered(500, ""), 9s);
        auto request = ApiRig::sell_request("k-" + std::to_string(ids.size() + 1), body);
        request.headers.insert("Prefer", "wait=1");
        ids.push_back(api.ask(std::move(request)).text("id"));
    }
    const auto before = api.flow.clock->now();
    for (const auto& id : ids) {
        const auto told = confirm(id);
        EXPECT_EQ(told.status(), 202u);
        EXPECT_EQ(told.text("outcome"), "pending");
        EXPECT_EQ(told.header("Location"), "/v1/sales/" + id);
    }
    EXPECT_EQ(api.flow.clock->now(), before);
    EXPECT_EQ(confirm(esim, "wait=3").header("Preference-Applied"), "wait=3");
    EXPECT_EQ(api.flow.clock->now() - before, 3s) << "a caller that asks for a wait gets it";
}

TEST_F(SalesTest, ACancelUndoesWhatIsHeldOnce) {
    const auto id = api.held("k-1").text("id");
    for (int i = 0; i < 2; ++i) {
        const auto told = api.post("/v1/sales/" + id + "/cancel");
        EXPECT_EQ(told.status(), 200u);
        EXPECT_EQ(told.text("outcome"), "not_sold");
        api.flow.clock->settle();
    }
    EXPECT_EQ(api.flow.books.calls["/venda/tv/cancelar"], 1);
    EXPECT_EQ(api.flow.books.status.begin()->second, "CANCELADA");
}

TEST_F(SalesTest, TheOppositeOfAFinalStatusIs409WithTheSale) {
    const auto sold = api.sold("k-1").text("id");
    const auto cancelled = api.held("k-2").text("id");
    api.post("/v1/sales/" + cancelled + "/cancel");
    for (const auto& [target, outcome] : {std::pair("/v1/sales/" + sold + "/cancel", "sold"),
                                          std::pair("/v1/sales/" + cancelled + "/confirm", "not_sold")}) {
        const auto told = api.post(target);
        EXPECT_EQ(told.status(), 409u);
        EXPECT_EQ(told.code(), "sale_final");
        EXPECT_EQ(told.text("outcome"), outcome);
    }
}

TEST_F(SalesTest, ConfirmAndCancelTakeNoFields) {
    const auto id = api.held("k-1").text("id");
    for (const auto* call : {"/confirm", "/cancel"})
        EXPECT_EQ(api.post("/v1/sales/" + id + call, R"({"force":true})").code(), "bad_request");
    EXPECT_EQ(api.get("/v1/sales/" + id).text("outcome"), "held");
}

TEST_F(SalesTest, ConfirmAndCancelTakeAnEmptyObjectForNoBody) {
    EXPECT_EQ(api.post("/v1/sales/" + api.held("k-1").text("id") + "/confirm", "{}").text("outcome"), "sold");
    EXPECT_EQ(api.post("/v1/sales/" + api.held("k-2").text("id") + "/cancel", "{}").text("outcome"), "not_sold");
    api.held("k-3");
    auto by_key = ApiRig::request(http::verb::post, "/v1/cancel", "{}");
    by_key.headers.insert("Idempotency-Key", "k-3");
    EXPECT_EQ(api.ask(std::move(by_key)).text("outcome"), "not_sold");
}

TEST_F(SalesTest, AnEsimHasNoCancel) {
    const auto id = api.sold("k-1", ApiRig::esim_body).text("id");
    for (const auto& told : {api.post("/v1/sales/" + id + "/cancel"), api.cancel_key("k-1")}) {
        EXPECT_EQ(told.status(), 409u);
        EXPECT_EQ(told.code(), "not_cancellable");
        EXPECT_EQ(told.text("outcome"), "pending");
    }
}

TEST_F(SalesTest, AKeyNeverSeenIsCancelledBeforehand) {
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(api.cancel_key("k-1").response.body, R"({"outcome":"not_sold"})");
    const auto late = api.sold("k-1");
    EXPECT_EQ(late.status(), 409u);
    EXPECT_EQ(late.code(), "sale_final");
    EXPECT_EQ(late.text("outcome"), "not_sold");
    EXPECT_TRUE(api.flow.network->seen.empty());
}

TEST_F(SalesTest, ACancelByKeyMeansTheSaleThatHasIt) {
    const auto id = api.held("k-1").text("id");
    EXPECT_EQ(api.cancel_key("k-1").text("id"), id);
    EXPECT_EQ(api.get("/v1/sales/" + id).text("status"), "CANCELADA");
    EXPECT_EQ(api.post("/v1/cancel").code(), "missing_idempotency_key");
}

TEST_F(SalesTest, ACommandThatMayHaveBeenRecordedIsToldThatNothingIsKnownYet) {
    using Ending = DoubtfulJournal::Ending;
    for (const std::string call : {"confirm", "cancel", "cancel_key", "cancel_unseen_key"}) {
        const auto id = api.held("k-" + call).text("id");
        const bool by_key = call.ends_with("key");
        auto request =
            ApiRig::request(http::verb::post, by_key ? std::string("/v1/cancel") : "/v1/sales/" + id + "/" + call);
        if (by_key) request.headers.insert("Idempotency-Key", call == "cancel_key" ? "k-" + call : "k-unseen");
        request.headers.insert("Prefer", "wait=1");
        api.flow.doubtful->endings.assign(60, Ending::not_done_and_unknown);
        api.flow.doubtful->endings.front() = Ending::done_but_unknown;
        const auto told = api.ask(std::move(request));
        EXPECT_EQ(told.status(), 503u) << call;
        EXPECT_EQ(told.code(), "journal_unavailable") << call;
        EXPECT_EQ(told.text("outcome"), "pending") << call << ": without one it would say that it did nothing";
        EXPECT_EQ(told.header("Sale-Outcome"), "pending") << call;
        api.flow.doubtful->endings.clear();
        api.flow.clock->advance(10s);
    }
}

TEST_F(SalesTest, APersonDecidesWhatHasAttention) {
    const auto id = for_a_person();
    const auto told = resolve(id, R"({"status":"CANCELADA","note":"The portal says so."})");
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.text("status"), "CANCELADA");
    EXPECT_EQ(told.json().at("reason").at("code"), "operator");
    EXPECT_EQ(told.json().at("attention"), false);
    const auto history = api.operators(http::verb::get, "/v1/sales/" + id + "/events").json();
    EXPECT_NE(boost::json::serialize(history).find("The portal says so."), std::string::npos);
}

TEST_F(SalesTest, AnOperatorNamesASaleByAnyOfItsIdExternos) {
    api.flow.network->then(unsent());  // so that there is a second attempt
    auto request = ApiRig::sell_request("k-1");
    request.headers.insert("Prefer", "wait=60");
    const auto sold = api.ask(std::move(request));
    const auto attempts = api.get("/v1/sales/" + sold.text("id")).json().at("attempts").as_array();
    ASSERT_EQ(attempts.size(), 2u);
    for (const auto& attempt : attempts) {
        const std::string name(attempt.at("idExterno").as_string());
        EXPECT_EQ(api.operators(http::verb::get, "/v1/sales/" + name).text("id"), sold.text("id"));
        EXPECT_EQ(api.operators(http::verb::get, "/v1/sales/" + name + "/events").text("id"), sold.text("id"));
        EXPECT_EQ(resolve(name, R"({"note":"n"})").code(), "sale_final") << "found, and needs nobody";
        EXPECT_EQ(api.get("/v1/sales/" + name).status(), 404u) << "a terminal's are as they were";
    }
    EXPECT_EQ(api.operators(http::verb::get, "/v1/sales/01JD3W4Q8Y7RZK5T9V2XB6M0NA").status(), 404u);
}

TEST_F(SalesTest, AnOperatorIsToldTheMark) {
    const auto id = for_a_person();
    EXPECT_EQ(api.operators(http::verb::get, "/v1/sales/" + id).text("mark"), "no_callback");
    const auto listed = api.operators(http::verb::get, "/v1/sales?attention=true").json().at("sales").as_array();
    EXPECT_EQ(listed.at(0).at("mark"), "no_callback");
    EXPECT_FALSE(api.get("/v1/sales/" + id).json().contains("mark"));
    EXPECT_FALSE(api.get("/v1/sales").json().at("sales").at(0).as_object().contains("mark"));
    EXPECT_FALSE(resolve(id, R"({"status":"CANCELADA","note":"n"})").json().contains("mark")) << "it has none any more";
}

TEST_F(SalesTest, ThePersonWhoDecidedIsKeptAndLogged) {
    const auto id = for_a_person();
    resolve(id, R"({"status":"EFETIVADA","note":"n","by":"maria"})");
    const auto history = api.operators(http::verb::get, "/v1/sales/" + id + "/events").json();
    const auto& last = history.at("events").as_array().back();
    EXPECT_EQ(last.at("by"), "maria");
    EXPECT_EQ(last.at("mark"), "none");
    EXPECT_TRUE(api.flow.log.has("by=maria"));
}

TEST_F(SalesTest, AnEsimThatAPersonDecidesHasItsReceipt) {
    const auto id = for_a_person();
    const auto told = resolve(
        id, R"({"status":"EFETIVADA","note":"n","esim":{"msisdn":"11987654321","url":"https://esim.example/r/1"}})");
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.json().at("esim").at("msisdn"), "11987654321");
    const auto receipt = api.get("/v1/sales/" + id + "/receipt").response.body;
    EXPECT_NE(receipt.find("Número: 11987654321"), std::string::npos) << receipt;
    EXPECT_NE(receipt.find("\nhttps://esim.example/r/1\n"), std::string::npos) << receipt;
    EXPECT_FALSE(api.flow.log.has("11987654321"));
    EXPECT_FALSE(api.flow.log.has("esim.example/r/1"));
}

TEST_F(SalesTest, TheMarkOfAFinalSaleIsClearedByANoteAlone) {
    auto sale = api.flow.kept(*SaleId::parse(api.sold("k-1").text("id")));
    sale.attention = Attention::undeliverable;
    const auto change = decide(api.flow.rules, sale, 0, Elapsed{}, {});
    ASSERT_TRUE(api.flow.clock->run(api.flow.journal->record(sale, change, nullptr, {.event = "elapsed"})).has_value());
    for (const auto* decision : {"EFETIVADA", "CANCELADA"}) {
        const auto told = resolve(sale.id.str(), R"({"note":"n","status":")" + std::string(decision) + R"("})");
        EXPECT_EQ(told.status(), 409u) << decision;
        EXPECT_EQ(told.code(), "sale_final");
        EXPECT_NE(told.text("detail").find("send a note alone, without a status"), std::string::npos);
        EXPECT_EQ(told.json().at("sale").at("attention"), true);
    }
    const auto cleared = resolve(sale.id.str(), R"({"note":"printed again"})");
    EXPECT_EQ(cleared.status(), 200u);
    EXPECT_EQ(cleared.json().at("attention"), false);
    EXPECT_EQ(cleared.text("status"), "EFETIVADA");
}

TEST_F(SalesTest, OnlyWhatHasAttentionIsResolved) {
    const auto held = api.held("k-1").text("id");
    EXPECT_EQ(resolve(held, R"({"status":"CANCELADA","note":"n"})").code(), "no_attention");
    const auto sold = api.sold("k-2").text("id");
    EXPECT_EQ(resolve(sold, R"({"status":"CANCELADA","note":"n"})").code(), "sale_final");
    EXPECT_EQ(resolve("x", R"({"status":"CANCELADA","note":"n"})").status(), 404u);
}

TEST_F(SalesTest, ATerminalThatWasTakenAwayIs401) {
    api.terminals.reload({});
    const auto told = api.get("/v1/sales");
    EXPECT_EQ(told.status(), 401u);
    EXPECT_EQ(told.header("WWW-Authenticate"), "Bearer");
}

TEST_F(SalesTest, AWishThatTheJournalHasNotTakenYetIsPending) {
    api.settle_wait = 0s;  // shorter than the journal takes
    api.build();
    const auto held = api.held("k-1").text("id");
    const auto told = confirm(held);
    EXPECT_EQ(told.status(), 202u) << "anyone who is told that it did nothing gives the money back";
    EXPECT_EQ(told.text("outcome"), "pending");
    EXPECT_EQ(told.header("Location"), "/v1/sales/" + held);
    api.flow.clock->settle();
    EXPECT_EQ(api.get("/v1/sales/" + held).text("status"), "EFETIVADA");
}

TEST_F(SalesTest, AWordOnAFinalSaleThatIsOnItsWayLeavesItsOutcome) {
    api.settle_wait = 0s;
    api.build();
    auto sale = api.flow.kept(*SaleId::parse(api.sold("k-1").text("id")));
    sale.attention = Attention::undeliverable;
    const auto change = decide(api.flow.rules, sale, 0, Elapsed{}, {});
    ASSERT_TRUE(api.flow.clock->run(api.flow.journal->record(sale, change, nullptr, {.event = "elapsed"})).has_value());
    const auto told = resolve(sale.id.str(), R"({"note":"printed again"})");
    EXPECT_EQ(told.status(), 202u);
    EXPECT_EQ(told.text("outcome"), "sold");
}

TEST_F(SalesTest, WhatATerminalSoldStaysItsOwn) {
    const auto held = api.held("k-1").text("id");
    api.terminals.reload({terminal("caixa-01", "87654321", {Family::health})});
    EXPECT_EQ(api.held("k-1").text("id"), held) << "a known key comes before what may be sold now";
    EXPECT_EQ(api.held("k-2").code(), "forbidden");
    EXPECT_EQ(confirm(held).text("status"), "EFETIVADA");
}

TEST_F(SalesTest, AProblemAboutASaleCarriesIt) {
    const auto held = api.held("k-1").text("id");
    const auto none = api.get("/v1/sales/" + held + "/receipt");
    EXPECT_EQ(none.code(), "not_found");
    EXPECT_EQ(none.text("outcome"), "held");
    const auto mistaken = resolve(held, R"({"status":"CANCELADA","note":"n"})");
    EXPECT_EQ(mistaken.code(), "no_attention");
    EXPECT_EQ(mistaken.json().at("sale").at("id").as_string(), held);
}

}  // namespace
}  // namespace gateway::test
