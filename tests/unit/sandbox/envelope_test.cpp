#include "sandbox/envelope.hpp"

#include "unit/sandbox/desk.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

Answer ask_with_header(Desk& desk, const std::string& name, const std::optional<std::string>& value) {
    auto headers = desk.headers();
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    if (value) headers.emplace_back(name, *value);
    return desk.model.handle({"POST", "/venda/tv/solicitar", headers, json::serialize(desk.order(Family::tv, "A"))},
                             desk.now);
}

TEST(Envelope, ASalesRequestNeedsABearerToken) {
    Desk desk;
    EXPECT_EQ(ask_with_header(desk, "Authorization", std::nullopt).status, 401);
    EXPECT_EQ(ask_with_header(desk, "Authorization", "Basic " + desk.token).status, 401);
    EXPECT_EQ(ask_with_header(desk, "Authorization", desk.token).status, 401);
    EXPECT_EQ(desk.model.metrics().departures(), 3U);
    EXPECT_EQ(ask_with_header(desk, "Authorization", "Bearer nonsense").status, 401);
    EXPECT_EQ(desk.model.metrics().departures(), 3U) << "a token that was revoked is not the client's fault";
    EXPECT_EQ(desk.status("A"), Status::none);
}

TEST(Envelope, AcceptHasToNameJson) {
    Desk desk;
    for (const auto& value : {std::optional<std::string>(), std::optional<std::string>("*/*"),
                              std::optional<std::string>("text/html, application/xml")})
        EXPECT_EQ(ask_with_header(desk, "Accept", value).status, 406);
    EXPECT_EQ(desk.model.metrics().departures(), 3U);
}

TEST(Envelope, JsonAmongOtherTypesIsNamed) {
    Desk desk;
    EXPECT_EQ(ask_with_header(desk, "Accept", "text/html , Application/JSON;q=0.9").status, 200);
}

TEST(Envelope, APostHasToSayThatItIsJson) {
    Desk desk;
    for (const auto& value : {std::optional<std::string>(), std::optional<std::string>("text/plain"),
                              std::optional<std::string>("application/jsonx")})
        EXPECT_EQ(ask_with_header(desk, "Content-Type", value).status, 415);
    EXPECT_EQ(desk.model.metrics().departures(), 3U);
}

TEST(Envelope, ACharacterSetMayFollowTheType) {
    Desk desk;
    EXPECT_EQ(ask_with_header(desk, "Content-Type", "application/json; charset=utf-8").status, 200);
}

TEST(Envelope, AQueryNeedsTheTokenAndAcceptOnly) {
    Desk desk;
    const std::string target = "/venda/tv/consulta-dinamica/12345678/TV%20Livre";
    const Headers enough{{"accept", "application/json"}, {"authorization", "Bearer " + desk.token}};
    EXPECT_EQ(desk.model.handle({"GET", target, enough, ""}, desk.now).status, 200);
    EXPECT_EQ(desk.model.handle({"GET", target, {enough.at(0)}, ""}, desk.now).status, 401);
    EXPECT_EQ(desk.model.handle({"GET", target, {enough.at(1)}, ""}, desk.now).status, 406);
}

Answer confirm_without_token(Desk& desk, const std::string& idExterno, const std::string& target) {
    const Headers headers{{"Accept", "application/json"}, {"Content-Type", "application/json"}};
    return desk.model.handle({"POST", target, headers, json::serialize(desk.confirm_body(idExterno))}, desk.now);
}

TEST(Envelope, AnEGiftConfirmNeedsAToken) {
    Desk desk;
    desk.ask(Family::egift, "A");
    EXPECT_EQ(confirm_without_token(desk, "A", "/venda/egift/confirmar").status, 401);
    EXPECT_EQ(desk.status("A"), Status::autorizada);
}

TEST(Envelope, AnEGiftConfirmGoesWithoutATokenWhereTheOptionSaysSo) {
    Options options;
    options.egift_confirm_without_token = true;
    Desk desk(options);
    desk.ask(Family::egift, "A");
    desk.ask(Family::tv, "B");
    EXPECT_EQ(confirm_without_token(desk, "B", "/venda/tv/confirmar").status, 401);
    EXPECT_EQ(confirm_without_token(desk, "A", "/venda/egift/confirmar").status, 200);
    EXPECT_EQ(desk.status("A"), Status::efetivada);
    desk.token = "nonsense";
    EXPECT_EQ(desk.confirm("A").status, 401) << "a token that is sent has to be good";
}

}  // namespace
}  // namespace gateway::sandbox
