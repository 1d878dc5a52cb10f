// Tests a sale whose row in the journal cannot be read, with every call that meets it: the error concerns that sale
// alone, its key stays taken, and every other sale goes on.
#include "journal/sqlite/database.hpp"
#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

class SalesUnreadableTest : public ApiTest {
  protected:
    // Changes the file as another process does.
    void alter(const std::string& sql) {
        auto connection = sqlite::Database::open(api.flow.folder.path("journal.db"), nullptr);
        ASSERT_TRUE(connection.has_value());
        ASSERT_TRUE(connection->run(sql.c_str()).has_value()) << connection->message();
    }
    void spoil(const std::string& id, const std::string& column = "attempts") {
        alter("UPDATE sales SET " + column + " = replace(" + column + ", 'a', 'o') || '}' WHERE id = '" + id + "'");
    }
    void crash() {
        api.flow.crash();
        api.build();
    }
    static void refused(const Told& told) {
        EXPECT_EQ(told.status(), 503u);
        EXPECT_EQ(told.text("code"), "sale_unreadable");
        EXPECT_FALSE(told.json().contains("outcome"));
        EXPECT_FALSE(told.json().contains("sale"));
    }
    static std::vector<std::string> unreadable_in(const Told& list) {
        std::vector<std::string> ids;
        const auto page = list.json();
        if (const auto* named = page.if_contains("unreadable"))
            for (const auto& id : named->as_array())
                ids.emplace_back(id.as_string());
        return ids;
    }
    std::size_t requests() const { return api.flow.network->seen.size(); }
};

TEST_F(SalesUnreadableTest, EveryCallOnASettledSaleSaysSo) {
    const auto id = api.sold("k-1").text("id");
    spoil(id);
    refused(api.get("/v1/sales/" + id));
    refused(api.get("/v1/sales/" + id + "/receipt"));
    refused(api.post("/v1/sales/" + id + "/confirm"));
    refused(api.post("/v1/sales/" + id + "/cancel"));
    refused(api.operators(http::verb::get, "/v1/sales/" + id));
    refused(api.operators(http::verb::get, "/v1/sales/" + id + "/events"));
    refused(api.operators(http::verb::post, "/v1/sales/" + id + "/resolve", R"({"note":"x"})"));
}

TEST_F(SalesUnreadableTest, ItsKeySellsNothingElseAndIsNotCancelled) {
    const auto id = api.sold("k-1").text("id");
    spoil(id);
    const auto before = requests();
    refused(api.sold("k-1"));
    refused(api.sold("k-1", ApiRig::held_body));
    refused(api.cancel_key("k-1"));
    EXPECT_EQ(requests(), before);
    EXPECT_EQ(api.sold("k-2").status(), 200u);
}

TEST_F(SalesUnreadableTest, ItsKeyIsAnsweredBeforeARefusalOfTheOrder) {
    spoil(api.sold("k-1").text("id"));
    api.flow.seller->stop_taking();
    refused(api.sold("k-1"));
    EXPECT_EQ(api.sold("k-2").text("code"), "shutting_down");
}

TEST_F(SalesUnreadableTest, ASaleWhoseIdCannotBeReadKeepsItsKeyToo) {
    const auto id = api.sold("k-1").text("id");
    alter("UPDATE sales SET id = 'x' || id");
    refused(api.sold("k-1"));
    refused(api.cancel_key("k-1"));
    EXPECT_EQ(unreadable_in(api.get("/v1/sales?key=k-1")), std::vector{"x" + id});
}

TEST_F(SalesUnreadableTest, ListsLeaveItOutAndNameItToItsOwnEstablishment) {
    const auto good = api.sold("k-1").text("id");
    EXPECT_FALSE(api.get("/v1/sales").json().contains("unreadable"));
    const auto bad = api.sold("k-2").text("id");
    spoil(bad);
    for (const auto* target : {"/v1/sales", "/v1/sales?status=EFETIVADA"}) {
        const auto list = api.get(target);
        EXPECT_EQ(list.status(), 200u);
        EXPECT_EQ(list.json().at("sales").as_array().size(), 1u);
        EXPECT_EQ(list.json().at("sales").at(0).at("id").as_string(), good);
        EXPECT_EQ(unreadable_in(list), std::vector{bad});
    }
    EXPECT_EQ(unreadable_in(api.operators(http::verb::get, "/v1/sales?attention=true")), std::vector{bad});
    auto elsewhere = ApiRig::request(http::verb::get, "/v1/sales");
    elsewhere.principal = "loja-b";
    EXPECT_EQ(unreadable_in(api.ask(std::move(elsewhere))), std::vector<std::string>());
}

TEST_F(SalesUnreadableTest, AStartAdoptsEveryOtherSale) {
    const auto bad = api.held("k-1").text("id");
    const auto good = api.held("k-2").text("id");
    spoil(bad);
    crash();
    EXPECT_EQ(api.flow.adopted, 1u);
    EXPECT_EQ(api.flow.unreadable, 1u);
    refused(api.get("/v1/sales/" + bad));
    EXPECT_EQ(api.post("/v1/sales/" + good + "/confirm").text("outcome"), "sold");
    refused(api.sold("k-1", ApiRig::held_body));
}

TEST_F(SalesUnreadableTest, OnceItIsPutRightItGoesOn) {
    const auto id = api.held("k-1").text("id");
    alter("UPDATE sales SET mode = 'manuol'");
    crash();
    refused(api.get("/v1/sales/" + id));
    alter("UPDATE sales SET mode = 'manual'");
    crash();
    EXPECT_EQ(api.post("/v1/sales/" + id + "/confirm").text("outcome"), "sold");
    EXPECT_TRUE(api.get("/v1/sales/" + id).json().at("attention").as_bool()) << "a person has not looked yet";
}

TEST_F(SalesUnreadableTest, ACallbackIsKeptOnceAndRepeatedUntilTheRowIsRight) {
    const auto id = api.sold("k-1", ApiRig::esim_body).text("id");
    constexpr std::string_view before = "/callbacks/esim/";
    const std::string sent = api.flow.network->seen.at(0).request.body.reveal();
    const auto begin = sent.find(before);
    const auto address = sent.substr(begin, sent.find('"', begin) - begin);
    const auto call = [&] {
        return api.ask(api.callback_routes,
                       ApiRig::request(http::verb::post, address,
                                       R"({"uuid":"u","msisdn":"1","url":"x","situacaoTransacao":"EFETIVADA"})"));
    };
    alter("UPDATE sales SET family = 'esin'");
    crash();
    refused(call());
    refused(call());
    const auto kept = api.flow.clock->run(api.flow.journal->callbacks(*SaleId::parse(id)));
    EXPECT_EQ(kept->size(), 1u);
    EXPECT_TRUE(api.flow.log.has("warn callback.received sale=" + id));
    alter("UPDATE sales SET family = 'esim'");
    crash();
    EXPECT_EQ(call().status(), 200u);
    EXPECT_EQ(api.get("/v1/sales/" + id).text("status"), "EFETIVADA");
}

}  // namespace
}  // namespace gateway::test
