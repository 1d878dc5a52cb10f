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
        {"?produto=x", {"/family"}},
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

TEST_F(OptionsTest, WhatTheProviderDoesNotKnowIs404WithItsOwnSentence) {
    api.flow.network->then(answered(404, R"({"erro":"x","mensagem":"Cartao 1000000003\ndesconhecido"})"));
    const auto told = api.get("/v1/options?family=transit&produto=Bilhete&numeroCartao=1000000003");
    EXPECT_EQ(told.code(), "not_found");
    EXPECT_EQ(told.text("detail"), "The provider does not know what was asked for. It said: Cartao … desconhecido");
    api.flow.network->then(answered(404, "{}"));
    EXPECT_EQ(api.get("/v1/options?family=esim&produto=x").text("detail"),
              "The provider does not know what was asked for.");
}

TEST_F(OptionsTest, OfATvProductWithoutAPriceListSayWhatToSendInstead) {
    constexpr std::string_view send = "has no price list: send valor and cpf.";
    const auto detail = [&](unsigned status) {
        api.flow.network->then(answered(status, R"({"mensagem":"nada"})"));
        return api.get(tv);
    };
    const auto unlisted = detail(404).text("detail");
    EXPECT_TRUE(unlisted.starts_with("The provider does not know what was asked for. It said: nada")) << unlisted;
    EXPECT_TRUE(unlisted.ends_with(send)) << unlisted;
    Product product{.family = Family::tv, .produto = "TV Livre"};
    api.options->reload({product});
    EXPECT_EQ(detail(404).text("detail"), "This product has no price list: send valor and cpf.");
    EXPECT_EQ(detail(500).status(), 503u) << "which says nothing about the product";
    product.price_list = false;
    api.options->reload({product});
    EXPECT_EQ(detail(400).status(), 404u) << "whatever the provider answers";
    product.price_list = true;
    api.options->reload({product});
    EXPECT_FALSE(detail(404).text("detail").ends_with(send)) << "it should have one";
}

TEST_F(OptionsTest, ARefusedQuestionHasTheProvidersSentenceButATokensTroubleIsNobodysBusiness) {
    const auto detail = [&](unsigned status) {
        api.flow.network->then(answered(status, R"({"mensagem":"produto suspenso"})"));
        return api.get(tv).text("detail");
    };
    EXPECT_EQ(detail(422), "The provider answered with HTTP status 422. Try again soon. It said: produto suspenso");
    EXPECT_EQ(detail(500), "The provider answered with HTTP status 500. Try again soon.");
    api.flow.network->then(lost());
    EXPECT_EQ(api.get(tv).text("detail"), "The provider did not answer in time. Try again soon.");
    api.flow.network->then(unsent());
    EXPECT_EQ(api.get(tv).text("detail"), "The provider could not be asked. Try again soon.");
}

TEST_F(OptionsTest, SayWhatTheTerminalAddsToTheirSell) {
    api.flow.network->then(two_prices());
    EXPECT_EQ(api.get(tv).json().at("options").at(0).at("needs"), boost::json::array());
    api.flow.network->then(answered(200, R"({"valores":[
        {"numeroCartao":"1","tipoCredito":"1","tipoProduto":"6","descricao":"D","valorUnitario":"440",
         "quantidadeMaxima":"9"},
        {"numeroCartao":"1","tipoCredito":"1","tipoProduto":"7","descricao":"E","valorMinimo":"1","valorMaximo":"9"}]})"));
    const auto card = api.get("/v1/options?family=transit&produto=Bilhete&numeroCartao=1").json().at("options");
    EXPECT_EQ(card.at(0).at("needs"), (boost::json::array{"valor", "quantidade"}));
    EXPECT_EQ(card.at(1).at("needs"), boost::json::array{"valor"});
}

TEST_F(OptionsTest, OfAnEgiftAreCompletedFromTheListAndNotGuessedWithoutIt) {
    constexpr auto jogos = "/v1/options?family=egift&nomeMenu=Jogos";
    api.flow.network->then(answered(200, R"({"produtos":[{"nome":"Moedas","chaveProduto":"C","configuracaoId":"G",
                                             "valorMinimo":1000,"valorMaximo":5000}]})"));
    const auto bare = api.get(jogos).json().at("options").at(0);
    EXPECT_EQ(bare.at("needs"), (boost::json::array{"fornecedor", "valor", "tipoNegocio"}));
    api.options->reload({{.family = Family::egift,
                          .produto = "Moedas",
                          .fornecedor = "Estudio",
                          .tipo_negocio = 3,
                          .nome_menu = "Jogos"}});
    const auto option = api.get(jogos).json().at("options").at(0);
    EXPECT_EQ(option.at("needs"), boost::json::array{"valor"});
    auto sell = option.at("sell").as_object();
    EXPECT_EQ(sell.at("fornecedor"), "Estudio");
    EXPECT_EQ(sell.at("tipoNegocio"), 3);
    sell["valor"] = 1000;
    EXPECT_EQ(api.sold("k-1", boost::json::serialize(sell)).status(), 200u);
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
    const auto told = api.ask(std::move(request));
    EXPECT_EQ(told.status(), 503u);
    EXPECT_EQ(told.header("Preference-Applied"), "wait=3");
    EXPECT_EQ(api.flow.clock->now() - before, 3s);
}

}  // namespace
}  // namespace gateway::test
