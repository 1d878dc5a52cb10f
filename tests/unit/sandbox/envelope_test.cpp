#include "sandbox/envelope.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

Answer ask_with_header(Caller& caller, const std::string& name, const std::optional<std::string>& value) {
    auto headers = caller.headers();
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    if (value) headers.emplace_back(name, *value);
    return caller.model.handle({"POST", "/venda/tv/solicitar", headers, json::serialize(caller.order(Family::tv, "A"))},
                               caller.now);
}

TEST(Envelope, ASalesRequestNeedsABearerToken) {
    Caller caller;
    EXPECT_EQ(ask_with_header(caller, "Authorization", std::nullopt).status, 401);
    EXPECT_EQ(ask_with_header(caller, "Authorization", "Basic " + caller.token).status, 401);
    EXPECT_EQ(ask_with_header(caller, "Authorization", caller.token).status, 401);
    EXPECT_EQ(caller.model.metrics().departures(), 3U);
    EXPECT_EQ(ask_with_header(caller, "Authorization", "Bearer nonsense").status, 401);
    EXPECT_EQ(caller.model.metrics().departures(), 3U) << "a token that was revoked is not the client's fault";
    EXPECT_EQ(caller.status("A"), Status::none);
}

TEST(Envelope, AcceptHasToNameJson) {
    Caller caller;
    for (const auto& value : {std::optional<std::string>(), std::optional<std::string>("*/*"),
                              std::optional<std::string>("text/html, application/xml")})
        EXPECT_EQ(ask_with_header(caller, "Accept", value).status, 406);
    EXPECT_EQ(caller.model.metrics().departures(), 3U);
}

TEST(Envelope, JsonAmongOtherTypesIsNamed) {
    Caller caller;
    EXPECT_EQ(ask_with_header(caller, "Accept", "text/html , Application/JSON;q=0.9").status, 200);
}

TEST(Envelope, APostHasToSayThatItIsJson) {
    Caller caller;
    for (const auto& value : {std::optional<std::string>(), std::optional<std::string>("text/plain"),
                              std::optional<std::string>("application/jsonx")})
        EXPECT_EQ(ask_with_header(caller, "Content-Type", value).status, 415);
    EXPECT_EQ(caller.model.metrics().departures(), 3U);
}

TEST(Envelope, ACharacterSetMayFollowTheType) {
    Caller caller;
    EXPECT_EQ(ask_with_header(caller, "Content-Type", "application/json; charset=utf-8").status, 200);
}

TEST(Envelope, AQueryNeedsTheTokenAndAcceptOnly) {
    Caller caller;
    const std::string target = "/venda/tv/consulta-dinamica/12345678/TV%20Livre";
    const Headers enough{{"accept", "application/json"}, {"authorization", "Bearer " + caller.token}};
    EXPECT_EQ(caller.model.handle({"GET", target, enough, ""}, caller.now).status, 200);
    EXPECT_EQ(caller.model.handle({"GET", target, {enough.at(0)}, ""}, caller.now).status, 401);
    EXPECT_EQ(caller.model.handle({"GET", target, {enough.at(1)}, ""}, caller.now).status, 406);
}

Answer confirm_without_token(Caller& caller, const std::string& idExterno, const std::string& target) {
    const Headers headers{{"Accept", "application/json"}, {"Content-Type", "application/json"}};
    return caller.model.handle({"POST", target, headers, json::serialize(caller.confirm_body(idExterno))}, caller.now);
}

TEST(Envelope, AnEGiftConfirmNeedsAToken) {
    Caller caller;
    caller.ask(Family::egift, "A");
    EXPECT_EQ(confirm_without_token(caller, "A", "/venda/egift/confirmar").status, 401);
    EXPECT_EQ(caller.status("A"), Status::autorizada);
}

TEST(Envelope, AnEGiftConfirmGoesWithoutATokenWhereTheOptionSaysSo) {
    Options options;
    options.egift_confirm_without_token = true;
    Caller caller(options);
    caller.ask(Family::egift, "A");
    caller.ask(Family::tv, "B");
    EXPECT_EQ(confirm_without_token(caller, "B", "/venda/tv/confirmar").status, 401);
    EXPECT_EQ(confirm_without_token(caller, "A", "/venda/egift/confirmar").status, 200);
    EXPECT_EQ(caller.status("A"), Status::efetivada);
    caller.token = "nonsense";
    EXPECT_EQ(caller.confirm("A").status, 401) << "a token that is sent has to be good";
}

}  // namespace
}  // namespace gateway::sandbox
