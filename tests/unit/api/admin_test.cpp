#include "api/admin.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class AdminTest : public ApiTest {
  protected:
    Told get(std::string_view target) { return api.operators(http::verb::get, target); }
    bool has(const std::string& line) { return get("/metrics").response.body.find(line + "\n") != std::string::npos; }
};

TEST_F(AdminTest, TheProcessTurns) {
    EXPECT_EQ(get("/healthz").response.body, "ok\n");
}

TEST_F(AdminTest, IsNotReadyBeforeTheOpenSalesAreKnownAndThereIsAToken) {
    auto told = get("/readyz");
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.code(), "not_ready");
    EXPECT_EQ(told.json().at("reasons").as_array().size(), 2u) << told.response.body;
    api.health->set_recovered();
    EXPECT_EQ(get("/readyz").json().at("reasons").as_array().size(), 1u);
    api.flow.tokens->start();
    api.flow.clock->settle();
    EXPECT_EQ(get("/readyz").status(), 200u);
    EXPECT_EQ(get("/readyz").json(), boost::json::parse(R"({"ready":true,"degraded":[]})"));
}

TEST_F(AdminTest, IsNotReadyOnceItStops) {
    api.health->set_recovered();
    api.flow.tokens->start();
    api.flow.clock->settle();
    api.flow.seller->stop_taking();
    EXPECT_EQ(get("/readyz").json().at("reasons"), boost::json::parse(R"(["the gateway is stopping"])"));
}

TEST_F(AdminTest, NumbersFollowTheSales) {
    api.sold("k-1");
    api.sold("k-1");
    api.held("k-2");
    api.flow.clock->advance(90s);
    for (const auto* line : {
             "gateway_sales_begun_total{family=\"tv\"} 2",
             "gateway_sales_begun_total{family=\"esim\"} 0",
             "gateway_sales_final_total{family=\"tv\",status=\"EFETIVADA\"} 1",
             "gateway_sale_replays_total 1",
             "gateway_sales_open{state=\"held\"} 1",
             "gateway_oldest_unsettled_seconds 90",
             "gateway_token_valid 1",
             "gateway_journal_writable 1",
             "gateway_sale_duration_seconds_count{family=\"tv\"} 1",
         })
        EXPECT_TRUE(has(line)) << line << "\n" << get("/metrics").response.body;
}

TEST_F(AdminTest, SalesThatNeedAPersonAreCountedByTheirMark) {
    const auto sold = api.sold("k-1").text("id");
    auto sale = api.flow.kept(*SaleId::parse(sold));
    sale.attention = Attention::undeliverable;
    api.flow.attention->follow(sale);
    EXPECT_TRUE(has("gateway_sales_attention{attention=\"undeliverable\"} 1"));
    EXPECT_TRUE(has("gateway_sale_attention_total{attention=\"undeliverable\"} 1"));
    EXPECT_TRUE(has("gateway_sales_attention{attention=\"unsettled\"} 0"));
    EXPECT_FALSE(has("gateway_sales_attention{attention=\"none\"} 0"));
}

TEST_F(AdminTest, OtherPartsNumbersAreShownAsTheyAreNow) {
    double value = 3;
    api.others = [&](Exposition& out) {
        out.metric("pool_open", "gauge", "Open.");
        out.sample(value);
    };
    api.build();
    value = 4;
    EXPECT_TRUE(has("# TYPE pool_open gauge\npool_open 4"));
}

TEST_F(AdminTest, SellsNothing) {
    for (const auto* target : {"/v1/sell", "/v1/cancel", "/v1/sales/x/confirm", "/v1/sales/x/cancel"})
        EXPECT_EQ(api.operators(http::verb::post, target).status(), 404u) << target;
}

}  // namespace
}  // namespace gateway::test
