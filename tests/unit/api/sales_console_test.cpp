// Tests the same calls for a person who has signed in at the console. The person sees as much of a sale as an operator
// does, and nothing of its goods and its customer.
#include "unit/api/rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using http::verb;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SalesConsoleTest : public ApiTest {
  protected:
    Told get(const std::string& target) { return api.console(verb::get, target); }
    Told history(const std::string& id) { return get("/v1/sales/" + id + "/events"); }
    Told resolve(const std::string& id, std::string body) {
        return api.console(verb::post, "/v1/sales/" + id + "/resolve", std::move(body));
    }
    Told view_receipt(const std::string& id, std::string body = {}) {
        return api.console(verb::post, "/v1/sales/" + id + "/receipt-view", std::move(body));
    }
    // Makes an eSIM sale whose callback never came, so that a person has to look.
    std::string for_a_person() {
        const auto id = api.sold("esim-1", ApiRig::esim_body).text("id");
        api.flow.clock->advance(api.flow.rules.attention_after + 1s);
        return id;
    }
    std::vector<std::string> found(const std::string& query) {
        std::vector<std::string> ids;
        const auto body = get("/v1/sales" + query).json();
        for (const auto& sale : body.at("sales").as_array())
            ids.emplace_back(sale.at("id").as_string());
        return ids;
    }
    using Ids = std::vector<std::string>;

    static void tells_nothing_of_goods_or_customer(const Told& told) {
        for (const auto* secret : {"pin", "\"77\"", "52998224725", "529.982", "correio.example", "987654321", "cnpjCpf",
                                   "instrucao", "complemento", "\"receipt\"", "\"esim\":", "01310100"})
            EXPECT_THAT(told.response.body, Not(HasSubstr(secret)));
    }
};

TEST_F(SalesConsoleTest, ASaleIsShownWithoutItsGoods) {
    const auto id = api.sold("k-1").text("id");
    for (const auto* path : {"", "/events"}) {
        const auto told = get("/v1/sales/" + id + path);
        EXPECT_EQ(told.status(), 200u) << path;
        tells_nothing_of_goods_or_customer(told);
    }
    const auto listed = get("/v1/sales");
    tells_nothing_of_goods_or_customer(listed);
    const auto one = get("/v1/sales/" + id).json();
    EXPECT_EQ(one.at("delivered"), true);
    EXPECT_EQ(one.at("attempts").as_array().size(), 1u);
    EXPECT_EQ(listed.json().at("sales").at(0).at("delivered"), true);
    const auto operators = api.operators(verb::get, "/v1/sales/" + id).json();
    for (const auto* name :
         {"id", "outcome", "status", "final", "settled", "attention", "family", "terminal", "estabelecimento",
          "produto", "fornecedor", "valor", "idExterno", "idTransacao", "dataHora", "createdAt", "updatedAt", "reason"})
        EXPECT_EQ(one.at(name), operators.at(name)) << name;
}

TEST_F(SalesConsoleTest, WhatIsNotSoldIsNotDelivered) {
    EXPECT_EQ(get("/v1/sales/" + api.held("k-1").text("id")).json().at("delivered"), false);
    const auto esim = for_a_person();
    const auto told = get("/v1/sales/" + esim);
    EXPECT_EQ(told.json().at("delivered"), false);
    EXPECT_EQ(told.text("mark"), "no_callback") << "a person is told it as an operator is";
    tells_nothing_of_goods_or_customer(told);
}

TEST_F(SalesConsoleTest, ARefusalIsToldInTheProvidersWordsWithoutTheCustomersNumbers) {
    api.flow.network->then(
        answered(200, R"({"venda":{"transacao":{"status":"NEGADA","mensagem":"CPF 529.982.247-25 bloqueado"}}})"));
    const auto id = api.sold("k-1").json().at("sale").at("id").as_string();
    const auto told = get("/v1/sales/" + std::string(id));
    const auto reason = told.json().at("reason").as_object();
    EXPECT_EQ(reason.at("code"), "refused");
    EXPECT_THAT(std::string(reason.at("said").as_string()), HasSubstr("bloqueado"));
    EXPECT_FALSE(reason.contains("providerBody"));
    EXPECT_THAT(told.response.body, Not(HasSubstr("529.982")));
}

TEST_F(SalesConsoleTest, TheHistoryHasNoBodiesOfCallbacks) {
    const auto id = for_a_person();
    const auto sale = *SaleId::parse(id);
    ASSERT_TRUE(api.flow.clock->run(api.flow.journal->keep_callback(sale, "sale", true, Secret(R"({"pin":"x"})"))));
    EXPECT_FALSE(api.operators(verb::get, "/v1/sales/" + id + "/events").json().at("callbacks").as_array().empty());
    const auto told = history(id);
    EXPECT_EQ(told.status(), 200u);
    tells_nothing_of_goods_or_customer(told);
}

TEST_F(SalesConsoleTest, AProblemComesWithoutTheSaleThatItIsAbout) {
    const auto sold = api.sold("k-1").text("id");
    const auto held = api.held("k-2").text("id");
    for (const auto& told : {resolve(sold, R"({"status":"CANCELADA","note":"n"})"),
                             resolve(held, R"({"status":"CANCELADA","note":"n"})"), view_receipt(held)}) {
        EXPECT_GE(told.status(), 400u);
        EXPECT_FALSE(told.json().contains("sale"));
        EXPECT_NE(told.text("detail"), "");
        EXPECT_NE(told.text("requestId"), "");
        tells_nothing_of_goods_or_customer(told);
    }
    EXPECT_EQ(resolve(held, "{}").pointers(), (std::vector<std::string>{"/note", "/status"}))
        << "what is wrong with it stays";
}

TEST_F(SalesConsoleTest, WhoDecidesIsThePersonWhoHasSignedInWhateverTheCallSays) {
    const auto id = for_a_person();
    const auto told = resolve(id, R"({"status":"EFETIVADA","note":"n","by":"maria"})");
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.json().at("delivered"), true);
    tells_nothing_of_goods_or_customer(told);
    const auto events = history(id).json().at("events").as_array();
    EXPECT_EQ(events.back().at("by"), "Ana");
    EXPECT_EQ(history(id).json().at("passages").as_array().back().at("first"), events.size() - 1) << "it is folded";
    EXPECT_FALSE(api.operators(verb::get, "/v1/sales/" + id + "/events").json().contains("passages"));
    EXPECT_TRUE(api.flow.log.has("by=Ana"));
    EXPECT_FALSE(api.flow.log.has("maria"));
}

TEST_F(SalesConsoleTest, ADecisionThatIsOnItsWayIsToldWithoutTheSale) {
    api.settle_wait = 0s;
    api.build();
    const auto told = resolve(for_a_person(), R"({"status":"CANCELADA","note":"n"})");
    EXPECT_EQ(told.status(), 202u);
    EXPECT_EQ(told.response.body, R"({"outcome":"pending"})");
}

TEST_F(SalesConsoleTest, AReceiptIsShownAsACopyAndNoted) {
    const auto id = api.sold("k-1").text("id");
    const auto told = view_receipt(id);
    ASSERT_EQ(told.status(), 200u);
    const auto lines = told.json().at("lines").as_array();
    EXPECT_EQ(lines.at(0), "2ª VIA");
    EXPECT_THAT(told.response.body, HasSubstr("R$ 25,00"));
    const auto events = history(id).json().at("events").as_array();
    EXPECT_EQ(events.back().at("event"), "receipt_shown");
    EXPECT_EQ(events.back().at("by"), "Ana");
    tells_nothing_of_goods_or_customer(history(id));
}

TEST_F(SalesConsoleTest, AReceiptThatWasShownIsNoPrint) {
    const auto id = api.sold("k-1").text("id");
    view_receipt(id);
    view_receipt(id);
    const auto printed = api.get("/v1/sales/" + id + "/receipt").response.body;
    EXPECT_EQ(printed.find("VIA"), std::string::npos) << "the first that is printed is the original";
    EXPECT_EQ(api.get("/v1/sales/" + id + "/receipt").response.body, "2ª VIA\n" + printed);
}

TEST_F(SalesConsoleTest, AReceiptIsShownOnlyWhereThereIsOneAndNothingElseWasAskedFor) {
    const auto held = api.held("k-1").text("id");
    EXPECT_EQ(view_receipt(held).code(), "not_found");
    EXPECT_EQ(view_receipt("x").status(), 404u);
    const auto sold = api.sold("k-2").text("id");
    EXPECT_EQ(view_receipt(sold, R"({"copies":2})").code(), "bad_request");
    EXPECT_EQ(view_receipt(sold, "{}").status(), 200u);
    EXPECT_THAT(boost::json::serialize(history(held).json()), Not(HasSubstr("receipt_shown")));
    EXPECT_EQ(get("/v1/sales/" + sold + "/receipt").status(), 404u) << "and nowhere without being noted";
    EXPECT_EQ(api.operators(verb::post, "/v1/sales/" + sold + "/receipt-view").status(), 404u);
}

TEST_F(SalesConsoleTest, ASaleIsFoundByWhatAPersonKnowsOfIt) {
    const auto tv = api.sold("k-1").text("id");
    api.flow.clock->advance(1s);
    const auto esim = api.sold("k-2", ApiRig::esim_body).text("id");
    const auto id_transacao = get("/v1/sales/" + tv).text("idTransacao");
    EXPECT_EQ(found("?idTransacao=" + id_transacao), Ids{tv});
    EXPECT_EQ(found("?idTransacao=" + id_transacao.substr(1)), Ids{});
    EXPECT_EQ(found("?family=esim"), Ids{esim});
    EXPECT_EQ(found("?valor=2500"), Ids{tv});
    EXPECT_EQ(found("?valor=2501"), Ids{});
    EXPECT_EQ(found("?terminal=caixa-01&estabelecimento=12345678"), (Ids{esim, tv}));
    EXPECT_EQ(found("?terminal=caixa-02"), Ids{});
    EXPECT_EQ(found("?cashier=Rita"), Ids{});
    EXPECT_EQ(found("?key=k-1"), Ids{tv});
}

TEST_F(SalesConsoleTest, ASaleIsFoundByTheNsuOnItsReceipt) {
    const auto venda = [](const http::ClientRequest& request) {
        const auto body = boost::json::parse(request.body.reveal()).as_object();
        return std::string(body.at("idExterno").as_string());
    };
    const auto otherwise = api.flow.network->otherwise;
    api.flow.network->otherwise = [&](const http::ClientRequest& request) {
        auto reply = otherwise(request);
        if (!request.target.ends_with("/solicitar") || venda(request).empty()) return reply;
        const std::string goods = R"({\"pin\":\"77\"})";
        const auto at = reply.body.find(goods);
        if (at != std::string::npos) reply.body.replace(at, goods.size(), R"({\"nsuFornecedor\":\"000123\"})");
        return reply;
    };
    const auto id = api.sold("k-1").text("id");
    api.flow.network->otherwise = otherwise;
    api.sold("k-2");
    EXPECT_EQ(found("?nsu=000123"), Ids{id});
    EXPECT_EQ(found("?nsu=123"), Ids{});
    EXPECT_THAT(get("/v1/sales?nsu=000123").response.body, Not(HasSubstr("nsuFornecedor")));
}

}  // namespace
}  // namespace gateway::test
