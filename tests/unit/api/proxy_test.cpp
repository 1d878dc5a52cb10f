#include "api/proxy.hpp"

#include "unit/api/rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

TEST(ProxyAllow, AnExactPathIsThatPathOnly) {
    const std::vector<std::string> allow{"/venda/tv"};
    EXPECT_TRUE(is_allowed(allow, "/venda/tv"));
    for (const auto* path : {"/venda/tv/", "/venda/tv/x", "/venda/tvx", "/venda", "/Venda/tv", ""})
        EXPECT_FALSE(is_allowed(allow, path)) << path;
}

TEST(ProxyAllow, APrefixIsWhatLiesBelowIt) {
    const std::vector<std::string> allow{"/venda/tv/*"};
    EXPECT_TRUE(is_allowed(allow, "/venda/tv/x"));
    EXPECT_TRUE(is_allowed(allow, "/venda/tv/x/y"));
    for (const auto* path : {"/venda/tv", "/venda/tv/", "/venda/tvx/y", "/other/venda/tv/x"})
        EXPECT_FALSE(is_allowed(allow, path)) << path;
}

TEST(ProxyAllow, NothingIsAllowedUnlessItIsListed) {
    EXPECT_FALSE(is_allowed({}, "/"));
    EXPECT_TRUE(is_allowed({"/a", "/b/*"}, "/b/c"));
}

TEST(ProxyAllow, AnEncodedSlashMakesNoDotSegment) {
    const std::vector<std::string> allow{"/any/*", "/any/..%2Fvenda"};
    for (const auto* path :
         {"/any/..%2Fvenda", "/any/..%2fvenda", "/any/..%5Cvenda", "/any/..\\venda", "/any/x%2F..%2Fvenda",
          "/any/x%2F..", "/any/.%2Fvenda", "/any/..%252Fvenda", "/any/..%25252fvenda", "/any/%252e%252E/venda",
          "/any/..%255cvenda", "/any/..%25%32%66venda", "/any/..%25%2532%2566venda", "/any/..;x/venda",
          "/any/..%3Bx/venda", "/any/100%25..%2F..%2Fvenda/../x"})
        EXPECT_FALSE(is_allowed(allow, path)) << path;
}

TEST(ProxyAllow, ANameMayHoldASlashOrDots) {
    for (const auto* path : {"/any/Cart%C3%B5es%2050%2F100", "/any/AC%2FDC", "/any/a%5Cb", "/any/..a", "/any/a..%2Fb",
                             "/any/...", "/any/100%25", "/any/100%252", "/any/50%25%20off", "/any/a%252Fb"})
        EXPECT_TRUE(is_allowed({"/any/*"}, path)) << path;
}

class ProxyTest : public ApiTest {
  protected:
    ProxyTest() {
        api.proxy_options.allow = {"/catalogo/*"};
        api.build();
    }
    const http::ClientRequest& seen(std::size_t i = 0) { return api.flow.network->seen.at(i).request; }
    std::size_t asked() const { return api.flow.network->seen.size(); }
};

TEST_F(ProxyTest, HandsOnTheProvidersAnswerAsItIs) {
    api.flow.network->then(answered(418, "<h1>", "text/html"));
    const auto told = api.get("/v1/provider/catalogo/tv?pagina=2&q=a%20b");
    EXPECT_EQ(told.status(), 418u);
    EXPECT_EQ(told.response.body, "<h1>");
    EXPECT_EQ(told.response.content_type, "text/html");
    EXPECT_EQ(seen().target, "/catalogo/tv?pagina=2&q=a%20b");
    EXPECT_FALSE(seen().post);
}

TEST_F(ProxyTest, OfTheCallersHeaderOnlyAcceptAndTheRequestIdGoAlong) {
    auto request = ApiRig::request(http::verb::get, "/v1/provider/catalogo/tv");
    request.headers.insert("Accept", "text/csv");
    request.headers.insert("Authorization", "Bearer key-of-caixa-01");
    api.flow.network->then(answered(200, "{}"));
    api.ask(std::move(request));
    EXPECT_EQ(seen().accept, "text/csv");
    EXPECT_EQ(seen().request_id, "r-1");
    EXPECT_EQ(seen().authorization.reveal().find("key-of-caixa-01"), std::string::npos);
    EXPECT_FALSE(seen().authorization.empty());
}

TEST_F(ProxyTest, WhatIsNotListedIs403HoweverItIsWritten) {
    for (const auto* path :
         {"/venda/tv", "/catalogo", "/catalogo/", "/catalogo/../venda/tv", "/catalogo/%2e%2e/venda/tv",
          "/catalogo/..%2fvenda/tv", "/catalogo/..%5Cvenda/tv", "/catalogo/%2e%2e%252Fvenda/tv",
          "/catalogo/%252e%252e/venda/tv", "/catalogo/x/..", "//catalogo/tv"})
        EXPECT_EQ(api.get("/v1/provider" + std::string(path)).status(), 403u) << path;
    EXPECT_EQ(asked(), 0u);
}

TEST_F(ProxyTest, ATerminalAsksForItsFamiliesOnly) {
    api.proxy_options.allow = {"/venda/*"};
    api.build();
    // The provider knows none of these paths, and answers 404.
    const auto ask = [&](const char* who, const std::string& path) {
        auto request = ApiRig::request(http::verb::get, "/v1/provider" + path);
        request.principal = who;
        return api.ask(std::move(request)).status();
    };
    for (const auto* path :
         {"/venda/egift/consulta-dinamica/12345678/Jogos", "/venda/egift/x", "/venda//egift/x", "/venda/EGIFT/x",
          "/venda/esim/consulta-planos/12345678/Chip", "/venda/transporte/metro/consulta-valores/12345678/metro/1",
          "/venda/clinica/12345678/Consulta/valores"}) {
        EXPECT_EQ(ask("so-tv", path), 403u) << path;
        EXPECT_EQ(ask("caixa-01", path), 404u) << path;
    }
    EXPECT_EQ(ask("so-tv", "/venda/tv/consulta-dinamica/12345678/TV"), 404u);
    EXPECT_EQ(ask("so-tv", "/venda/catalogo"), 404u) << "of no family";
    EXPECT_EQ(ask("nobody", "/venda/catalogo"), 401u);
}

TEST_F(ProxyTest, ATerminalDoesNotAskForTheEstablishmentOfOthers) {
    api.proxy_options.allow = {"/venda/*", "/lista/*"};
    api.build();
    for (const auto* path :
         {"/venda/tv/consulta-dinamica/87654321/TV", "/venda//tv/consulta-dinamica/87654321/TV",
          "/venda/clinica/87654321/Consulta/valores", "/venda/tv/x/87654321", "/lista/87654321/vendas",
          "/lista/%38%37654321", "/lista/87654321;x=1", "/lista/x?loja=87654321", "/lista/x?loja=8765%34321"})
        EXPECT_EQ(api.get("/v1/provider" + std::string(path)).status(), 403u) << path;
    EXPECT_EQ(asked(), 0u);
    for (const auto* path :
         {"/venda/tv/consulta-dinamica/12345678/TV", "/lista/12345678", "/lista/x?loja=12345678", "/lista/876543210"})
        EXPECT_EQ(api.get("/v1/provider" + std::string(path)).status(), 404u) << path;
}

TEST_F(ProxyTest, AnEstablishmentThatNobodyHereHasIsLeftToTheProvider) {
    api.proxy_options.allow = {"/venda/*"};
    api.build();
    for (const auto* path :
         {"/venda/tv/consulta-dinamica/99999999/TV", "/venda/esim/consulta-planos/99999999/Chip",
          "/venda/transporte/metro/consulta-valores/99999999/metro/1", "/venda/clinica/99999999/Consulta/valores"}) {
        EXPECT_EQ(api.get("/v1/provider" + std::string(path)).status(), 404u) << path;
        EXPECT_EQ(seen(asked() - 1).target, path);
    }
}

TEST_F(ProxyTest, ATokenThatWasRevokedIsReplacedOnce) {
    api.flow.network->then(answered(401, "{}")).then(answered(200, R"({"ok":1})"));
    EXPECT_EQ(api.get("/v1/provider/catalogo/tv").response.body, R"({"ok":1})");
    api.flow.network->then(answered(401, "a")).then(answered(401, "b"));
    EXPECT_EQ(api.get("/v1/provider/catalogo/tv").status(), 401u);
    EXPECT_EQ(asked(), 4u);
}

TEST_F(ProxyTest, AProviderThatCannotBeAskedIs503) {
    api.flow.network->then(lost());
    const auto told = api.get("/v1/provider/catalogo/tv");
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.code(), "provider_unavailable");
    EXPECT_EQ(told.header("Retry-After"), "5");
}

TEST_F(ProxyTest, WhoStillWaitsAtTheEndIsToldThatTheGatewayStops) {
    api.flow.network->then(answered(200, "{}"), 10s);
    const auto before = api.flow.clock->now();
    const auto stop = [&]() -> boost::asio::awaitable<void> {
        co_await api.flow.clock->sleep_for(1s);
        api.proxy->hurry();
    };
    boost::asio::co_spawn(*api.flow.io, stop(), boost::asio::detached);
    const auto told = api.get("/v1/provider/catalogo/tv");
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.code(), "shutting_down");
    EXPECT_EQ(api.flow.clock->now() - before, 1s);
    api.flow.clock->advance(20s);  // what comes afterwards does no harm
}

TEST_F(ProxyTest, NothingButAGetGoesThrough) {
    for (const auto method : {http::verb::post, http::verb::put, http::verb::delete_})
        EXPECT_EQ(api.ask(ApiRig::request(method, "/v1/provider/catalogo/tv")).status(), 405u);
    EXPECT_EQ(asked(), 0u);
}

TEST_F(ProxyTest, AnEntryIsComparedAsPathsAreAndNotAsItIsSpelt) {
    api.proxy_options.allow = {"/%54V", "/caf%c3%a9/*"};
    api.build();
    api.flow.network->otherwise = [](const http::ClientRequest&) { return answered(200, "{}"); };
    for (const auto* path : {"TV", "%54V", "caf%C3%A9/x", "caf%c3%a9/x"})
        EXPECT_EQ(api.get("/v1/provider/" + std::string(path)).status(), 200u) << path;
    EXPECT_EQ(api.get("/v1/provider/tv").status(), 403u);
}

}  // namespace
}  // namespace gateway::test
