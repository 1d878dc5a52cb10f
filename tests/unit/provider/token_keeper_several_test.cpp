// Tests several gateways that use the token which one of them gets.
#include "unit/provider/token_keeper_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

struct TokenKeeperOfSeveral : TokenKeeperTest {
    void make_one_of_several() {
        TokenTurns turns;
        turns.of_another = [this](Secret held) -> boost::asio::awaitable<std::optional<Token>> {
            held_then.push_back(held.reveal());
            told.emplace_back("asks");
            if (others.empty()) co_return std::nullopt;
            const auto token = others.front();
            others.erase(others.begin());
            co_return token;
        };
        turns.end = [this]() -> boost::asio::awaitable<void> {
            told.emplace_back("ends");
            co_return;
        };
        keeper = std::make_unique<TokenKeeper>(
            io.get_executor(), options, transport, clock, random, log, std::nullopt,
            [this](const std::optional<Token>& token) -> boost::asio::awaitable<void> {
                told.push_back("keeps " + (token ? token->access.reveal() : "none"));
                co_return;
            },
            std::move(turns));
    }
    Token anothers(const std::string& access, Duration left = 300s) const {
        return {.access = Secret(access),
                .refresh = Secret("r-" + access),
                .obtained_at = clock.wall(),
                .expires_at = clock.wall() + left};
    }
    std::vector<std::optional<Token>> others;  // what another gateway has, one answer for each question
    std::vector<std::string> held_then;
    std::vector<std::string> told;  // to the other gateways: that this one asks, what it keeps, that its turn ends
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

TEST_F(TokenKeeperOfSeveral, ARefusalEndsItsTurn) {
    transport.then(refusal("invalid_client", "no")).then(grant("t1"));
    make_one_of_several();
    get();
    clock.advance(1s);
    EXPECT_THAT(told, ElementsAre("asks", "ends", "asks", "keeps t1", "ends")) << "what came is kept first";
}

TEST_F(TokenKeeperOfSeveral, AServiceThatAsksForPatienceIsLeftInPeaceByAll) {
    auto later = refusal("slow_down", "later", 429);
    later.retry_after = 20s;
    transport.then(later).then(grant("t1"));
    make_one_of_several();
    EXPECT_EQ(get(), "");
    clock.advance(19s);
    EXPECT_THAT(told, ElementsAre("asks")) << "the turn lasts";
    clock.advance(1s);
    EXPECT_THAT(told, ElementsAre("asks", "asks", "keeps t1", "ends"));
}

TEST_F(TokenKeeperOfSeveral, ARefreshTokenThatIsUsedUpDoesNotEndTheTurn) {
    transport.then(grant("t1", "r1")).then(refusal("invalid_grant", "no")).then(grant("t2"), 1s);
    make_one_of_several();
    EXPECT_EQ(get(), "t1");
    clock.advance(1ms);
    told.clear();
    clock.advance(290s);
    EXPECT_THAT(told, ElementsAre("asks", "keeps t1", "keeps t2", "ends")) << "its second request had to come first";
}

}  // namespace
}  // namespace gateway::test
