// Tests a change of the app-secret while the keeper runs.
#include "unit/provider/token_keeper_rig.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class TokenKeeperSecret : public TokenKeeperTest {
  protected:
    std::string authorization(std::size_t i) const { return transport.seen.at(i).request.authorization.reveal(); }
    void change_secret(const char* secret) {
        options.app_secret = Secret(secret);
        keeper->reload(options);
    }
    // Lets the service refuse every secret. A refresh still gives tokens, because it shows no secret.
    void refuse_every_secret() {
        transport.otherwise = [](const http::ClientRequest& request) {
            if (!request.authorization.empty()) return refusal("invalid_client", "Unknown credentials", 401);
            return grant("t2", "r2");
        };
    }

    static constexpr const char* with_the_old = "Basic a2V5OnMzY3JldA==";  // key:s3cret
    static constexpr const char* with_the_new = "Basic a2V5Om5ldw==";      // key:new
};

TEST_F(TokenKeeperSecret, ANewOneIsShownAtOnce) {
    transport.then(grant("t1", "r1")).then(grant("t2", "r2"));
    make();
    clock.advance(10s);
    change_secret("new");
    clock.settle();
    ASSERT_EQ(transport.seen.size(), 2u);
    EXPECT_EQ(authorization(1), with_the_new);
    EXPECT_FALSE(by_refresh(1));
    EXPECT_EQ(get(), "t2");
    transport.otherwise = [](const http::ClientRequest&) { return grant("t3"); };
    clock.advance(240s);
    EXPECT_TRUE(by_refresh(2)) << "once it is known to be good, all is as before";
}

TEST_F(TokenKeeperSecret, TheSameOneChangesNothing) {
    transport.then(grant("t1", "r1"));
    make();
    clock.advance(10s);
    change_secret("s3cret");
    clock.advance(10s);
    EXPECT_EQ(transport.seen.size(), 1u);
}

TEST_F(TokenKeeperSecret, WhereTheNewOneIsWrongTheTokenOfBeforeGoesOn) {
    transport.then(grant("t1", "r1"));
    make();
    clock.advance(10s);
    refuse_every_secret();
    change_secret("new");
    clock.advance(60s);
    EXPECT_TRUE(log.has("Unknown credentials"));
    EXPECT_EQ(get(), "t1");
    EXPECT_FALSE(keeper->trouble());
    clock.advance(200s);
    EXPECT_EQ(get(), "t2") << "it is refreshed in its time";
    change_secret("s3cret");
    transport.otherwise = [](const http::ClientRequest&) { return grant("t3"); };
    clock.settle();
    EXPECT_EQ(authorization(transport.seen.size() - 1), with_the_old);
    EXPECT_EQ(get(), "t3");
}

TEST_F(TokenKeeperSecret, ATokenStaysThatOfTheSecretThatGotIt) {
    transport.then(grant("t1", "r1"));
    make();
    clock.advance(10s);
    EXPECT_EQ(saved.back()->app_secret, Secret("s3cret"));
    refuse_every_secret();
    change_secret("wrong");
    clock.advance(260s);
    ASSERT_EQ(get(), "t2") << "refreshed";
    EXPECT_EQ(saved.back()->access, Secret("t2"));
    EXPECT_EQ(saved.back()->app_secret, Secret("s3cret"));
    transport.otherwise = [](const http::ClientRequest&) { return grant("t3"); };
    change_secret("new");
    clock.settle();
    ASSERT_EQ(get(), "t3");
    EXPECT_EQ(saved.back()->app_secret, Secret("new"));
}

TEST_F(TokenKeeperSecret, ATokenOfTheRunBeforeStaysThatOfItsSecret) {
    auto token = kept_token(-10s);
    token.app_secret = Secret("of before");
    transport.then(grant("t1", "r1"));
    make(token);
    ASSERT_EQ(get(), "t1");
    clock.settle();
    EXPECT_EQ(saved.back()->app_secret, Secret("of before"));
}

TEST_F(TokenKeeperSecret, UntilItWasAskedWithTheNewOneTheServiceIsNotSaidToBeReached) {
    make(kept_token(300s));
    clock.advance(1s);
    EXPECT_TRUE(transport.seen.empty());
    EXPECT_FALSE(keeper->reachability().asked()) << "a token of the run before is no answer";
    EXPECT_FALSE(keeper->reachability().reached());
    transport.otherwise = [](const http::ClientRequest&) { return grant("t1", "r1"); };
    clock.advance(240s);
    EXPECT_TRUE(keeper->reachability().reached());
    change_secret("new");
    EXPECT_FALSE(keeper->reachability().asked());
    clock.settle();
    EXPECT_TRUE(keeper->reachability().reached());
}

TEST_F(TokenKeeperSecret, ARefreshDoesNotShowThatTheNewOneIsGood) {
    transport.then(grant("t1", "r1"));
    make();
    clock.advance(10s);
    refuse_every_secret();
    change_secret("wrong");
    clock.advance(600s);
    EXPECT_EQ(log.count("outage.over"), 0u);
    EXPECT_TRUE(keeper->reachability().outage());
}

TEST_F(TokenKeeperSecret, WhereTheNewOneIsWrongItIsSaidOfThatOneAsLongAsTheOneBeforeGoesOn) {
    transport.then(grant("t1", "r1"));
    make();
    clock.advance(10s);
    refuse_every_secret();
    change_secret("wrong");
    clock.settle();
    ASSERT_TRUE(keeper->reachability().outage());
    EXPECT_TRUE(keeper->reachability().outage()->of_new_credentials);
    clock.advance(260s);
    ASSERT_EQ(get(), "t2") << "refreshed";
    EXPECT_TRUE(keeper->reachability().outage()->of_new_credentials);
    transport.otherwise = [](const http::ClientRequest&) { return refusal("invalid_grant", "No", 400); };
    clock.advance(260s);
    ASSERT_TRUE(keeper->reachability().outage());
    EXPECT_FALSE(keeper->reachability().outage()->of_new_credentials) << "the refresh token is used up as well";
    EXPECT_EQ(log.count("outage.begun"), 1u);
    EXPECT_EQ(log.count("outage.over"), 0u);
}

TEST_F(TokenKeeperSecret, ARefreshWhileANewOneIsFirstShownDoesNotHideThatItIsRefused) {
    refuse_every_secret();
    make(kept_token(1s));  // it has to be renewed at once
    change_secret("wrong");
    clock.settle();
    ASSERT_EQ(get(), "t2");
    ASSERT_TRUE(keeper->reachability().outage());
    EXPECT_TRUE(keeper->reachability().outage()->of_new_credentials);
}

TEST_F(TokenKeeperSecret, TheTroubleOfAWrongOneIsOverWithTheFirstTokenThatTheRightOneGets) {
    transport.then(grant("t1", "r1"));
    make();
    clock.advance(10s);
    refuse_every_secret();
    change_secret("wrong");
    clock.settle();
    ASSERT_TRUE(keeper->reachability().outage());
    keeper->reject(Secret("t1"));
    change_secret("new");
    transport.otherwise = [](const http::ClientRequest&) { return grant("t3", "r3"); };
    clock.settle();
    EXPECT_EQ(get(), "t3");
    EXPECT_FALSE(keeper->reachability().outage());
    EXPECT_TRUE(keeper->reachability().reached());
}

TEST_F(TokenKeeperSecret, ANewOneThatComesDuringATryIsShownAfterIt) {
    transport.then(grant("t1", "r1"), 2s).then(grant("t2"));
    make();
    clock.advance(1s);
    change_secret("new");
    clock.advance(3s);
    ASSERT_EQ(transport.seen.size(), 2u);
    EXPECT_EQ(authorization(0), with_the_old);
    EXPECT_EQ(authorization(1), with_the_new);
    ASSERT_EQ(saved.size(), 2u);
    EXPECT_EQ(saved.at(0)->app_secret, Secret("s3cret")) << "that got it";
    EXPECT_EQ(saved.at(1)->app_secret, Secret("new"));
}

}  // namespace
}  // namespace gateway::test
