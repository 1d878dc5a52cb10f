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

void expect_error(const Answer& answer, int status, std::string_view error, std::string_view description) {
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(parse_object(answer.body), (json::object{{"error", error}, {"error_description", description}}));
}

std::string text(const json::object& object, std::string_view name) {
    return std::string(object.at(name).as_string());
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

TEST(Tokens, ExpiresInCanBeInSecondsOrALength) {
    Options seconds;
    seconds.expires_in = ExpiresIn::timestamp_s;
    Caller one(seconds);
    EXPECT_EQ(token_of(one.token_request(credentials_grant)).at("expires_in").as_int64(),
              (one.now + 5min).time_since_epoch().count() / 1000);
    Options length;
    length.expires_in = ExpiresIn::duration_s;
    Caller two(length);
    EXPECT_EQ(token_of(two.token_request(credentials_grant)).at("expires_in").as_int64(), 300);
}

TEST(Tokens, TheThreeDocumentedErrorsHaveTheirBodies) {
    Caller caller;
    expect_error(caller.token_request(credentials_grant, std::nullopt), 400, "invalid_request",
                 "Credentials not available");
    expect_error(caller.token_request(credentials_grant, "Basic d3Jvbmc6d3Jvbmc="), 401, "invalid_client",
                 "Unknown credentials");
    expect_error(caller.token_request("grant_type=client_credentials&scope=Venda_Nada", Caller::basic), 400,
                 "invalid_scope", "No valid scope given");
}

TEST(Tokens, CredentialsInAnotherSchemeAreNoCredentials) {
    Caller caller;
    expect_error(caller.token_request(credentials_grant, "Bearer YXBwLWtleTphcHAtc2VjcmV0"), 400, "invalid_request",
                 "Credentials not available");
}

TEST(Tokens, OfTheScopesAskedForThoseThatExistAreEnabled) {
    Caller caller;
    const auto token = token_of(caller.token_request("grant_type=client_credentials&scope=Venda_Nada%20Envio_SMS"));
    EXPECT_EQ(text(token, "scope"), "Envio_SMS");
    expect_error(caller.token_request("grant_type=client_credentials"), 400, "invalid_scope", "No valid scope given");
}

TEST(Tokens, AnythingElseIsRefused) {
    Caller caller;
    EXPECT_EQ(caller.token_request("grant_type=password").status, 400);
    EXPECT_EQ(caller.token_request("").status, 400);
    EXPECT_EQ(caller.token_request("grant_type=client_credentials&grant_type=client_credentials").status, 400);
    const Call json_body{"POST",
                         "/authorization/token",
                         {{"Content-Type", "application/json"}, {"Authorization", Caller::basic}},
                         credentials_grant};
    EXPECT_EQ(caller.model.handle(json_body, caller.now).status, 415);
}

TEST(Tokens, ARefreshGivesNewTokensWithoutAnAuthorizationHeader) {
    Caller caller;
    const auto first = token_of(caller.token_request(credentials_grant));
    const auto body = "grant_type=refresh_token&refresh_token=" + text(first, "refresh_token");
    const auto second = token_of(caller.token_request(body, std::nullopt));
    EXPECT_NE(text(second, "access_token"), text(first, "access_token"));
    EXPECT_NE(text(second, "refresh_token"), text(first, "refresh_token"));
    EXPECT_EQ(text(second, "scope"), "Venda_TvPrePaga");
    EXPECT_EQ(caller.token_request(body, std::nullopt).status, 400) << "a refresh token serves once";
}

TEST(Tokens, ARefreshTokenOutlivesItsAccessTokenButNotItsOwnLifetime) {
    Options options;
    options.refresh_lifetime = 1h;
    Caller caller(options);
    const auto request = [&](const json::object& token) {
        return caller.token_request("grant_type=refresh_token&refresh_token=" + text(token, "refresh_token"),
                                    std::nullopt);
    };
    const auto first = token_of(caller.token_request(credentials_grant));
    caller.now += 1h - 1ms;
    const auto second = token_of(request(first));
    caller.now += 1h;
    expect_error(request(second), 400, "invalid_grant", "The refresh token is not valid");
}

TEST(Tokens, SeveralAreGoodAtTheSameTime) {
    Caller caller;
    const auto first = caller.token;
    caller.token = caller.new_token();
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 200);
    caller.token = first;
    EXPECT_EQ(caller.ask(Family::tv, "B").status, 200);
}

TEST(Tokens, ATokenLivesForFiveMinutes) {
    Caller caller;
    caller.now += 5min - 1ms;
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 200);
    caller.now += 1ms;
    const auto answer = caller.ask(Family::tv, "B");
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(reason_of(answer), "the access token has expired");
    EXPECT_EQ(find_header(answer.headers, "WWW-Authenticate"), "Bearer");
    EXPECT_EQ(caller.status("B"), Status::none);
}

TEST(Tokens, ExpiringAllOfThemTakesTheRefreshTokensToo) {
    Caller caller;
    const auto token = token_of(caller.token_request(credentials_grant));
    caller.model.expire_tokens();
    EXPECT_EQ(caller.ask(Family::tv, "A").status, 401);
    EXPECT_EQ(caller.token_request("grant_type=refresh_token&refresh_token=" + text(token, "refresh_token")).status,
              400);
    EXPECT_EQ(caller.model.tokens().valid(caller.now), 0U);
}

TEST(Tokens, AreNotKeptForEver) {
    test::SeededRandom random;
    const Options options;
    Tokens tokens(options, random);
    const Call call{"POST",
                    "/authorization/token",
                    {{"Content-Type", "application/x-www-form-urlencoded"}, {"Authorization", Caller::basic}},
                    credentials_grant};
    const auto first = tokens.request(call, WallTime{});
    const auto access = text(first.body, "access_token");
    EXPECT_EQ(tokens.check(access, WallTime{} + 6min), Tokens::Verdict::expired);
    tokens.request(call, WallTime{} + 11min);
    EXPECT_EQ(tokens.check(access, WallTime{} + 11min), Tokens::Verdict::unknown);
}

}  // namespace
}  // namespace gateway::sandbox
