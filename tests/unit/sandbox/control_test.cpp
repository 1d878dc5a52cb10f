#include "sandbox/control.hpp"

#include "unit/sandbox/desk.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

Answer ask(Desk& desk, const std::string& method, const std::string& target, const std::string& body = "") {
    return control(desk.model, {method, target, {}, body}, desk.now).value_or(Answer{.status = 0});
}

json::object document(Desk& desk, const std::string& target) {
    const auto answer = ask(desk, "GET", target);
    EXPECT_EQ(answer.status, 200) << target;
    return parse_object(answer.body);
}

TEST(Control, LeavesTheProvidersAddressesAlone) {
    Desk desk;
    EXPECT_EQ(ask(desk, "POST", "/venda/tv/solicitar").status, 0);
    EXPECT_EQ(ask(desk, "GET", "/sandboxes").status, 0);
    EXPECT_EQ(ask(desk, "GET", "*").status, 0);
}

TEST(Control, AnUnknownAddressOrMethodIsSaidToBe) {
    Desk desk;
    EXPECT_EQ(ask(desk, "GET", "/sandbox").status, 404);
    EXPECT_EQ(ask(desk, "GET", "/sandbox/nothing").status, 404);
    EXPECT_EQ(ask(desk, "PATCH", "/sandbox/faults").status, 405);
}

TEST(Control, FaultsArePutShownAndDeleted) {
    Desk desk;
    const std::string rules = R"([{"step":"solicitar","behaviour":"error","times":1}])";
    EXPECT_EQ(ask(desk, "PUT", "/sandbox/faults", rules).status, 200);
    EXPECT_EQ(desk.ask(Family::tv, "A").status, 500);
    const auto shown = json::parse(ask(desk, "GET", "/sandbox/faults").body).as_array();
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown.at(0).at("hits").as_int64(), 1);
    EXPECT_EQ(ask(desk, "PUT", "/sandbox/faults", "[{}]").status, 400);
    EXPECT_EQ(json::parse(ask(desk, "GET", "/sandbox/faults").body).as_array().size(), 1U);
    EXPECT_EQ(json::parse(ask(desk, "DELETE", "/sandbox/faults").body).as_array().size(), 0U);
}

TEST(Control, ARulesShownDocumentCanBePutAgain) {
    Desk desk;
    ask(desk, "PUT", "/sandbox/faults", R"([{"step":"solicitar","behaviour":"error"}])");
    const auto again = ask(desk, "PUT", "/sandbox/faults", ask(desk, "GET", "/sandbox/faults").body);
    EXPECT_EQ(again.status, 200) << again.body;
}

TEST(Control, TheBooksShowASaleAndItsStory) {
    Desk desk;
    desk.ask(Family::health, "A", 2);
    const auto sale = document(desk, "/sandbox/transactions").at("transactions").as_array().at(0).as_object();
    EXPECT_EQ(sale.at("idExterno").as_string(), "A");
    EXPECT_EQ(sale.at("status").as_string(), "AUTORIZADA");
    EXPECT_EQ(sale.at("family").as_string(), "health");
    EXPECT_EQ(sale.at("valor").as_int64(), 6002);
    EXPECT_EQ(std::string(sale.at("goods").as_string()), desk.entry("A").goods);
    const auto& seen = sale.at("history").as_array().at(0).as_object();
    EXPECT_EQ(seen.at("step").as_string(), "solicitar");
    EXPECT_EQ(seen.at("behaviour").as_string(), "lose_answer");
    EXPECT_TRUE(seen.at("processed").as_bool());
    EXPECT_TRUE(seen.at("answered").is_null());
    EXPECT_EQ(seen.at("at").as_string(), "2024-05-02T13:00:00.000Z");
}

TEST(Control, TheBooksCanBeAskedForSomeSalesOnly) {
    Desk desk;
    desk.ask(Family::tv, "A");
    desk.ask(Family::egift, "B");
    desk.confirm("B");
    desk.cancel("C");
    const auto count = [&](const std::string& query) {
        return document(desk, "/sandbox/transactions" + query).at("transactions").as_array().size();
    };
    EXPECT_EQ(count(""), 3U);
    EXPECT_EQ(count("?idExterno=A"), 1U);
    EXPECT_EQ(count("?idExterno=none"), 0U);
    EXPECT_EQ(count("?status=EFETIVADA"), 1U);
    EXPECT_EQ(count("?family=tv"), 1U);
    EXPECT_EQ(count("?status=AUTORIZADA&family=egift"), 0U);
    EXPECT_EQ(ask(desk, "GET", "/sandbox/transactions?status=sold").status, 400);
    EXPECT_EQ(ask(desk, "GET", "/sandbox/transactions?family=radio").status, 400);
    const auto bare =
        document(desk, "/sandbox/transactions?idExterno=C&history=no").at("transactions").at(0).as_object();
    EXPECT_TRUE(bare.at("status").is_null());
    EXPECT_FALSE(bare.contains("history") || bare.contains("valor"));
}

TEST(Control, TheQuerysPercentSignsAreDecoded) {
    Desk desk;
    desk.cancel("a b/c");
    EXPECT_EQ(document(desk, "/sandbox/transactions?idExterno=a%20b%2Fc").at("transactions").as_array().size(), 1U);
}

TEST(Control, RequestsAndDeparturesAreCounted) {
    Desk desk;
    desk.ask(Family::tv, "A");
    desk.ask(Family::tv, "A");
    const auto shown = document(desk, "/sandbox/requests");
    EXPECT_EQ(shown.at("requests").at("tv").at("solicitar").at("seen").as_int64(), 2);
    EXPECT_EQ(shown.at("requests").at("tv").at("solicitar").at("processed").as_int64(), 1);
    EXPECT_EQ(shown.at("token").at("issued").as_int64(), 1);
    EXPECT_EQ(shown.at("departures").at("count").as_int64(), 1);
    const auto& departure = shown.at("departures").at("latest").at(0);
    EXPECT_EQ(departure.at("idExterno").as_string(), "A");
    EXPECT_EQ(departure.at("reason").as_string(), "idExterno was used by an earlier request");
}

TEST(Control, HeldRequestsAreShownAndReleased) {
    Desk desk;
    ask(desk, "PUT", "/sandbox/faults", R"([{"step":"solicitar","behaviour":"hold","delay":"1h"}])");
    desk.ask(Family::tv, "A");
    desk.ask(Family::tv, "B");
    EXPECT_EQ(document(desk, "/sandbox/held").at("held").as_array().size(), 2U);
    EXPECT_EQ(parse_object(ask(desk, "POST", "/sandbox/held/release?idExterno=B").body).at("released").as_int64(), 1);
    EXPECT_EQ(desk.status("B"), Status::autorizada);
    EXPECT_EQ(parse_object(ask(desk, "POST", "/sandbox/held/release").body).at("released").as_int64(), 1);
    EXPECT_EQ(document(desk, "/sandbox/held").at("held").as_array().size(), 0U);
}

TEST(Control, PendingCallbacksAreShown) {
    Desk desk;
    desk.ask(Family::esim, "A");
    const auto shown = document(desk, "/sandbox/callbacks").at("callbacks").as_array();
    ASSERT_EQ(shown.size(), 2U);
    EXPECT_EQ(shown.at(0).at("due").as_string(), "2024-05-02T13:00:01.000Z");
    EXPECT_EQ(shown.at(0).at("status").as_string(), "EFETIVADA");
}

TEST(Control, TokensExpireAndBooksAreReset) {
    Desk desk;
    desk.ask(Family::tv, "A");
    EXPECT_EQ(ask(desk, "POST", "/sandbox/tokens/expire").status, 200);
    EXPECT_EQ(desk.ask(Family::tv, "B").status, 401);
    EXPECT_EQ(ask(desk, "POST", "/sandbox/reset").status, 200);
    EXPECT_TRUE(desk.model.books().all().empty());
}

TEST(Control, TheCatalogueAndTheOutcomesCanBeRead) {
    Desk desk;
    EXPECT_TRUE(document(desk, "/sandbox/catalogue").contains("transit"));
    const auto page = ask(desk, "GET", "/sandbox/outcomes");
    EXPECT_EQ(find_header(page.headers, "Content-Type"), "text/plain");
    EXPECT_NE(page.body.find("EFETIVADA"), std::string::npos);
}

TEST(Control, AStatementIsAFileOrAList) {
    Desk desk;
    desk.ask(Family::tv, "A");
    desk.ask(Family::egift, "B");
    desk.confirm("B");
    const auto file = ask(desk, "GET", "/sandbox/statement?day=2024-05-02&missing=1&money=comma");
    EXPECT_EQ(file.status, 200);
    EXPECT_EQ(find_header(file.headers, "Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(file.body, "0;4711;Rede de Demonstração;;02052024;02052024;1;50,00;2,00;48,00;\n1;B;" +
                             desk.entry("B").idTransacao + ";" + desk.entry("B").nsu +
                             ";12345678;50,00;EFETIVADA;2024-05-02T10:00:00.000-03:00;\n");
    const auto list = ask(desk, "GET", "/sandbox/list?day=02052024");
    EXPECT_EQ(find_header(list.headers, "Content-Type"), "application/json");
    EXPECT_EQ(json::parse(list.body).as_array().size(), 2U);
    EXPECT_EQ(json::parse(ask(desk, "GET", "/sandbox/list?day=2024-05-01").body).as_array().size(), 0U);
}

TEST(Control, WhatIsWrongWithAStatementsParametersIsSaid) {
    Desk desk;
    for (const auto* query : {"lost=1", "missing=1", "day=today"}) {
        const auto answer = ask(desk, "GET", std::string("/sandbox/statement?") + query);
        EXPECT_EQ(answer.status, 400) << query;
        EXPECT_FALSE(reason_of(answer).empty());
    }
}

}  // namespace
}  // namespace gateway::sandbox
