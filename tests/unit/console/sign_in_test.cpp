#include "console/sign_in.hpp"

#include "unit/console/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using http::verb;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SignInTest : public testing::Test, public ConsoleRig {
  protected:
    std::string made_link() {
        auto asked = without_origin(verb::post, "/v1/console/links");
        return Shown{clock.run(admin.dispatch(asked))}.text("secret");
    }
    Shown by_link(const std::string& secret) { return sign_in_with(R"({"link":")" + secret + R"("})"); }
    static constexpr auto guesses = BruteForceThrottle::free_tries + BruteForceThrottle::waiting_tries;
};

TEST_F(SignInTest, ThePasswordOfAnOperatorOpensASession) {
    const auto told = sign_in_as("Ana", "certo");
    EXPECT_EQ(told.status(), 200U);
    EXPECT_EQ(told.text("name"), "Ana");
    EXPECT_EQ(told.text("role"), "settle");
    EXPECT_EQ(told.text("endsAt"), "2024-05-03T01:00:00.000Z");
    EXPECT_EQ(told.json().at("idleMinutes"), 30);
    EXPECT_EQ(told.text("version"), "0.0.0") << "with what a page must know besides";
    EXPECT_EQ(get("/console/session", told.cookie()).response.body, told.response.body);
    EXPECT_TRUE(log.has("info console.signed_in by=Ana remote=192.0.2.7 role=settle"));
    EXPECT_FALSE(log.has("certo"));
}

TEST_F(SignInTest, AWrongPasswordAndAnUnknownNameAreAnsweredAlike) {
    const auto wrong = sign_in_as("Ana", "errado");
    const auto unknown = sign_in_as("Eva", "errado");
    EXPECT_EQ(wrong.status(), 401U);
    EXPECT_EQ(wrong.text("code"), "unauthorized");
    EXPECT_EQ(wrong.response.body, unknown.response.body);
    EXPECT_EQ(wrong.response.headers, unknown.response.headers);
    EXPECT_EQ(wrong.cookie(), "");
    EXPECT_EQ(looked_at.size(), 2U) << "of nobody, too, so that both take as long";
    EXPECT_NE(looked_at[0], looked_at[1]);
    EXPECT_TRUE(log.has("info console.refused remote=192.0.2.7 request=r-1 detail=\"wrong password\""));
    EXPECT_TRUE(log.has("detail=\"no such operator\""));
    EXPECT_FALSE(log.has("Eva")) << "a password may have been typed where the name belongs";
    EXPECT_FALSE(log.has("errado"));
}

TEST_F(SignInTest, APersonsPasswordIsNobodyElses) {
    EXPECT_EQ(sign_in_as("Ana", "certo também").status(), 401U);
    EXPECT_EQ(sign_in_as("ana", "certo").status(), 401U);
    EXPECT_EQ(sign_in_as("Ana", "certo também").cookie(), "");
}

TEST_F(SignInTest, WhoGuessesWaits) {
    for (int i = 0; i < BruteForceThrottle::free_tries; ++i)
        EXPECT_EQ(sign_in_as("Ana", "errado").status(), 401U);
    const auto late = begin_sign_in("Ana", "errado");
    EXPECT_FALSE(*late);
    EXPECT_TRUE(log.has("warn console.guessing remote=192.0.2.7"));
    EXPECT_EQ(sign_in_as("Ana", "certo").status(), 200U) << "a right one does not";
    EXPECT_FALSE(*late);
    clock.advance(BruteForceThrottle::pace);
    ASSERT_TRUE(*late);
    EXPECT_EQ((*late)->status(), 401U);
}

TEST_F(SignInTest, WhoGuessesOnIsTurnedAwayBeforeAPasswordIsLookedAt) {
    for (int i = 0; i < guesses; ++i)
        begin_sign_in("Ana", "errado");
    const auto looked_at_before = looked_at.size();
    const auto told = sign_in_as("Ana", "certo");
    EXPECT_EQ(told.status(), 429U);
    EXPECT_EQ(told.text("code"), "rate_limited");
    EXPECT_NE(told.header("Retry-After"), "");
    EXPECT_EQ(looked_at.size(), looked_at_before);
    auto elsewhere = request(verb::post, "/console/session", R"({"name":"Ana","password":"certo"})");
    elsewhere.remote = boost::asio::ip::make_address("192.0.2.8");
    EXPECT_EQ(ask(std::move(elsewhere)).status(), 200U);
    clock.advance(BruteForceThrottle::pace * guesses);
    EXPECT_EQ(sign_in_as("Ana", "certo").status(), 200U);
}

TEST_F(SignInTest, NoMorePasswordsAreLookedAtAtOnceThanMayWait) {
    check_takes = 100ms;
    for (std::size_t i = 0; i < SignIn::most_checks; ++i)
        EXPECT_FALSE(*begin_sign_in("Ana", "certo"));
    const auto one_more = begin_sign_in("Ana", "certo");
    ASSERT_TRUE(*one_more);
    EXPECT_EQ((*one_more)->status(), 429U);
    EXPECT_THAT((*one_more)->text("detail"), Not(HasSubstr("wrong")));
    EXPECT_EQ((*one_more)->header("Retry-After"), "1");
    EXPECT_EQ(looked_at.size(), SignIn::most_checks);
    clock.advance(check_takes);
    EXPECT_EQ(sign_in_as("Ana", "certo").status(), 200U);
}

TEST_F(SignInTest, ALinkOpensASessionOnce) {
    const auto secret = made_link();
    const auto told = by_link(secret);
    EXPECT_EQ(told.status(), 200U);
    EXPECT_EQ(told.text("name"), "console");
    EXPECT_EQ(told.text("role"), "settle");
    EXPECT_EQ(get("/v1/thing", told.cookie()).status(), 200U);
    EXPECT_EQ(by_link(secret).status(), 401U);
    EXPECT_TRUE(looked_at.empty());
    EXPECT_FALSE(log.has(secret));
    for (int i = 1; i < guesses; ++i)
        begin(request(verb::post, "/console/session", R"({"link":"x"})"));
    EXPECT_EQ(by_link("x").status(), 429U) << "links are guessed no faster than passwords";
}

TEST_F(SignInTest, ALinkIsMadeForTheCommandOnTheBoxAndForNoWebPage) {
    auto asked = without_origin(verb::post, "/v1/console/links");
    const Shown told{clock.run(admin.dispatch(asked))};
    EXPECT_EQ(told.status(), 201U);
    EXPECT_EQ(told.text("url"), "http://127.0.0.1:9091/");
    EXPECT_EQ(told.text("secret").size(), 64U);
    EXPECT_EQ(told.text("expiresAt"), "2024-05-02T13:05:00.000Z");
    auto page = request(verb::post, "/v1/console/links");
    EXPECT_EQ(Shown{clock.run(admin.dispatch(page))}.status(), 403U);
    for (const auto* body : {R"({"role":"look"})", R"({"by":""})", R"({"by":7})"}) {
        auto wrong = without_origin(verb::post, "/v1/console/links", body);
        EXPECT_EQ(Shown{clock.run(admin.dispatch(wrong))}.status(), 422U) << body;
    }
    auto no_json = without_origin(verb::post, "/v1/console/links", "{");
    EXPECT_EQ(Shown{clock.run(admin.dispatch(no_json))}.status(), 400U);
}

TEST_F(SignInTest, ALinkIsForThePersonThatItWasMadeFor) {
    auto asked = without_origin(verb::post, "/v1/console/links", R"({"by":"rita"})");
    const auto secret = Shown{clock.run(admin.dispatch(asked))}.text("secret");
    EXPECT_EQ(by_link(secret).text("name"), "rita");
    auto nameless = without_origin(verb::post, "/v1/console/links", "{}");
    EXPECT_EQ(by_link(Shown{clock.run(admin.dispatch(nameless))}.text("secret")).text("name"), "console");
}

TEST_F(SignInTest, ALinkLeadsABrowserOnTheBoxToWhereTheConsoleListens) {
    for (const auto& [address, url] :
         {std::pair("0.0.0.0", "http://localhost:9091/"), std::pair("::", "http://localhost:9091/"),
          std::pair("::1", "http://[::1]:9091/"), std::pair("192.0.2.1", "http://192.0.2.1:9091/")}) {
        listening.emplace(boost::asio::ip::make_address(address), 9091);
        auto asked = without_origin(verb::post, "/v1/console/links");
        EXPECT_EQ(Shown{clock.run(admin.dispatch(asked))}.text("url"), url);
    }
}

TEST_F(SignInTest, WithoutAConsoleThereIsNoLink) {
    listening.reset();
    auto asked = without_origin(verb::post, "/v1/console/links");
    const Shown told{clock.run(admin.dispatch(asked))};
    EXPECT_EQ(told.status(), 404U);
    EXPECT_EQ(told.text("code"), "not_configured");
}

TEST_F(SignInTest, WhatIsSentToSignInIsReadStrictly) {
    for (const auto* body :
         {"{}", R"({"name":"Ana"})", R"({"password":"certo"})", R"({"name":"","password":"certo"})",
          R"({"name":"Ana","password":""})", R"({"name":"Ana","password":"certo","role":"settle"})", R"({"link":""})",
          R"({"link":"x","name":"Ana"})", R"({"name":["Ana"],"password":"certo"})", R"({"link":null})", "[]"})
        EXPECT_EQ(sign_in_with(body).status(), 422U) << body;
    EXPECT_EQ(sign_in_with("{").status(), 400U);
    EXPECT_EQ(sign_in_with(R"({"name":"Eva","name":"Ana","password":"certo"})").status(), 400U);
    EXPECT_EQ(sign_in_with("").status(), 400U);
    auto form = request(verb::post, "/console/session", "name=Ana&password=certo");
    form.headers = {};
    form.headers.insert("Host", "127.0.0.1:9091");
    form.headers.insert("Origin", origin());
    form.headers.insert("Content-Type", "application/x-www-form-urlencoded");
    EXPECT_EQ(ask(std::move(form)).status(), 415U);
    EXPECT_TRUE(looked_at.empty());
}

TEST_F(SignInTest, WithoutASessionNothingIsRead) {
    for (const auto& cookie : {std::string(), std::string("sales-gateway-console-9091="),
                               "sales-gateway-console-9091=" + std::string(64, '0'), std::string("x=y")}) {
        const auto told = get("/v1/thing", cookie);
        EXPECT_EQ(told.status(), 401U) << cookie;
        EXPECT_EQ(told.text("code"), "unauthorized");
        EXPECT_NE(told.header("Content-Security-Policy"), "");
        EXPECT_EQ(get("/console/session", cookie).status(), 401U);
        EXPECT_EQ(get("/nothing/here", cookie).status(), 401U) << "nor is it told which calls there are";
    }
    EXPECT_TRUE(principals.empty());
}

TEST_F(SignInTest, EverybodyIsToldWhoseConsoleThisIsAndNothingElse) {
    const auto told = get("/console/looks", "");
    EXPECT_EQ(told.status(), 200U);
    EXPECT_EQ(told.response.body, R"({"name":"Mercadinho da Praça","cnpj":"12.345.678/0001-95","colour":"#1a5fb4"})");
    EXPECT_NE(told.header("Content-Security-Policy"), "");
}

TEST_F(SignInTest, WhoHasSignedInIsToldTheProvidersTelephone) {
    EXPECT_EQ(get("/console/session", of_ana()).text("providerPhone"), "0800 123 4567");
}

TEST_F(SignInTest, WhoCallsIsThePersonWhoHasSignedIn) {
    EXPECT_EQ(get("/v1/thing", of_ana()).status(), 200U);
    EXPECT_EQ(get("/v1/thing", of_bia()).status(), 200U);
    EXPECT_EQ(ask(verb::post, "/v1/thing", of_ana()).status(), 200U);
    EXPECT_THAT(principals, ElementsAre("Ana", "Bia", "Ana"));
}

TEST_F(SignInTest, WhoMayLookWritesNothing) {
    const auto told = ask(verb::post, "/v1/thing", of_bia());
    EXPECT_EQ(told.status(), 403U);
    EXPECT_EQ(told.text("code"), "forbidden");
    EXPECT_THAT(told.text("detail"), StartsWith("Bia may look, and settle nothing"));
    EXPECT_EQ(ask(verb::delete_, "/v1/thing", of_bia()).status(), 403U);
    EXPECT_TRUE(principals.empty());
    EXPECT_EQ(ask(verb::delete_, "/console/session", of_bia()).status(), 204U) << "but signs out";
}

TEST_F(SignInTest, AnotherPageWritesNothing) {
    const auto cookie = of_ana();
    const std::string body = R"({"name":"Ana","password":"certo"})";
    const std::vector<std::pair<verb, std::string>> writes{
        {verb::post, "/v1/thing"}, {verb::post, "/console/session"}, {verb::delete_, "/console/session"}};
    for (const auto& [method, target] : writes) {
        std::vector<http::Request> wrong{without_origin(method, target, body, cookie)};
        for (const auto* from : {"", "null", "http://127.0.0.1", "http://127.0.0.1:9090", "https://127.0.0.1:9091",
                                 "http://localhost:9091", "HTTP://127.0.0.1:9091", "http://127.0.0.1:9091/",
                                 "http://evil.example", "http://127.0.0.1:9091.evil.example"})
            wrong.emplace_back(without_origin(method, target, body, cookie)).headers.insert("Origin", from);
        auto& both = wrong.emplace_back(request(method, target, body, cookie));
        both.headers.insert("Origin", origin());
        for (auto& asked : wrong) {
            const auto from = std::string(asked.header("Origin"));
            const auto told = ask(std::move(asked));
            EXPECT_EQ(told.status(), 403U) << target << " from " << from;
            EXPECT_EQ(told.text("detail"), "Another page sent this. Nothing was done.");
        }
    }
    EXPECT_TRUE(principals.empty());
    EXPECT_EQ(looked_at.size(), 1U);
    EXPECT_EQ(get("/v1/thing", cookie).status(), 200U) << "and nobody was signed out";
}

TEST_F(SignInTest, TheOriginIsTheHostThatThePageWasCalledBy) {
    auto named = without_origin(verb::post, "/console/session", R"({"name":"Ana","password":"certo"})");
    named.headers = {};
    named.headers.insert("Host", "gateway.store:9091");
    named.headers.insert("Content-Type", "application/json");
    named.headers.insert("Origin", "http://gateway.store:9091");
    EXPECT_EQ(ask(std::move(named)).status(), 200U);
}

TEST_F(SignInTest, TheCookieIsForTheBrowserAloneAndOfThisSiteOnly) {
    const auto told = sign_in_as("Ana", "certo");
    EXPECT_THAT(told.header("Set-Cookie"), StartsWith("sales-gateway-console-9091="));
    EXPECT_THAT(told.header("Set-Cookie"), testing::EndsWith("; Path=/; HttpOnly; SameSite=Strict"));
}

TEST(SignInOverTls, TheCookieIsNoOtherHostsAndNeverSentInClear) {
    ConsoleRig rig(true);
    const auto told = rig.sign_in_as("Ana", "certo");
    EXPECT_EQ(told.status(), 200U);
    EXPECT_THAT(told.header("Set-Cookie"), StartsWith("__Host-sales-gateway-console-9091="));
    EXPECT_THAT(told.header("Set-Cookie"), testing::EndsWith("; Path=/; HttpOnly; SameSite=Strict; Secure"));
    EXPECT_EQ(rig.get("/v1/thing", told.cookie()).status(), 200U);
    const auto unprotected = told.cookie().substr(std::string_view("__Host-").size());
    EXPECT_EQ(rig.get("/v1/thing", unprotected).status(), 401U);
    auto in_clear = rig.without_origin(verb::post, "/v1/thing", {}, told.cookie());
    in_clear.headers.insert("Origin", "http://127.0.0.1:9091");
    EXPECT_EQ(rig.ask(std::move(in_clear)).status(), 403U);
}

TEST_F(SignInTest, TheCookieIsFoundAmongOthers) {
    const auto cookie = of_ana();
    for (const auto& sent : {"a=b; " + cookie, cookie + "; a=b", "a=b;" + cookie + ";c=d", cookie + ";", "; " + cookie,
                             "a; " + cookie, "xsales-gateway-console-9091=1; " + cookie,
                             "sales-gateway-console-9092=1; sales-gateway-console=1; " + cookie})
        EXPECT_EQ(get("/v1/thing", sent).status(), 200U) << sent;
}

TEST_F(SignInTest, TwoCookiesOfOneNameAreNone) {
    const auto cookie = of_ana();
    EXPECT_EQ(get("/v1/thing", cookie + "; " + cookie).status(), 401U);
    EXPECT_EQ(get("/v1/thing", "sales-gateway-console-9091=x; " + cookie).status(), 401U);
    auto twice = request(verb::get, "/v1/thing", {}, cookie);
    twice.headers.insert("Cookie", cookie);
    EXPECT_EQ(ask(std::move(twice)).status(), 401U);
}

TEST_F(SignInTest, EverySignInShowsAnotherCookie) {
    const auto first = of_ana();
    EXPECT_NE(of_ana(), first);
    auto again = request(verb::post, "/console/session", R"({"name":"Ana","password":"certo"})", first);
    EXPECT_NE(ask(std::move(again)).cookie(), first) << "whatever the browser showed before";
}

TEST_F(SignInTest, ASignOutEndsTheSessionAndTakesTheCookie) {
    const auto cookie = of_ana();
    const auto told = ask(verb::delete_, "/console/session", cookie);
    EXPECT_EQ(told.status(), 204U);
    EXPECT_EQ(told.header("Set-Cookie"), "sales-gateway-console-9091=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    EXPECT_EQ(get("/v1/thing", cookie).status(), 401U);
    EXPECT_TRUE(log.has("info console.signed_out by=Ana"));
    EXPECT_EQ(ask(verb::delete_, "/console/session", cookie).status(), 204U);
    EXPECT_EQ(log.count("console.signed_out"), 1U);
}

TEST_F(SignInTest, APageThatReadsByItselfKeepsNobodySignedIn) {
    const auto clicked = of_ana();
    const auto left_alone = of_bia();
    const auto refresh = [&](const std::string& cookie) {
        auto asked = request(verb::get, "/v1/thing", {}, cookie);
        asked.headers.insert("Console-Refresh", "1");
        return ask(std::move(asked)).status();
    };
    const auto stream = [&](const std::string& cookie) {
        auto asked = request(verb::get, "/v1/thing", {}, cookie);
        asked.headers.insert("Accept", "text/event-stream");
        return ask(std::move(asked)).status();
    };
    clock.advance(Sessions::idle - 1ms);
    EXPECT_EQ(get("/v1/thing", clicked).status(), 200U);
    EXPECT_EQ(refresh(left_alone), 200U);
    EXPECT_EQ(stream(left_alone), 200U);
    EXPECT_EQ(get("/console/session", left_alone).status(), 200U) << "nor is this a use";
    clock.advance(1ms);
    EXPECT_EQ(get("/v1/thing", clicked).status(), 200U);
    EXPECT_EQ(refresh(left_alone), 401U);
}

TEST_F(SignInTest, AReloadSignsOutWhoHasNoPlaceInItOrAnotherOne) {
    const auto of_a = of_ana();
    const auto of_b = of_bia();
    sign_in->reload({ana});
    EXPECT_EQ(get("/v1/thing", of_a).status(), 200U);
    EXPECT_EQ(get("/v1/thing", of_b).status(), 401U);
    EXPECT_EQ(sign_in_as("Bia", "certo também").status(), 401U);
    auto demoted = ana;
    demoted.role = Role::look;
    sign_in->reload({demoted, bia});
    EXPECT_EQ(get("/v1/thing", of_a).status(), 401U);
    EXPECT_EQ(sign_in_as("Bia", "certo também").status(), 200U);
    EXPECT_EQ(sign_in_as("Ana", "certo").text("role"), "look");
}

TEST_F(SignInTest, AReloadWhileAPasswordIsLookedAtCounts) {
    check_takes = 100ms;
    const auto removed = begin_sign_in("Ana", "certo");
    const auto kept = begin_sign_in("Bia", "certo também");
    auto renewed = ana;
    renewed.password = hash_of('c', "outro");
    sign_in->reload({renewed, bia});
    clock.advance(check_takes);
    ASSERT_TRUE(*removed && *kept);
    EXPECT_EQ((*removed)->status(), 401U);
    EXPECT_EQ((*removed)->cookie(), "");
    EXPECT_EQ((*kept)->status(), 200U);
}

TEST_F(SignInTest, ASessionThatHasEndedIsSeenToHaveEnded) {
    const auto cookie = of_ana();
    const auto asked = request(verb::get, "/v1/thing", {}, cookie);
    const std::string shown(sign_in->shown(asked));
    EXPECT_THAT(cookie, testing::EndsWith(shown));
    EXPECT_TRUE(sign_in->still_in(shown));
    EXPECT_FALSE(sign_in->still_in(""));
    clock.advance(Sessions::idle);
    EXPECT_FALSE(sign_in->still_in(shown));
}

TEST_F(SignInTest, EveryAnswerKeepsABrowserFromDoingMoreWithIt) {
    for (const auto& told : {sign_in_as("Ana", "certo"), sign_in_as("Ana", "errado"), sign_in_with("{}"),
                             get("/v1/thing", of_ana()), get("/v1/none", of_ana()), get("/v1/thing", ""),
                             ask(verb::post, "/v1/thing", of_bia()), ask(verb::delete_, "/console/session", "")}) {
        EXPECT_THAT(told.header("Content-Security-Policy"), HasSubstr("default-src 'none'")) << told.status();
        EXPECT_EQ(told.header("X-Content-Type-Options"), "nosniff") << told.status();
        EXPECT_THAT(told.response.body, Not(HasSubstr("certo")));
    }
}

}  // namespace
}  // namespace gateway::test
