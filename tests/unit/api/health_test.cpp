#include "api/health.hpp"

#include "unit/api/rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class HealthTest : public ApiTest {
  protected:
    HealthTest() {
        api.health->set_recovered();
        api.flow.tokens->start();
        api.flow.clock->settle();
    }
    Told readyz() { return api.operators(http::verb::get, "/readyz"); }
    bool has(const std::string& line) {
        const auto metrics = api.operators(http::verb::get, "/metrics").response.body;
        return metrics.find(line + "\n") != std::string::npos;
    }
    void provider_goes_away() {
        api.flow.network->refuses = true;
        api.flow.network->cause = "Connection refused";
        api.flow.clock->advance(10s);
    }
};

TEST_F(HealthTest, AProviderThatIsAwayIsToldWithItsRefusedSales) {
    provider_goes_away();
    EXPECT_EQ(api.sold("k-1").status(), 503u);
    EXPECT_EQ(api.sold("k-2").status(), 503u);
    const auto told = readyz();
    EXPECT_EQ(told.status(), 200u) << "the gateway itself is well";
    const auto away = told.json().at("degraded").as_array().at(0);
    EXPECT_EQ(away.at("what"), "provider");
    EXPECT_EQ(away.at("lastError"), "Connection refused");
    EXPECT_EQ(away.at("refused"), 2);
    EXPECT_TRUE(away.at("since").is_string());
    EXPECT_TRUE(has("gateway_provider_up 0"));
    EXPECT_TRUE(has("gateway_token_service_up 1"));
    EXPECT_THAT(in_words(api.health->provider()), HasSubstr("(sales refused: 2): Connection refused"));
    api.flow.network->refuses = false;
    api.flow.clock->advance(2s);
    EXPECT_TRUE(readyz().json().at("degraded").as_array().empty());
    EXPECT_TRUE(has("gateway_provider_up 1"));
}

TEST_F(HealthTest, IsLearnedWithoutASale) {
    provider_goes_away();
    EXPECT_EQ(readyz().json().at("degraded").as_array().size(), 1u);
}

TEST_F(HealthTest, ATillIsToldInItsLanguage) {
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
    EXPECT_THAT(std::string(told.text("detail")), HasSubstr("Sem vendas: o fornecedor está fora de alcance desde "));
    EXPECT_EQ(told.header("Content-Language"), "pt-BR");
}

TEST_F(HealthTest, ATillIsToldWhichFamiliesItSells) {
    auto asked = ApiRig::request(http::verb::get, "/v1/status");
    asked.principal = "so-tv";
    EXPECT_EQ(api.ask(std::move(asked)).json().at("families"),
              boost::json::parse(R"({"tv":true,"egift":false,"transit":false,"health":false,"esim":false})"));
}

TEST_F(HealthTest, ATillIsToldThatTheGatewayItselfCannotSell) {
    api.flow.seller->stop_taking();
    const auto told = api.get("/v1/status");
    EXPECT_EQ(told.json().at("sells"), false);
    EXPECT_THAT(std::string(told.text("detail")), HasSubstr("being stopped"));
}

}  // namespace
}  // namespace gateway::test
