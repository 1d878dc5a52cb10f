#include "api/authenticator.hpp"

#include "base/digest.hpp"
#include "http/server/target.hpp"
#include "unit/support/memory_log.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

Terminal terminal(std::string id) {
    auto digest = sha256_hex("key-of-" + id);
    return {.id = std::move(id), .key_sha256 = {std::move(digest)}, .estabelecimento = "1", .families = {Family::tv}};
}

struct GatekeeperTest : testing::Test {
    GatekeeperTest() {
        next = [this](http::Request& request) -> boost::asio::awaitable<http::Response> {
            authenticate.push_back(request.principal);
            co_return http::Response{};
        };
    }
    http::Request request(const std::string& key, std::vector<std::string> certified = {}) {
        http::Request made;
        if (!key.empty()) made.headers.insert("Authorization", "Bearer " + key);
        made.certified.names = std::move(certified);
        made.remote = boost::asio::ip::make_address("192.0.2.1");
        return made;
    }
    unsigned ask(Authenticator& authenticator, http::Request asked) {
        return static_cast<unsigned>(clock.run(authenticator.authenticate(asked, next)).status);
    }

    boost::asio::io_context io;
    VirtualClock clock{io};
    MemoryLog log;
    Terminals terminals{{terminal("caixa-01"), terminal("caixa-02")}};
    http::Handler next;
    std::vector<std::string> authenticate;
    Authenticator by_key{{}, terminals, clock, log};
    Authenticator by_both{{.certificates = true}, terminals, clock, log};
};

TEST_F(GatekeeperTest, LetsATerminalInByItsKey) {
    EXPECT_EQ(ask(by_key, request("key-of-caixa-02")), 200U);
    EXPECT_EQ(authenticate, std::vector<std::string>{"caixa-02"});
}

TEST_F(GatekeeperTest, NobodyElseComesIn) {
    EXPECT_EQ(ask(by_key, request("")), 401U);
    EXPECT_EQ(ask(by_key, request("guess")), 401U);
    EXPECT_TRUE(authenticate.empty());
}

TEST_F(GatekeeperTest, WrongKeysAreCountedAndMissingOnesAreNot) {
    ask(by_key, request("key-of-caixa-01"));
    ask(by_key, request(""));
    ask(by_key, request("guess"));
    ask(by_key, request("another guess"));
    Exposition out;
    by_key.expose(out);
    EXPECT_THAT(out.take(), testing::HasSubstr("\ngateway_terminals_wrong_keys_total 2\n"));
}

TEST_F(GatekeeperTest, SaysWhichOfThreeThingsIsWrongWithAKey) {
    const auto told = [this](http::Request asked) { return clock.run(by_key.authenticate(asked, next)).body; };
    EXPECT_THAT(told(request("")), testing::HasSubstr("is missing"));
    auto basic = request("");
    basic.headers.insert("Authorization", "Basic Y2FpeGE6MQ==");
    EXPECT_THAT(told(basic), testing::HasSubstr("not of the form"));
    EXPECT_THAT(told(request("guess")), testing::HasSubstr("No terminal has this key"));
}

TEST_F(GatekeeperTest, TwoKeysAreNoKey) {
    auto asked = request("key-of-caixa-01");
    asked.headers.insert("Authorization", "Bearer key-of-caixa-01");
    EXPECT_EQ(ask(by_key, asked), 400U);
    EXPECT_FALSE(by_key.knows(asked));
    EXPECT_TRUE(authenticate.empty());
}

TEST_F(GatekeeperTest, KnowsWhomItWouldLetInWithoutAskingForABody) {
    EXPECT_TRUE(by_key.knows(request("key-of-caixa-01")));
    EXPECT_FALSE(by_key.knows(request("guess")));
    EXPECT_FALSE(by_key.knows(request("")));
}

TEST_F(GatekeeperTest, WhereCertificatesAreAskedForTheKeyMustBeThatOfTheirTerminal) {
    EXPECT_EQ(ask(by_both, request("key-of-caixa-01", {"caixa-01"})), 200U);
    EXPECT_EQ(ask(by_both, request("key-of-caixa-01", {"store.example", "caixa-01"})), 200U);
    EXPECT_EQ(ask(by_both, request("key-of-caixa-01", {"caixa-02"})), 401U);
    EXPECT_EQ(ask(by_both, request("key-of-caixa-01", {"CAIXA-01"})), 401U);
    EXPECT_EQ(ask(by_both, request("key-of-caixa-01")), 401U);
    EXPECT_EQ(ask(by_both, request("guess", {"caixa-01"})), 401U);
    EXPECT_EQ(authenticate.size(), 2U);
}

TEST_F(GatekeeperTest, KeepsInMindWhoCalledAndWhoWasNotLetIn) {
    ask(by_key, request("key-of-caixa-01"));
    ask(by_key, request("guess"));
    ASSERT_NE(by_key.seen().of("caixa-01"), nullptr);
    EXPECT_EQ(by_key.seen().of("caixa-01")->last_at->wall(), clock.wall());
    EXPECT_EQ(by_key.seen().of("caixa-02"), nullptr);
    EXPECT_EQ(by_key.seen().unknown().count, 1U);
    EXPECT_EQ(by_key.seen().unknown().last_address, "192.0.2.1");
}

TEST_F(GatekeeperTest, WhoGuessesWaitsAndARightKeyFromThereDoesNot) {
    for (int i = 0; i < BruteForceThrottle::free_tries; ++i)
        EXPECT_EQ(ask(by_key, request("guess")), 401U);
    auto guess = request("guess");
    int answers = 0;
    for (int i = 0; i < BruteForceThrottle::waiting_tries; ++i)
        boost::asio::co_spawn(io, by_key.authenticate(guess, next),
                              [&](const std::exception_ptr&, const http::Response&) { ++answers; });
    clock.settle();
    EXPECT_EQ(answers, 0);
    EXPECT_TRUE(log.has("warn terminals.guessing remote=192.0.2.1"));
    EXPECT_EQ(ask(by_key, request("guess")), 429U);
    EXPECT_EQ(ask(by_key, request("key-of-caixa-01")), 200U);
    EXPECT_EQ(ask(by_key, request("")), 401U) << "who sends no key guesses nothing";
    EXPECT_EQ(answers, 0) << "none of this took any time";
    clock.advance(BruteForceThrottle::pace);
    EXPECT_EQ(answers, 1);
    clock.advance(BruteForceThrottle::pace * (BruteForceThrottle::waiting_tries - 1));
    EXPECT_EQ(answers, BruteForceThrottle::waiting_tries);
    EXPECT_EQ(log.count("warn terminals.guessing"), 1U);
    const std::size_t answered_401 = BruteForceThrottle::free_tries + BruteForceThrottle::waiting_tries;
    EXPECT_EQ(log.count("info terminals.refused_key remote=192.0.2.1"), answered_401)
        << "and none of who is turned away";
    EXPECT_EQ(log.lines.size(), answered_401 + 1);
}

}  // namespace
}  // namespace gateway::test
