#include "api/options.hpp"

#include "unit/api/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using Pointers = std::vector<std::string>;

class OptionsTest : public ApiTest {
  protected:
    static constexpr auto tv = "/v1/options?family=tv&produto=TV%20Livre";
    static Reply two_prices() {
        return answered(200, R"({"valores":[{"chave":"Pacote","valor":"101;2500"},{"chave":"?","valor":"x"}],
                                 "imagem":"https://provider.example/i.png"})");
    }
    std::size_t asked() const { return api.flow.network->seen.size(); }
};

TEST_F(OptionsTest, HaveOneShapeAndASellThatStandsByItself) {
    api.flow.network->then(two_prices());
    const auto told = api.get(tv);
    EXPECT_EQ(told.status(), 200u);
    const auto body = told.json();
    EXPECT_EQ(body.at("family"), "tv");
    EXPECT_EQ(body.at("stale"), false);
    ASSERT_EQ(body.at("options").as_array().size(), 1u) << "what cannot be understood is not offered";
    const auto& option = body.at("options").at(0);
    EXPECT_EQ(option.at("label"), "Pacote");
    EXPECT_EQ(option.at("valor").at("fixed"), 2500);
    EXPECT_EQ(option.at("sell"), boost::json::parse(R"({"family":"tv","produto":"TV Livre","id_valor":"101;2500"})"));
    EXPECT_EQ(body.at("details").at("imagem"), "https://provider.example/i.png");
    EXPECT_EQ(api.sold("k-1", boost::json::serialize(option.at("sell"))).status(), 200u);
}

TEST_F(OptionsTest, AreAskedForOnceWhileTheyAreFresh) {
    api.flow.network->then(two_prices());
    const auto first = api.get(tv).response.body;
    EXPECT_EQ(api.get(tv).response.body, first);
    EXPECT_EQ(asked(), 1u);
}

TEST_F(OptionsTest, AreServedBeyondTheirTimeWhileTheProviderIsDownAndSaySo) {
    api.flow.network->then(two_prices());
    api.get(tv);
    api.flow.clock->advance(10min);
    api.flow.network->otherwise = [](const http::ClientRequest&) { return unsent(); };
    EXPECT_EQ(api.get(tv).json().at("stale"), true);
}

TEST_F(OptionsTest, AreAskedForTheTerminalsOwnEstablishment) {
    auto request = ApiRig::request(http::verb::get, tv);
    request.principal = "loja-b";
    api.flow.network->then(two_prices());
    api.ask(std::move(request));
    EXPECT_NE(api.flow.network->seen.at(0).request.target.find("/87654321/"), std::string::npos);
}

TEST_F(OptionsTest, WhatIsWrongIsNamedAllAtOnceAndNobodyIsAsked) {
    const std::vector<std::pair<std::string, Pointers>> cases{
        {"", {"/family"}},
        {"?family=TV&produto=x", {"/family"}},
        {"?family=tv", {"/produto"}},
        {"?family=tv&produto=..", {"/produto"}},
        {"?family=tv&produto=x&nomeMenu=y", {"/nomeMenu"}},
        {"?family=egift&produto=x", {"/nomeMenu"}},
        {"?family=transit&produto=x", {"/numeroCartao"}},
        {"?family=transit&produto=x&numeroCartao=1&transit=tv", {"/transit"}},
        {"?family=health&produto=x&health=A", {"/health"}},
        {"?family=tv&produto=x&produto=y", {"/produto"}},
        {"?family=tv&family=esim&produto=x", {"/family"}},
    };
    for (const auto& [query, pointers] : cases) {
        const auto told = api.get("/v1/options" + query);
        EXPECT_EQ(told.status(), 422u) << query;
        EXPECT_EQ(told.pointers(), pointers) << query;
    }
    EXPECT_EQ(asked(), 0u);
}

TEST_F(OptionsTest, OfAFamilyThatTheTerminalMayNotSellAre403) {
    auto request = ApiRig::request(http::verb::get, "/v1/options?family=egift&nomeMenu=x");
    request.principal = "so-tv";
    EXPECT_EQ(api.ask(std::move(request)).code(), "forbidden");
    EXPECT_EQ(asked(), 0u);
}

TEST_F(OptionsTest, WhatTheProviderDoesNotKnowIs404) {
    api.flow.network->then(answered(404, "{}"));
    EXPECT_EQ(api.get(tv).code(), "not_found");
}

TEST_F(OptionsTest, AnAnswerThatNeverComesOrMakesNoSenseIs503) {
    api.flow.network->then(lost());
    EXPECT_EQ(api.get(tv).code(), "provider_unavailable");
    EXPECT_TRUE(api.flow.log.has("options.failed request=r-1"));
    api.flow.network->then(answered(200, "<html>"));
    const auto told = api.get("/v1/options?family=tv&produto=another");
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.header("Retry-After"), "5");
}

TEST_F(OptionsTest, TheProvidersOwnWishWhenToAskAgainIsPassedOn) {
    for (const auto status : {429u, 503u}) {
        auto busy = answered(status, "{}");
        busy.retry_after = std::chrono::seconds(17);
        api.flow.network->then(busy);
        const auto told = api.get(tv);
        EXPECT_EQ(told.status(), 503u);
        EXPECT_EQ(told.header("Retry-After"), "17") << status;
    }
}

TEST_F(OptionsTest, AMenuMayBeAskedForWithAProductAsTheOtherFamiliesAre) {
    api.flow.network->then(answered(200, "[]"));
    EXPECT_NE(api.get("/v1/options?family=egift&produto=x&nomeMenu=y").status(), 422u);
    EXPECT_EQ(asked(), 1u);
}

TEST_F(OptionsTest, WhoStillWaitsAtTheEndIsToldThatTheGatewayStops) {
    api.flow.network->then(two_prices(), 10s);
    api.flow.network->then(two_prices(), 10s);
    const auto before = api.flow.clock->now();
    const auto stop = [&]() -> boost::asio::awaitable<void> {
        co_await api.flow.clock->sleep_for(1s);
        api.flow.seller->stop_taking();
        api.cache.hurry();
    };
    boost::asio::co_spawn(*api.flow.io, stop(), boost::asio::detached);
    const auto told = api.get(tv);
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.code(), "shutting_down");
    EXPECT_EQ(told.header("Retry-After"), "5");
    const auto refused =
        api.sold("k-1", R"({"family":"health","produto":"Consulta","produtoIdParceiro":"7001","valor":5990})");
    EXPECT_EQ(refused.code(), "shutting_down") << "while it asks for its bounds";
    EXPECT_EQ(api.flow.clock->now() - before, 1s);
}

TEST_F(OptionsTest, TheCallersWaitIsKept) {
    api.flow.network->then(two_prices(), 10s);
    auto request = ApiRig::request(http::verb::get, tv);
    request.headers.insert("Prefer", "wait=3");
    const auto before = api.flow.clock->now();
    EXPECT_EQ(api.ask(std::move(request)).status(), 503u);
    EXPECT_EQ(api.flow.clock->now() - before, 3s);
}

}  // namespace
}  // namespace gateway::test
