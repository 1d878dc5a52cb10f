#include "api/status.hpp"

#include "base/wall_time.hpp"
#include "unit/api/rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class StatusTest : public ApiTest {
  protected:
    StatusTest() {
        api.health->set_recovered();
        api.flow.tokens->start();
        api.flow.clock->settle();
    }
    void provider_goes_away() {
        api.flow.network->refuses = true;
        api.flow.clock->advance(10s);
    }
};

TEST_F(StatusTest, ATillIsToldInItsLanguage) {
    const auto ask = [&](const char* language) {
        auto asked = ApiRig::request(http::verb::get, "/v1/status");
        if (*language != 0) asked.headers.insert("Accept-Language", language);
        return api.ask(std::move(asked));
    };
    auto told = ask("");
    EXPECT_EQ(told.json().at("sells"), true);
    EXPECT_EQ(told.text("detail"), "Sales are possible.");
    EXPECT_EQ(told.header("Content-Language"), "en");
    EXPECT_EQ(told.json().at("provider").at("reached"), true);
    EXPECT_EQ(told.text("version"), "0.0.0");
    EXPECT_EQ(ask("pt-BR").text("detail"), "Vendas disponíveis.");
    provider_goes_away();
    told = ask("pt-BR");
    EXPECT_EQ(told.status(), 200u);
    EXPECT_EQ(told.json().at("sells"), false);
    EXPECT_EQ(told.json().at("provider").at("reached"), false);
    EXPECT_THAT(std::string(told.text("detail")), HasSubstr("Sem vendas: o provedor está fora de alcance desde "));
    EXPECT_EQ(told.header("Content-Language"), "pt-BR");
}

TEST_F(StatusTest, ATillIsToldWhereTheProviderMayBeAwayForLonger) {
    provider_goes_away();
    EXPECT_THAT(std::string(api.get("/v1/status").text("detail")),
                HasSubstr("the provider cannot be reached since at least "))
        << "nothing was asked of it before";
}

TEST(StatusOfNoToken, ATillIsToldThatNobodyCanBeAskedForOne) {
    ApiRig api;
    api.flow.tokens->start();
    api.flow.token_service->refuses = true;
    api.flow.clock->advance(10s);
    EXPECT_THAT(std::string(api.get("/v1/status").text("detail")), HasSubstr("cannot be reached since at least "));
}

TEST_F(StatusTest, ATillIsToldThatTheProviderDoesNotLetTheGatewayInAnyMore) {
    const auto end = api.flow.tokens->expires_at();
    ASSERT_TRUE(end);
    api.flow.token_service->otherwise = [](const http::ClientRequest&) { return answered(401, "{}"); };
    api.flow.clock->advance(2h);
    ASSERT_TRUE(api.flow.tokens->reachability().outage());
    const auto told = api.get("/v1/status");
    EXPECT_EQ(told.json().at("sells"), false);
    EXPECT_EQ(told.json().at("provider").at("reached"), true);
    const auto hour = to_local_receipt(*end).substr(11, 5);
    EXPECT_EQ(told.text("detail"),
              "No sales: the provider has not let the gateway in since " + hour + ". Call the support.");
}

TEST_F(StatusTest, ATillIsToldWhichFamiliesItSells) {
    auto asked = ApiRig::request(http::verb::get, "/v1/status");
    asked.principal = "so-tv";
    EXPECT_EQ(api.ask(std::move(asked)).json().at("families"),
              boost::json::parse(R"({"tv":true,"egift":false,"transit":false,"health":false,"esim":false})"));
}

TEST_F(StatusTest, ATillIsToldThatTheGatewayItselfCannotSell) {
    api.flow.seller->stop_taking();
    const auto told = api.get("/v1/status");
    EXPECT_EQ(told.json().at("sells"), false);
    EXPECT_THAT(std::string(told.text("detail")), HasSubstr("being stopped"));
}

}  // namespace
}  // namespace gateway::test
