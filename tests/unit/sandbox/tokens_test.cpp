#include "sandbox/tokens.hpp"

#include "unit/sandbox/caller.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

constexpr const char* credentials_grant = "grant_type=client_credentials&scope=Venda_TvPrePaga";

json::object token_of(const Answer& answer) {
    EXPECT_EQ(answer.status, 200);
    return parse_object(answer.body);
}

std::string text(const json::object& object, std::string_view name) {
    return std::string(object.at(name).as_string());
}

Answer refresh(Caller& caller, const json::object& token) {
    return caller.token_request("grant_type=refresh_token&refresh_token=" + text(token, "refresh_token"), std::nullopt);
}

TEST(Tokens, TheAnswerHasTheDocumentsFieldsAndNoOthers) {
    Caller caller;
    const auto token =
        token_of(caller.token_request("grant_type=client_credentials&scope=Venda_Egift+Venda_TvPrePaga"));
    EXPECT_EQ(token.size(), 5U);
    EXPECT_FALSE(text(token, "access_token").empty());
    EXPECT_EQ(text(token, "token_type"), "Bearer");
    EXPECT_EQ(token.at("expires_in").as_int64(), (caller.now + 5min).time_since_epoch().count());
    EXPECT_FALSE(text(token, "refresh_token").empty());
    EXPECT_EQ(text(token, "scope"), "Venda_Egift,Venda_TvPrePaga");
}

TEST(Tokens, ErrorsHaveTheirBodies) {
    struct Row {
        const char* body;
        std::optional<std::string> authorization;
        int status;
        const char* error;
        const char* description;
    };
    const std::vector<Row> rows{
        {credentials_grant, std::nullopt, 400, "invalid_request", "Credentials not available"},
        {credentials_grant, "Bearer YXBwLWtleTphcHAtc2VjcmV0", 400, "invalid_request", "Credentials not available"},
        {credentials_grant, "Basic d3Jvbmc6d3Jvbmc=", 401, "invalid_client", "Unknown credentials"},
        {"grant_type=client_credentials&scope=No", Caller::basic, 400, "invalid_scope", "No valid scope given"},
        {"grant_type=client_credentials", Caller::basic, 400, "invalid_scope", "No valid scope given"},
        {"grant_type=refresh_token", Caller::basic, 400, "invalid_grant", "The refresh token is not valid"},
        {"grant_type=password", Caller::basic, 400, "unsupported_grant_type",
         "grant_type must be client_credentials or refresh_token"},
        {"grant_type=client_credentials&grant_type=x", Caller::basic, 400, "invalid_request", "The body is no form"},
    };
    for (const auto& row : rows) {
        Caller caller;
        const auto answer = caller.token_request(row.body, row.authorization);
        EXPECT_EQ(answer.status, row.status) << row.body;
        EXPECT_EQ(parse_object(answer.body),
                  (json::object{{"error", row.error}, {"error_description", row.description}}));
    }
    Caller caller;
    const Headers headers{{"Content-Type", "application/json"}, {"Authorization", Caller::basic}};
    EXPECT_EQ(caller.model.handle({"POST", "/authorization/token", headers, credentials_grant}, caller.now).status,
              415);
}

TEST(Tokens, OfTheScopesAskedForThoseThatExistAreEnabled) {
    Caller caller;
    const auto token = token_of(caller.token_request("grant_type=client_credentials&scope=Venda_Nada%20Envio_SMS"));
    EXPECT_EQ(text(token, "scope"), "Envio_SMS");
}

TEST(Tokens, ARefreshTokenServesOnceAndOutlivesItsAccessTokenButNotItsOwnLifetime) {
    Options options;
    options.refresh_lifetime = 1h;
    Caller caller(options);
    const auto first = token_of(caller.token_request(credentials_grant));
    caller.now += 1h - 1ms;
    const auto second = token_of(refresh(caller, first));
    EXPECT_NE(text(second, "access_token"), text(first, "access_token"));
    EXPECT_EQ(text(second, "scope"), "Venda_TvPrePaga");
    EXPECT_EQ(refresh(caller, first).status, 400);
    caller.now += 1h;
    EXPECT_EQ(refresh(caller, second).status, 400);
}

TEST(Tokens, SeveralAreGoodAtTheSameTimeEachForFiveMinutes) {
    Caller caller;
    const auto first = caller.token;
    caller.now += 5min - 1ms;
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 200);
    caller.token = caller.new_token();
    caller.now += 1ms;
    EXPECT_EQ(caller.ask(Family::tv, "B").status, 200);
    caller.token = first;
    const auto answer = caller.ask(Family::tv, "C");
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(reason_of(answer), "the access token has expired");
    EXPECT_EQ(find_header(answer.headers, "WWW-Authenticate"), "Bearer");
    EXPECT_EQ(caller.status("C"), Status::none);
}

TEST(Tokens, ExpiringAllOfThemTakesTheRefreshTokensToo) {
    Caller caller;
    const auto token = token_of(caller.token_request(credentials_grant));
    caller.model.expire_tokens();
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 401);
    EXPECT_EQ(refresh(caller, token).status, 400);
    EXPECT_EQ(caller.model.tokens().valid(caller.now), 0U);
}

TEST(Tokens, AreNotKeptForEver) {
    Caller caller;
    const auto first = caller.token;
    caller.now += 6min;
    EXPECT_EQ(caller.model.tokens().check(first, caller.now), Tokens::Verdict::expired);
    caller.now += 5min;
    caller.new_token();
    EXPECT_EQ(caller.model.tokens().check(first, caller.now), Tokens::Verdict::unknown);
}

}  // namespace
}  // namespace gateway::sandbox
