// Several gateways use the token that one of them gets.
#include "unit/provider/token_keeper_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

struct TokenKeeperOfSeveral : TokenKeeperTest {
    void make_one_of_several() {
        keeper =
            std::make_unique<TokenKeeper>(io.get_executor(), options, transport, clock, random, log, std::nullopt,
                                          nullptr, [this](Secret held) -> boost::asio::awaitable<std::optional<Token>> {
                                              held_then.push_back(held.reveal());
                                              if (others.empty()) co_return std::nullopt;
                                              const auto token = others.front();
                                              others.erase(others.begin());
                                              co_return token;
                                          });
    }
    Token anothers(const std::string& access, Duration left = 300s) const {
        return {.access = Secret(access),
                .refresh = Secret("r-" + access),
                .obtained_at = clock.wall(),
                .expires_at = clock.wall() + left};
    }
    std::vector<std::optional<Token>> others;  // what another gateway has, question by question
    std::vector<std::string> held_then;
};

TEST_F(TokenKeeperOfSeveral, UsesWhatAnotherGatewayHasObtained) {
    others = {anothers("theirs")};
    make_one_of_several();
    EXPECT_EQ(get(), "theirs");
    EXPECT_THAT(transport.seen, IsEmpty());
    EXPECT_THAT(held_then, ElementsAre(""));
    EXPECT_TRUE(log.has("token.shared"));
}

TEST_F(TokenKeeperOfSeveral, WhatAnotherGatewayHasObtainedShowsThatTheServiceGivesTokens) {
    auto theirs = anothers("theirs");
    theirs.app_secret = options.app_secret;
    others = {std::nullopt, theirs};
    make_one_of_several();
    EXPECT_EQ(get(), "theirs");
    EXPECT_TRUE(log.has("outage.begun")) << "it did not give this one any";
    EXPECT_FALSE(keeper->reachability().outage());
}

TEST_F(TokenKeeperOfSeveral, AsksWhereItIsItsTurn) {
    others = {std::nullopt};
    transport.then(grant("t1"));
    make_one_of_several();
    EXPECT_EQ(get(), "t1");
}

TEST_F(TokenKeeperOfSeveral, NeverUsesATokenOfAnothersThatTheProviderHasRefused) {
    others = {anothers("theirs"), anothers("theirs")};
    transport.then(grant("t1"));
    make_one_of_several();
    EXPECT_EQ(get(), "theirs");
    keeper->reject(Secret("theirs"));
    EXPECT_EQ(get(), "t1");
}

TEST_F(TokenKeeperOfSeveral, NeverUsesATokenOfAnothersThatHasRunOut) {
    others = {anothers("theirs", -1s)};
    transport.then(grant("t1"));
    make_one_of_several();
    EXPECT_EQ(get(), "t1");
}

TEST_F(TokenKeeperOfSeveral, RenewsByTheRefreshTokenOfAnothers) {
    others = {anothers("theirs"), std::nullopt};
    transport.then(grant("t1", "r1"));
    make_one_of_several();
    get();
    clock.advance(290s);
    EXPECT_EQ(get(), "t1");
    EXPECT_EQ(body(0), "grant_type=refresh_token&refresh_token=r-theirs");
    EXPECT_THAT(held_then, ElementsAre("", "theirs"));
}

}  // namespace
}  // namespace gateway::test
