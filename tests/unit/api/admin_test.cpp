#include "api/admin.hpp"

#include "unit/api/rig.hpp"

namespace gateway::test {
namespace {

class AdminTest : public ApiTest {
  protected:
    Told get(std::string_view target) { return api.operators(http::verb::get, target); }
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
    auto ready = get("/readyz").json();
    EXPECT_FALSE(ready["disk"].as_object().contains("flushMs")) << "nothing was flushed yet";
    ready.erase("disk");
    EXPECT_EQ(ready, boost::json::parse(R"({"ready":true,"degraded":[]})"));
}

TEST_F(AdminTest, IsNotReadyOnceItStops) {
    api.health->set_recovered();
    api.flow.tokens->start();
    api.flow.clock->settle();
    api.flow.seller->stop_taking();
    EXPECT_EQ(get("/readyz").json().at("reasons"), boost::json::parse(R"(["the gateway is stopping"])"));
}

TEST_F(AdminTest, SellsNothing) {
    for (const auto* target : {"/v1/sell", "/v1/cancel", "/v1/sales/x/confirm", "/v1/sales/x/cancel"})
        EXPECT_EQ(api.operators(http::verb::post, target).status(), 404u) << target;
}

}  // namespace
}  // namespace gateway::test
