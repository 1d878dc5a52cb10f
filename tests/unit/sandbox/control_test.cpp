#include "sandbox/control.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

class Control : public testing::Test {
  protected:
    Answer ask(const std::string& method, const std::string& target, const std::string& body = "") {
        return control(caller.model, {method, target, {}, body}, caller.now).value_or(Answer{.status = 0});
    }
    json::value shown(const std::string& target) { return json::parse(ask("GET", target).body); }
    std::size_t count(const std::string& query) {
        return shown("/sandbox/transactions" + query).at("transactions").as_array().size();
    }
    Caller caller;
};

TEST_F(Control, KnowsItsAddressesAndLeavesTheProvidersAlone) {
    const std::map<std::string, int> statuses{{"POST /venda/tv/solicitar", 0},
                                              {"GET /sandboxes", 0},
                                              {"GET *", 0},
                                              {"GET /sandbox", 404},
                                              {"GET /sandbox/nothing", 404},
                                              {"PATCH /sandbox/faults", 405},
                                              {"GET /sandbox/transactions?status=sold", 400},
                                              {"GET /sandbox/transactions?family=radio", 400}};
    for (const auto& [line, status] : statuses)
        EXPECT_EQ(ask(line.substr(0, line.find(' ')), line.substr(line.find(' ') + 1)).status, status) << line;
}

TEST_F(Control, FaultsArePutShownPutAgainAndDeleted) {
    EXPECT_EQ(ask("PUT", "/sandbox/faults", R"([{"step":"solicitar","behaviour":"error","times":1}])").status, 200);
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 500);
    EXPECT_EQ(shown("/sandbox/faults").at(0).at("hits").as_int64(), 1);
    EXPECT_EQ(ask("PUT", "/sandbox/faults", "[{}]").status, 400);
    EXPECT_EQ(ask("PUT", "/sandbox/faults", ask("GET", "/sandbox/faults").body).status, 200);
    EXPECT_EQ(shown("/sandbox/faults").as_array().size(), 1U);
    EXPECT_EQ(json::parse(ask("DELETE", "/sandbox/faults").body).as_array().size(), 0U);
}

TEST_F(Control, TheBooksShowASaleAndItsHistory) {
    caller.ask(Family::health, "A", 2);
    const auto sale = shown("/sandbox/transactions").at("transactions").at(0);
    EXPECT_EQ(sale.at("status").as_string(), "AUTORIZADA");
    EXPECT_EQ(sale.at("family").as_string(), "health");
    EXPECT_EQ(sale.at("valor").as_int64(), 6002);
    EXPECT_EQ(std::string(sale.at("goods").as_string()), caller.entry("A").goods);
    EXPECT_EQ(sale.at("calls").at("solicitar").as_int64(), 1);
    const auto& seen = sale.at("history").at(0);
    EXPECT_EQ(seen.at("step").as_string(), "solicitar");
    EXPECT_EQ(seen.at("behaviour").as_string(), "lose_answer");
    EXPECT_TRUE(seen.at("processed").as_bool());
    EXPECT_TRUE(seen.at("answered").is_null());
    EXPECT_EQ(seen.at("at").as_string(), "2024-05-02T13:00:00.000Z");
}

TEST_F(Control, TheBooksCanBeAskedForSomeSalesOnly) {
    caller.ask(Family::tv, "A");
    caller.ask(Family::egift, "B");
    caller.confirm("B");
    caller.cancel("c d/e");
    const std::map<std::string, std::size_t> counts{{"", 3},
                                                    {"?idExterno=A", 1},
                                                    {"?idExterno=c%20d%2Fe", 1},
                                                    {"?idExterno=none", 0},
                                                    {"?status=EFETIVADA", 1},
                                                    {"?family=tv", 1},
                                                    {"?status=AUTORIZADA&family=egift", 0}};
    for (const auto& [query, expected] : counts)
        EXPECT_EQ(count(query), expected) << query;
    const auto bare =
        shown("/sandbox/transactions?idExterno=c%20d%2Fe&history=no").at("transactions").at(0).as_object();
    EXPECT_TRUE(bare.at("status").is_null());
    EXPECT_FALSE(bare.contains("history") || bare.contains("valor"));
}

TEST_F(Control, RequestsAndDeparturesAreCounted) {
    caller.ask(Family::tv, "A");
    caller.ask(Family::tv, "A");
    const auto page = shown("/sandbox/requests");
    EXPECT_EQ(page.at("requests").at("tv").at("solicitar").at("seen").as_int64(), 2);
    EXPECT_EQ(page.at("requests").at("tv").at("solicitar").at("processed").as_int64(), 1);
    EXPECT_EQ(page.at("token").at("issued").as_int64(), 1);
    EXPECT_EQ(page.at("departures").at("count").as_int64(), 1);
    EXPECT_EQ(page.at("departures").at("latest").at(0).at("idExterno").as_string(), "A");
}

TEST_F(Control, HeldRequestsAndCallbacksAreShownReleasedAndForgotten) {
    caller.rule(R"("step":"solicitar","family":"tv","behaviour":"hold","delay":"1h")");
    for (const auto* id : {"A", "B", "C"})
        caller.ask(Family::tv, id);
    EXPECT_EQ(shown("/sandbox/held").at("held").as_array().size(), 3U);
    EXPECT_EQ(ask("POST", "/sandbox/held/release?idExterno=B").body, "{\"released\":1}\n");
    EXPECT_EQ(caller.status("B"), Status::autorizada);
    EXPECT_EQ(caller.status("A"), Status::none);
    EXPECT_EQ(ask("POST", "/sandbox/held/release").body, "{\"released\":2}\n");
    caller.ask(Family::esim, "D");
    const auto callback = shown("/sandbox/callbacks").at("callbacks").at(0);
    EXPECT_EQ(callback.at("due").as_string(), "2024-05-02T13:00:01.000Z");
    EXPECT_EQ(callback.at("status").as_string(), "EFETIVADA");
    caller.ask(Family::tv, "E");
    EXPECT_EQ(ask("POST", "/sandbox/reset").status, 200);
    EXPECT_EQ(count(""), 0U);
    EXPECT_FALSE(caller.model.next_due());
    EXPECT_EQ(shown("/sandbox/requests").at("requests").at("tv").at("solicitar").at("seen").as_int64(), 0);
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 200) << "no rule, and the token is good";
    EXPECT_EQ(ask("POST", "/sandbox/tokens/expire").status, 200);
    EXPECT_EQ(caller.ask(Family::tv, "B").status, 401);
}

TEST_F(Control, TheCatalogueAndTheOutcomesCanBeRead) {
    EXPECT_TRUE(shown("/sandbox/catalogue").as_object().contains("transit"));
    const auto page = ask("GET", "/sandbox/outcomes");
    EXPECT_EQ(find_header(page.headers, "Content-Type"), "text/plain");
    EXPECT_EQ(page.body, outcomes_text());
}

}  // namespace
}  // namespace gateway::sandbox
