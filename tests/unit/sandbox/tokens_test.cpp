#include "sandbox/tokens.hpp"

#include "unit/sandbox/desk.hpp"

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
    Desk desk;
    const auto token = token_of(desk.token_request("grant_type=client_credentials&scope=Venda_Egift+Venda_TvPrePaga"));
    EXPECT_EQ(token.size(), 5U);
    EXPECT_FALSE(text(token, "access_token").empty());
    EXPECT_EQ(text(token, "token_type"), "Bearer");
    EXPECT_EQ(token.at("expires_in").as_int64(), (desk.now + 5min).time_since_epoch().count());
    EXPECT_FALSE(text(token, "refresh_token").empty());
    EXPECT_EQ(text(token, "scope"), "Venda_Egift,Venda_TvPrePaga");
}

TEST(Tokens, ExpiresInCanBeInSecondsOrALength) {
    Options seconds;
    seconds.expires_in = ExpiresIn::timestamp_s;
    Desk one(seconds);
    EXPECT_EQ(token_of(one.token_request(credentials_grant)).at("expires_in").as_int64(),
              (one.now + 5min).time_since_epoch().count() / 1000);
    Options length;
    length.expires_in = ExpiresIn::duration_s;
    Desk two(length);
    EXPECT_EQ(token_of(two.token_request(credentials_grant)).at("expires_in").as_int64(), 300);
}

TEST(Tokens, TheThreeDocumentedErrorsHaveTheirBodies) {
    Desk desk;
    expect_error(desk.token_request(credentials_grant, std::nullopt), 400, "invalid_request",
                 "Credentials not available");
    expect_error(desk.token_request(credentials_grant, "Basic d3Jvbmc6d3Jvbmc="), 401, "invalid_client",
                 "Unknown credentials");
    expect_error(desk.token_request("grant_type=client_credentials&scope=Venda_Nada", Desk::basic), 400,
                 "invalid_scope", "No valid scope given");
}

TEST(Tokens, CredentialsInAnotherSchemeAreNoCredentials) {
    Desk desk;
    expect_error(desk.token_request(credentials_grant, "Bearer YXBwLWtleTphcHAtc2VjcmV0"), 400, "invalid_request",
                 "Credentials not available");
}

TEST(Tokens, OfTheScopesAskedForThoseThatExistAreEnabled) {
    Desk desk;
    const auto token = token_of(desk.token_request("grant_type=client_credentials&scope=Venda_Nada%20Envio_SMS"));
    EXPECT_EQ(text(token, "scope"), "Envio_SMS");
    expect_error(desk.token_request("grant_type=client_credentials"), 400, "invalid_scope", "No valid scope given");
}

TEST(Tokens, AnythingElseIsRefused) {
    Desk desk;
    EXPECT_EQ(desk.token_request("grant_type=password").status, 400);
    EXPECT_EQ(desk.token_request("").status, 400);
    EXPECT_EQ(desk.token_request("grant_type=client_credentials&grant_type=client_credentials").status, 400);
    const Call json_body{"POST",
                         "/authorization/token",
                         {{"Content-Type", "application/json"}, {"Authorization", Desk::basic}},
                         credentials_grant};
    EXPECT_EQ(desk.model.handle(json_body, desk.now).status, 415);
}

TEST(Tokens, ARefreshGivesNewTokensWithoutAnAuthorizationHeader) {
    Desk desk;
    const auto first = token_of(desk.token_request(credentials_grant));
    const auto body = "grant_type=refresh_token&refresh_token=" + text(first, "refresh_token");
    const auto second = token_of(desk.token_request(body, std::nullopt));
    EXPECT_NE(text(second, "access_token"), text(first, "access_token"));
    EXPECT_NE(text(second, "refresh_token"), text(first, "refresh_token"));
    EXPECT_EQ(text(second, "scope"), "Venda_TvPrePaga");
    EXPECT_EQ(desk.token_request(body, std::nullopt).status, 400) << "a refresh token serves once";
}

TEST(Tokens, ARefreshTokenOutlivesItsAccessTokenButNotItsOwnLifetime) {
    Options options;
    options.refresh_lifetime = 1h;
    Desk desk(options);
    const auto request = [&](const json::object& token) {
        return desk.token_request("grant_type=refresh_token&refresh_token=" + text(token, "refresh_token"),
                                  std::nullopt);
    };
    const auto first = token_of(desk.token_request(credentials_grant));
    desk.now += 1h - 1ms;
    const auto second = token_of(request(first));
    desk.now += 1h;
    expect_error(request(second), 400, "invalid_grant", "The refresh token is not valid");
}

TEST(Tokens, SeveralAreGoodAtTheSameTime) {
    Desk desk;
    const auto first = desk.token;
    desk.token = desk.new_token();
    EXPECT_EQ(desk.ask(Family::tv, "A").status, 200);
    desk.token = first;
    EXPECT_EQ(desk.ask(Family::tv, "B").status, 200);
}

TEST(Tokens, ATokenLivesForFiveMinutes) {
    Desk desk;
    desk.now += 5min - 1ms;
    EXPECT_EQ(desk.ask(Family::tv, "A").status, 200);
    desk.now += 1ms;
    const auto answer = desk.ask(Family::tv, "B");
    EXPECT_EQ(answer.status, 401);
    EXPECT_EQ(reason_of(answer), "the access token has expired");
    EXPECT_EQ(find_header(answer.headers, "WWW-Authenticate"), "Bearer");
    EXPECT_EQ(desk.status("B"), Status::none);
}

TEST(Tokens, ExpiringAllOfThemTakesTheRefreshTokensToo) {
    Desk desk;
    const auto token = token_of(desk.token_request(credentials_grant));
    desk.model.expire_tokens();
    EXPECT_EQ(desk.ask(Family::tv, "A").status, 401);
    EXPECT_EQ(desk.token_request("grant_type=refresh_token&refresh_token=" + text(token, "refresh_token")).status, 400);
    EXPECT_EQ(desk.model.tokens().valid(desk.now), 0U);
}

TEST(Tokens, AreNotKeptForEver) {
    test::SeededRandom random;
    const Options options;
    Tokens tokens(options, random);
    const Call call{"POST",
                    "/authorization/token",
                    {{"Content-Type", "application/x-www-form-urlencoded"}, {"Authorization", Desk::basic}},
                    credentials_grant};
    const auto first = tokens.request(call, WallTime{});
    const auto access = text(first.body, "access_token");
    EXPECT_EQ(tokens.check(access, WallTime{} + 6min), Tokens::Verdict::expired);
    tokens.request(call, WallTime{} + 11min);
    EXPECT_EQ(tokens.check(access, WallTime{} + 11min), Tokens::Verdict::unknown);
}

}  // namespace
}  // namespace gateway::sandbox
