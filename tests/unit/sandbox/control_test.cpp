#include "sandbox/control.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

Answer ask(Caller& caller, const std::string& method, const std::string& target, const std::string& body = "") {
    return control(caller.model, {method, target, {}, body}, caller.now).value_or(Answer{.status = 0});
}

json::object document(Caller& caller, const std::string& target) {
    const auto answer = ask(caller, "GET", target);
    EXPECT_EQ(answer.status, 200) << target;
    return parse_object(answer.body);
}

TEST(Control, LeavesTheProvidersAddressesAlone) {
    Caller caller;
    EXPECT_EQ(ask(caller, "POST", "/venda/tv/solicitar").status, 0);
    EXPECT_EQ(ask(caller, "GET", "/sandboxes").status, 0);
    EXPECT_EQ(ask(caller, "GET", "*").status, 0);
}

TEST(Control, AnUnknownAddressOrMethodIsSaidToBe) {
    Caller caller;
    EXPECT_EQ(ask(caller, "GET", "/sandbox").status, 404);
    EXPECT_EQ(ask(caller, "GET", "/sandbox/nothing").status, 404);
    EXPECT_EQ(ask(caller, "PATCH", "/sandbox/faults").status, 405);
}

TEST(Control, FaultsArePutShownAndDeleted) {
    Caller caller;
    const std::string rules = R"([{"step":"solicitar","behaviour":"error","times":1}])";
    EXPECT_EQ(ask(caller, "PUT", "/sandbox/faults", rules).status, 200);
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 500);
    const auto shown = json::parse(ask(caller, "GET", "/sandbox/faults").body).as_array();
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown.at(0).at("hits").as_int64(), 1);
    EXPECT_EQ(ask(caller, "PUT", "/sandbox/faults", "[{}]").status, 400);
    EXPECT_EQ(json::parse(ask(caller, "GET", "/sandbox/faults").body).as_array().size(), 1U);
    EXPECT_EQ(json::parse(ask(caller, "DELETE", "/sandbox/faults").body).as_array().size(), 0U);
}

TEST(Control, ARulesShownDocumentCanBePutAgain) {
    Caller caller;
    ask(caller, "PUT", "/sandbox/faults", R"([{"step":"solicitar","behaviour":"error"}])");
    const auto again = ask(caller, "PUT", "/sandbox/faults", ask(caller, "GET", "/sandbox/faults").body);
    EXPECT_EQ(again.status, 200) << again.body;
}

TEST(Control, TheBooksShowASaleAndItsHistory) {
    Caller caller;
    caller.ask(Family::health, "A", 2);
    const auto sale = document(caller, "/sandbox/transactions").at("transactions").as_array().at(0).as_object();
    EXPECT_EQ(sale.at("idExterno").as_string(), "A");
    EXPECT_EQ(sale.at("status").as_string(), "AUTORIZADA");
    EXPECT_EQ(sale.at("family").as_string(), "health");
    EXPECT_EQ(sale.at("valor").as_int64(), 6002);
    EXPECT_EQ(std::string(sale.at("goods").as_string()), caller.entry("A").goods);
    const auto& seen = sale.at("history").as_array().at(0).as_object();
    EXPECT_EQ(seen.at("step").as_string(), "solicitar");
    EXPECT_EQ(seen.at("behaviour").as_string(), "lose_answer");
    EXPECT_TRUE(seen.at("processed").as_bool());
    EXPECT_TRUE(seen.at("answered").is_null());
    EXPECT_EQ(seen.at("at").as_string(), "2024-05-02T13:00:00.000Z");
}

TEST(Control, TheBooksCanBeAskedForSomeSalesOnly) {
    Caller caller;
    caller.ask(Family::tv, "A");
    caller.ask(Family::egift, "B");
    caller.confirm("B");
    caller.cancel("C");
    const auto count = [&](const std::string& query) {
        return document(caller, "/sandbox/transactions" + query).at("transactions").as_array().size();
    };
    EXPECT_EQ(count(""), 3U);
    EXPECT_EQ(count("?idExterno=A"), 1U);
    EXPECT_EQ(count("?idExterno=none"), 0U);
    EXPECT_EQ(count("?status=EFETIVADA"), 1U);
    EXPECT_EQ(count("?family=tv"), 1U);
    EXPECT_EQ(count("?status=AUTORIZADA&family=egift"), 0U);
    EXPECT_EQ(ask(caller, "GET", "/sandbox/transactions?status=sold").status, 400);
    EXPECT_EQ(ask(caller, "GET", "/sandbox/transactions?family=radio").status, 400);
    const auto bare =
        document(caller, "/sandbox/transactions?idExterno=C&history=no").at("transactions").at(0).as_object();
    EXPECT_TRUE(bare.at("status").is_null());
    EXPECT_FALSE(bare.contains("history") || bare.contains("valor"));
}

TEST(Control, TheQuerysPercentSignsAreDecoded) {
    Caller caller;
    caller.cancel("a b/c");
    EXPECT_EQ(document(caller, "/sandbox/transactions?idExterno=a%20b%2Fc").at("transactions").as_array().size(), 1U);
}

TEST(Control, RequestsAndDeparturesAreCounted) {
    Caller caller;
    caller.ask(Family::tv, "A");
    caller.ask(Family::tv, "A");
    const auto shown = document(caller, "/sandbox/requests");
    EXPECT_EQ(shown.at("requests").at("tv").at("solicitar").at("seen").as_int64(), 2);
    EXPECT_EQ(shown.at("requests").at("tv").at("solicitar").at("processed").as_int64(), 1);
    EXPECT_EQ(shown.at("token").at("issued").as_int64(), 1);
    EXPECT_EQ(shown.at("departures").at("count").as_int64(), 1);
    const auto& departure = shown.at("departures").at("latest").at(0);
    EXPECT_EQ(departure.at("idExterno").as_string(), "A");
    EXPECT_EQ(departure.at("reason").as_string(), "idExterno was used by an earlier request");
}

TEST(Control, HeldRequestsAreShownAndReleased) {
    Caller caller;
    ask(caller, "PUT", "/sandbox/faults", R"([{"step":"solicitar","behaviour":"hold","delay":"1h"}])");
    caller.ask(Family::tv, "A");
    caller.ask(Family::tv, "B");
    EXPECT_EQ(document(caller, "/sandbox/held").at("held").as_array().size(), 2U);
    EXPECT_EQ(parse_object(ask(caller, "POST", "/sandbox/held/release?idExterno=B").body).at("released").as_int64(), 1);
    EXPECT_EQ(caller.status("B"), Status::autorizada);
    EXPECT_EQ(parse_object(ask(caller, "POST", "/sandbox/held/release").body).at("released").as_int64(), 1);
    EXPECT_EQ(document(caller, "/sandbox/held").at("held").as_array().size(), 0U);
}

TEST(Control, PendingCallbacksAreShown) {
    Caller caller;
    caller.ask(Family::esim, "A");
    const auto shown = document(caller, "/sandbox/callbacks").at("callbacks").as_array();
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown.at(0).at("due").as_string(), "2024-05-02T13:00:01.000Z");
    EXPECT_EQ(shown.at(0).at("status").as_string(), "EFETIVADA");
}

TEST(Control, TokensExpireAndBooksAreReset) {
    Caller caller;
    caller.ask(Family::tv, "A");
    EXPECT_EQ(ask(caller, "POST", "/sandbox/tokens/expire").status, 200);
    EXPECT_EQ(caller.ask(Family::tv, "B").status, 401);
    EXPECT_EQ(ask(caller, "POST", "/sandbox/reset").status, 200);
    EXPECT_TRUE(caller.model.books().all().empty());
}

TEST(Control, TheCatalogueAndTheOutcomesCanBeRead) {
    Caller caller;
    EXPECT_TRUE(document(caller, "/sandbox/catalogue").contains("transit"));
    const auto page = ask(caller, "GET", "/sandbox/outcomes");
    EXPECT_EQ(find_header(page.headers, "Content-Type"), "text/plain");
    EXPECT_NE(page.body.find("EFETIVADA"), std::string::npos);
}

TEST(Control, AStatementIsAFileOrAList) {
    Caller caller;
    caller.ask(Family::tv, "A");
    caller.ask(Family::egift, "B");
    caller.confirm("B");
    const auto file = ask(caller, "GET", "/sandbox/statement?day=2024-05-02&missing=1&money=comma");
    EXPECT_EQ(file.status, 200);
    EXPECT_EQ(find_header(file.headers, "Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(file.body, "0;4711;Rede de Demonstração;;02052024;02052024;1;50,00;2,00;48,00;\n1;B;" +
                             caller.entry("B").idTransacao + ";" + caller.entry("B").nsu +
                             ";12345678;50,00;EFETIVADA;2024-05-02T10:00:00.000-03:00;\n");
    const auto list = ask(caller, "GET", "/sandbox/list?day=02052024");
    EXPECT_EQ(find_header(list.headers, "Content-Type"), "application/json");
    EXPECT_EQ(json::parse(list.body).as_array().size(), 2U);
    EXPECT_EQ(json::parse(ask(caller, "GET", "/sandbox/list?day=2024-05-01").body).as_array().size(), 0U);
}

TEST(Control, WhatIsWrongWithAStatementsParametersIsSaid) {
    Caller caller;
    for (const auto* query : {"lost=1", "missing=1", "day=today"}) {
        const auto answer = ask(caller, "GET", std::string("/sandbox/statement?") + query);
        EXPECT_EQ(answer.status, 400) << query;
        EXPECT_FALSE(reason_of(answer).empty());
    }
}

}  // namespace
}  // namespace gateway::sandbox
