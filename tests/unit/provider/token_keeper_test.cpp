#include "provider/token_keeper.hpp"

#include "base/wall_time.hpp"
#include "provider/token_answer.hpp"
#include "unit/provider/token_keeper_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

using TokenKeeperAtStart = TokenKeeperTest;

TEST_F(TokenKeeperAtStart, AsksWithClientCredentialsAsTheDocumentSays) {
    transport.then(grant("t1"));
    make();
    EXPECT_EQ(get(), "t1");
    ASSERT_EQ(transport.seen.size(), 1u);
    const auto& request = transport.seen[0].request;
    EXPECT_TRUE(request.post);
    EXPECT_EQ(request.target, "/authorization/token");
    EXPECT_EQ(request.content_type, "application/x-www-form-urlencoded");
    EXPECT_EQ(request.authorization.reveal(), "Basic a2V5OnMzY3JldA==");  // key:s3cret
    EXPECT_EQ(body(0), "grant_type=client_credentials&scope=Venda_TvPrePaga+Venda_Egift");
    EXPECT_EQ(transport.seen[0].deadline, started + options.request_timeout);
}

TEST_F(TokenKeeperAtStart, SeparatesKeyAndSecretAsConfigured) {
    options.credential_separator = "|";
    transport.then(grant("t1"));
    make();
    get();
    EXPECT_EQ(transport.seen.at(0).request.authorization.reveal(), "Basic a2V5fHMzY3JldA==");  // key|s3cret
}

TEST_F(TokenKeeperAtStart, ManyWaitForOneRequest) {
    transport.then(grant("t1"), 2s);
    make();
    std::vector<std::string> got;
    for (int i = 0; i < 100; ++i) {
        boost::asio::co_spawn(io, keeper->get(clock.now() + patience),
                              [&](std::exception_ptr, Result<Secret> token) { got.push_back(token->reveal()); });
    }
    clock.advance(1999ms);
    EXPECT_THAT(got, IsEmpty());
    clock.advance(1ms);
    EXPECT_THAT(got, AllOf(SizeIs(100), Each("t1")));
    EXPECT_EQ(transport.seen.size(), 1u);
}

TEST_F(TokenKeeperAtStart, UsesTheKeptTokenWithoutAsking) {
    make(kept_token(200s));
    EXPECT_EQ(get(), "kept");
    EXPECT_THAT(transport.seen, IsEmpty());
    EXPECT_EQ(keeper->expires_at(), clock.wall() + 200s);
}

TEST_F(TokenKeeperAtStart, SaysUntilWhenATokenIsGoodByTheClockAsItIsSetNow) {
    transport.then(grant("t1", "r1"));
    make();
    clock.shift_wall(-48h);
    EXPECT_EQ(get(), "t1");
    const auto told = *keeper->expires_at();
    clock.shift_wall(48h);
    EXPECT_EQ(keeper->expires_at(), told + 48h);
    keeper->reject(Secret("t1"));
    const auto rejected = clock.wall();
    clock.shift_wall(5min);
    EXPECT_EQ(keeper->ended_at(), rejected + 5min);
}

TEST_F(TokenKeeperAtStart, RefreshesAKeptTokenThatHasRunOut) {
    transport.then(grant("t1", "r1"));
    make(kept_token(-10s));
    EXPECT_EQ(get(), "t1");
    EXPECT_EQ(body(0), "grant_type=refresh_token&refresh_token=kept-refresh");
    EXPECT_TRUE(transport.seen[0].request.authorization.empty());
}

TEST_F(TokenKeeperAtStart, DoesNotBelieveAKeptTokenLongerThanItsLife) {
    // The wall clock was set back by a day while the gateway was down.
    const auto token = kept_token(200s);
    clock.shift_wall(-24h);
    transport.then(grant("t1"));
    make(token);
    EXPECT_EQ(get(), "kept");
    clock.advance(300s);
    EXPECT_EQ(get(), "t1");
}

TEST_F(TokenKeeperAtStart, SavesWhatItGets) {
    transport.then(grant("t1", "r1"));
    make();
    get();
    clock.settle();
    ASSERT_EQ(saved.size(), 1u);
    ASSERT_TRUE(saved[0]);
    EXPECT_EQ(saved[0]->access.reveal(), "t1");
    EXPECT_EQ(saved[0]->refresh.reveal(), "r1");
    EXPECT_EQ(saved[0]->obtained_at, clock.wall());
    EXPECT_EQ(saved[0]->expires_at, clock.wall() + 300s);
}

TEST_F(TokenKeeperAtStart, AWaiterDoesNotWaitForTheJournal) {
    transport.then(grant("t1"));
    keeper = std::make_unique<TokenKeeper>(
        io.get_executor(), options, transport, clock, random, log, std::nullopt,
        [this](const std::optional<Token>&) -> boost::asio::awaitable<void> { return clock.sleep_for(1h); });
    EXPECT_EQ(get(), "t1");
    EXPECT_LT(since_start(), 1s);
}

TEST_F(TokenKeeperAtStart, OnlyAnAnswerWithATokenIsHeard) {
    transport.then(answered(200, "<html>")).then(refusal("invalid_client", "no")).then(grant("t1"));
    std::vector<unsigned> heard;
    keeper =
        std::make_unique<TokenKeeper>(io.get_executor(), options, transport, clock, random, log, std::nullopt, nullptr,
                                      TokenTurns(), [&](const Reply& reply) { heard.push_back(reply.status); });
    keeper->start();
    clock.advance(1min);
    EXPECT_EQ(get(), "t1");
    EXPECT_EQ(heard, std::vector{200u});
}

using TokenKeeperRenewal = TokenKeeperTest;

TEST_F(TokenKeeperRenewal, RenewsAtFourFifthsOfTheLife) {
    transport.then(grant("t1", "r1")).then(grant("t2", "r2"));
    make();
    clock.advance(239s);
    EXPECT_EQ(transport.seen.size(), 1u);
    clock.advance(1s);
    ASSERT_EQ(transport.seen.size(), 2u);
    EXPECT_TRUE(by_refresh(1));
    EXPECT_EQ(get(), "t2");
}

TEST_F(TokenKeeperRenewal, RenewsEarlierWhereASaleNeedsMore) {
    options.request_timeout = 34s;
    transport.then(grant("t1")).then(grant("t2"));
    make();
    clock.advance(200s);
    EXPECT_EQ(transport.seen.size(), 2u);
}

TEST_F(TokenKeeperRenewal, NeverAsksInAHotLoopForShortTokens) {
    transport.otherwise = [](const http::ClientRequest&) { return grant("short", "", "10"); };  // 45 s are needed
    make();
    clock.advance(100s);
    EXPECT_LE(transport.seen.size(), 21u);  // one for every half life
    EXPECT_EQ(get(), "short");
}

TEST_F(TokenKeeperRenewal, LeavesASecondBetweenTokensThatLiveForOne) {
    transport.otherwise = [](const http::ClientRequest&) { return grant("shortest", "", "1"); };
    make();
    clock.advance(100s);
    EXPECT_LE(transport.seen.size(), 101u);
}

TEST_F(TokenKeeperRenewal, FallsBackToCredentialsWhereTheRefreshIsRefused) {
    transport.then(grant("t1", "r1")).then(refusal("invalid_grant", "expired")).then(grant("t2", "r2"));
    make();
    clock.advance(240s);
    ASSERT_EQ(transport.seen.size(), 3u);
    EXPECT_TRUE(by_refresh(1));
    EXPECT_FALSE(by_refresh(2));
    EXPECT_EQ(get(), "t2");
    EXPECT_FALSE(log.has("token.failed"));
}

TEST_F(TokenKeeperRenewal, FallsBackToCredentialsWhereTheRefreshIsNotAnswered) {
    transport.then(grant("t1", "r1")).then(lost(), 1h).then(grant("t2"));
    make();
    clock.advance(240s + options.request_timeout);
    ASSERT_EQ(transport.seen.size(), 3u);
    EXPECT_TRUE(by_refresh(1));
    EXPECT_FALSE(by_refresh(2));
    EXPECT_EQ(transport.seen[2].deadline, transport.seen[1].at + options.request_timeout);
    EXPECT_EQ(get(), "t2");
}

TEST_F(TokenKeeperRenewal, KeepsTheRefreshTokenThatWasNotReplaced) {
    transport.then(grant("t1", "r1")).then(grant("t2")).then(grant("t3"));
    make();
    clock.advance(480s);
    ASSERT_EQ(transport.seen.size(), 3u);
    EXPECT_EQ(body(2), "grant_type=refresh_token&refresh_token=r1");
}

TEST_F(TokenKeeperRenewal, KeepsARefreshTokenThatWasNeverSent) {
    transport.then(grant("t1", "r1")).then(unsent());
    make();
    clock.advance(240s);
    ASSERT_EQ(transport.seen.size(), 2u) << "credentials would not get through either";
    transport.otherwise = [](const http::ClientRequest&) { return grant("t2"); };
    clock.advance(1s);
    ASSERT_EQ(transport.seen.size(), 3u);
    EXPECT_TRUE(by_refresh(2));
}

TEST_F(TokenKeeperRenewal, ASaleWaitsForTheRenewalOfATokenThatWouldRunOutDuringIt) {
    options.request_timeout = 30s;
    transport.then(grant("t1")).then(grant("t2"), 20s);
    make();
    clock.advance(229s);  // the renewal began at 210 s, when the token no longer lasted for a sale
    EXPECT_EQ(get(), "t2");
    EXPECT_EQ(since_start(), 230s);
}

TEST_F(TokenKeeperRenewal, ATokenThatLastsIsUsedWhileItIsRenewed) {
    transport.then(grant("t1")).then(grant("t2"), 10s);
    make();
    clock.advance(245s);
    EXPECT_EQ(get(), "t1");
    EXPECT_EQ(since_start(), 245s);
}

TEST_F(TokenKeeperRenewal, AFailedRenewalLeavesTheTokenThatIsStillValid) {
    transport.then(grant("t1"));
    make();
    clock.advance(299s);
    EXPECT_EQ(get(), "t1");
    EXPECT_EQ(since_start(), 299s) << "nobody waits for what has just failed";
    EXPECT_FALSE(keeper->trouble());
    clock.advance(1s);
    EXPECT_EQ(get(), "");
    EXPECT_TRUE(keeper->trouble());
}

using TokenKeeperExpiry = TokenKeeperTest;

TEST_F(TokenKeeperExpiry, ReadsDurationsAndTimestamps) {
    const WallTime now(1'714'654'800'000ms);
    EXPECT_EQ(expiry_of(300, now), now + 300s);
    EXPECT_EQ(expiry_of(172'800, now), now + 48h);
    EXPECT_EQ(expiry_of(1'714'655'100, now), now + 300s);
    EXPECT_EQ(expiry_of(1'714'655'100'123, now), now + 300'123ms);
    for (const std::int64_t nonsense :
         {std::int64_t(0), std::int64_t(-1), std::int64_t(100'000'000), std::int64_t(500'000'000'000),
          std::int64_t(200'000'000'000'000), std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min()})
        EXPECT_FALSE(expiry_of(nonsense, now)) << nonsense;
}

TEST_F(TokenKeeperExpiry, UnderstandsATimestampInMillisecondsEvenAsText) {
    const auto at = (clock.wall() + 48h).time_since_epoch().count();
    transport.then(grant("t1", "", "\"" + std::to_string(at) + "\""));
    make();
    get();
    EXPECT_EQ(keeper->expires_at(), clock.wall() + 48h);
    EXPECT_TRUE(log.has("expiresAt=" + to_rfc3339(clock.wall() + 48h)));
}

TEST_F(TokenKeeperExpiry, AFreshTokenIsUsableWhateverThisMachinesClockSays) {
    const auto at = std::chrono::floor<std::chrono::seconds>(clock.wall()) - 1h;  // our clock is an hour ahead
    transport.then(grant("t1", "", std::to_string(at.time_since_epoch().count())));
    make();
    EXPECT_EQ(get(), "t1");
    clock.advance(60s);
    EXPECT_EQ(transport.seen.size(), 1u);
    EXPECT_TRUE(log.has("token.expiry_unclear"));
}

TEST_F(TokenKeeperExpiry, NoTokenLivesLongerThanTheDocumentSays) {
    const auto at = clock.wall() + 24h * 365;  // our clock is a year behind
    transport.otherwise = [at](const http::ClientRequest&) {
        return grant("t", "", std::to_string(at.time_since_epoch().count()));
    };
    make();
    get();
    EXPECT_EQ(keeper->expires_at(), clock.wall() + 48h);
    clock.advance(48h);
    EXPECT_EQ(transport.seen.size(), 2u);
}

TEST_F(TokenKeeperExpiry, AMissingExpiryIsTheShortestLifeInTheDocument) {
    transport.then(grant("t1", "", ""));
    make();
    get();
    EXPECT_EQ(keeper->expires_at(), clock.wall() + 5min);
}

TEST_F(TokenKeeperExpiry, AWallClockThatJumpsForwardLosesNoToken) {
    transport.then(grant("t1"));
    make();
    get();
    clock.shift_wall(24h * 365);
    clock.advance(60s);
    EXPECT_EQ(get(), "t1");
    EXPECT_EQ(transport.seen.size(), 1u);
}

TEST_F(TokenKeeperExpiry, AWallClockThatJumpsBackKeepsNoTokenAlive) {
    transport.then(grant("t1")).then(grant("t2"));
    make();
    get();
    clock.shift_wall(-24h);
    clock.advance(240s);
    EXPECT_EQ(get(), "t2");
}

using TokenKeeperFailure = TokenKeeperTest;

TEST_F(TokenKeeperFailure, AnUnreachableServiceIsToldAfterTheFirstTry) {
    make();
    EXPECT_EQ(get(), "");
    EXPECT_LT(since_start(), 1s);
    EXPECT_EQ(keeper->trouble(), "the token service cannot be reached");
}

TEST_F(TokenKeeperFailure, EveryWaiterGetsATryOfItsOwn) {
    make();
    get();
    const auto tries = transport.seen.size();
    const auto before = clock.now();
    transport.otherwise = [](const http::ClientRequest&) { return grant("t1"); };
    EXPECT_EQ(get(), "t1");
    EXPECT_EQ(transport.seen.size(), tries + 1);
    EXPECT_LE(clock.now() - before, 1s);
}

// The service cannot be reached from the start. The first callers wait for the one try, and nobody waits after them.
TEST_F(TokenKeeperFailure, OnlyTheFirstTryOfAServiceThatDoesNotAnswerIsWaitedFor) {
    for (const auto& reply : {unsent(), lost(), answered(503, "")}) {
        transport.seen.clear();
        transport.otherwise = [](const http::ClientRequest&) { return answered(503, ""); };
        transport.then(reply, 8s);
        make();
        clock.advance(1s);
        const auto before = clock.now();
        EXPECT_EQ(get(), "");
        EXPECT_EQ(clock.now() - before, options.connect_timeout - 1s) << "as long as connecting may take";
        EXPECT_EQ(get(), "");
        EXPECT_EQ(clock.now() - before, options.connect_timeout - 1s) << "others not at all";
        EXPECT_EQ(transport.seen.size(), 1u);
        clock.advance(3s);
        const auto failed = clock.now();
        EXPECT_EQ(get(), "");
        EXPECT_EQ(clock.now(), failed) << "the next try can be expected to take as long";
    }
}

TEST_F(TokenKeeperFailure, NobodyWaitsLongForAServiceThatRefusesAtOnceNotEvenTheFirst) {
    for (const auto& reply : {unsent(), lost(), answered(503, "")}) {
        transport.otherwise = [reply](const http::ClientRequest&) { return reply; };
        make();
        for (int i = 0; i < 50; ++i) {
            const auto before = clock.now();
            EXPECT_EQ(get(), "");
            EXPECT_LE(clock.now() - before, 2s) << i;
            clock.advance(100ms);
        }
    }
}

TEST_F(TokenKeeperFailure, AStumbleDuringTheFirstTryCostsSecondsAndNotTheSale) {
    for (const auto& reply : {unsent(), lost(), answered(503, "")}) {
        const auto before = clock.now();
        transport.then(reply, 1s).then(grant("t1"), 500ms);
        make();
        clock.settle();
        const auto first = get();  // the sale was told of an unreachable service, and makes its second attempt
        EXPECT_EQ(first.empty() ? get() : first, "t1");
        EXPECT_LE(clock.now() - before, 2s);
    }
}

TEST_F(TokenKeeperFailure, NobodyWaitsForATryThatComesAfterTheDeadline) {
    transport.then([] {
        auto reply = answered(503, "");
        reply.retry_after = 40s;
        return reply;
    }());
    make();
    clock.settle();
    const auto before = clock.now();
    EXPECT_EQ(get(), "");
    EXPECT_EQ(clock.now(), before);
    EXPECT_EQ(transport.seen.size(), 1u);
}

TEST_F(TokenKeeperFailure, AServiceThatStumblesIsWaitedFor) {
    transport.then(answered(500, "")).then(lost()).then(grant("t1"));
    make();
    EXPECT_EQ(get(), "t1");
    EXPECT_EQ(transport.seen.size(), 3u);
    EXPECT_FALSE(keeper->trouble());
}

TEST_F(TokenKeeperFailure, WrongCredentialsAreToldAtOnceAndInWords) {
    transport.otherwise = [](const http::ClientRequest&) {
        return refusal("invalid_client", "Unknown credentials", 401);
    };
    make();
    EXPECT_EQ(get(), "");
    EXPECT_LT(since_start(), 1s);
    EXPECT_EQ(keeper->trouble(),
              "the token service answered HTTP 401, invalid_client (Unknown credentials); "
              "check provider.app_key and the secret that belongs to it");
}

TEST_F(TokenKeeperFailure, WrongScopesAreToldInWords) {
    transport.otherwise = [](const http::ClientRequest&) { return refusal("invalid_scope", "No valid scope given"); };
    make();
    EXPECT_EQ(get(), "");
    EXPECT_THAT(*keeper->trouble(), HasSubstr("invalid_scope (No valid scope given); check scopes"));
}

TEST_F(TokenKeeperFailure, WordsThatRepeatACredentialAreNotQuoted) {
    transport.otherwise = [](const http::ClientRequest& request) {
        const auto basic = request.authorization.reveal();
        return refusal("invalid_client", "no such client: " + basic.substr(std::string_view("Basic ").size()), 401);
    };
    make();
    get();
    EXPECT_THAT(*keeper->trouble(), HasSubstr("invalid_client (words that repeat a credential)"));
    transport.otherwise = [](const http::ClientRequest&) { return refusal("bad secret s3cret", "", 401); };
    clock.advance(60s);
    EXPECT_THAT(*keeper->trouble(), Not(HasSubstr("s3cret")));
}

TEST_F(TokenKeeperFailure, WordsOfTheServiceAreBoundedAndPrintable) {
    transport.otherwise = [](const http::ClientRequest&) {
        return refusal("invalid_client", std::string(5000, 'x') + "\\n\\u001b[2J");
    };
    make();
    get();
    EXPECT_LT(keeper->trouble()->size(), 400u);
    transport.otherwise = [](const http::ClientRequest&) { return refusal("a\\u001b[2Jb\\n", "\\u00e7"); };
    clock.advance(60s);
    EXPECT_THAT(*keeper->trouble(), HasSubstr("a?[2Jb? (?"
                                              "?)"));
}

TEST_F(TokenKeeperFailure, AnAnswerWithoutATokenIsAFailure) {
    for (const char* body : {"", "rubbish", "[]", "{}", R"({"access_token":""})", R"({"access_token":7})",
                             R"({"access_token":"a\r\nX: y"})"}) {
        transport.seen.clear();
        transport.otherwise = [body](const http::ClientRequest&) { return answered(200, body); };
        make();
        EXPECT_EQ(get(1s), "") << body;
        EXPECT_EQ(keeper->trouble(), "the token service answered without an access_token") << body;
    }
}

TEST_F(TokenKeeperFailure, PausesGrowUpToHalfAMinute) {
    make();
    clock.advance(1h);
    std::vector<Instant> at;
    for (const auto& seen : transport.seen)
        at.push_back(seen.at);
    ASSERT_GT(at.size(), 120u);
    ASSERT_LT(at.size(), 500u);  // one in 15 s on average
    Duration longest{0};
    Duration bound = 500ms;
    for (std::size_t i = 1; i < at.size(); ++i, bound = std::min<Duration>(bound * 2, 30s)) {
        const auto pause = std::chrono::duration_cast<Duration>(at[i] - at[i - 1]);
        EXPECT_LE(pause, bound) << i;
        longest = std::max(longest, pause);
    }
    EXPECT_GT(longest, 25s);
}

TEST_F(TokenKeeperFailure, NeverTwoRequestsAtOnce) {
    transport.otherwise = [](const http::ClientRequest&) { return answered(500, ""); };
    for (int i = 0; i < 20; ++i)
        transport.then(answered(500, ""), 3s);
    make();
    for (int i = 0; i < 50; ++i) {
        boost::asio::co_spawn(io, keeper->get(clock.now() + patience), [](std::exception_ptr, Result<Secret>) {});
        clock.advance(700ms);
        keeper->reject(Secret("whatever"));
    }
    EXPECT_EQ(transport.most_under_way, 1);
}

using TokenKeeperRejection = TokenKeeperTest;

TEST_F(TokenKeeperRejection, ARejectedTokenIsReplacedAtOnce) {
    transport.then(grant("t1", "r1")).then(grant("t2", "r2"));
    make();
    ASSERT_EQ(get(), "t1");
    keeper->reject(Secret("t1"));
    EXPECT_TRUE(keeper->trouble());
    EXPECT_EQ(get(), "t2");
    EXPECT_TRUE(by_refresh(1));
    EXPECT_EQ(clock.now(), started);
    EXPECT_TRUE(log.has("token.rejected"));
}

TEST_F(TokenKeeperRejection, ATokenThatWasReplacedAlreadyIsNotMissed) {
    transport.then(grant("t1")).then(grant("t2"));
    make();
    get();
    keeper->reject(Secret("t1"));
    ASSERT_EQ(get(), "t2");
    keeper->reject(Secret("t1"));
    EXPECT_EQ(get(), "t2");
    EXPECT_EQ(transport.seen.size(), 2u);
}

TEST_F(TokenKeeperRejection, ARejectedTokenThatARefreshGaveIsReplacedByCredentials) {
    transport.then(grant("t1", "r1")).then(grant("t2", "r2")).then(grant("t3", "r3"));
    make();
    get();
    keeper->reject(Secret("t1"));
    ASSERT_EQ(get(), "t2");
    ASSERT_TRUE(by_refresh(1));
    keeper->reject(Secret("t2"));
    EXPECT_EQ(get(), "t3");
    EXPECT_FALSE(by_refresh(2));
}

TEST_F(TokenKeeperRejection, IsRememberedAcrossRestartsBeforeAnotherTokenHasCome) {
    transport.then(grant("t1", "r1")).then(unsent(), 5s);
    make();
    get();
    clock.settle();
    keeper->reject(Secret("t1"));
    clock.settle();
    ASSERT_EQ(saved.size(), 2u);
    ASSERT_TRUE(saved[1]);
    EXPECT_TRUE(saved[1]->access.empty());
    EXPECT_EQ(saved[1]->refresh.reveal(), "r1");
    transport.then(grant("t2"));
    make(saved[1]);
    EXPECT_EQ(get(), "t2");
    EXPECT_TRUE(by_refresh(transport.seen.size() - 1));
}

TEST_F(TokenKeeperRejection, AProviderThatRejectsEverythingCausesNoFloodOfRequests) {
    int tokens = 0;
    transport.otherwise = [&](const http::ClientRequest&) { return grant("t" + std::to_string(++tokens)); };
    make();
    while (since_start() < 60s)
        keeper->reject(Secret(get()));
    EXPECT_LE(transport.seen.size(), 1u + 6u + 30u);  // the first, six replaced at once, one more every two seconds
    EXPECT_GE(transport.seen.size(), 30u);
}

TEST_F(TokenKeeperRejection, ARejectedTokenIsNeverGivenAgainHoweverQuicklyTokensDie) {
    int tokens = 0;
    transport.otherwise = [&](const http::ClientRequest&) {
        return grant("t" + std::to_string(++tokens), "", "172800");
    };
    make();
    std::set<std::string> given;
    for (int i = 0; i < 20; ++i) {
        const auto before = clock.now();
        const auto token = get();
        EXPECT_NE(token, "");
        EXPECT_LE(clock.now() - before, 2s) << "a sale that comes right after a rejection waits for the next token";
        EXPECT_TRUE(given.insert(token).second) << token;
        keeper->reject(Secret(token));
        EXPECT_TRUE(keeper->rejected(Secret(token)));
        EXPECT_TRUE(keeper->trouble());
    }
}

TEST_F(TokenKeeperRejection, ATokenThatTheServiceItselfGivesAnewIsTaken) {
    transport.otherwise = [](const http::ClientRequest&) { return grant("t1"); };
    make();
    ASSERT_EQ(get(), "t1");
    keeper->reject(Secret("t1"));
    EXPECT_TRUE(keeper->rejected(Secret("t1")));
    EXPECT_EQ(get(), "t1") << "many a service gives the same one until it ends";
    EXPECT_FALSE(keeper->rejected(Secret("t1")));
    EXPECT_EQ(transport.seen.size(), 2u);
}

TEST_F(TokenKeeperRejection, OneThatWasReplacedIsKnownAsRejectedToo) {
    transport.then(grant("t1")).then(grant("t2"));
    make();
    get();
    clock.advance(240s);
    keeper->reject(Secret("t1"));  // a request with it was under way
    EXPECT_TRUE(keeper->rejected(Secret("t1")));
    EXPECT_EQ(get(), "t2");
    EXPECT_FALSE(keeper->rejected(Secret("t2")));
}

TEST_F(TokenKeeperTest, NeverLogsACredential) {
    transport.then(grant("acc3ss", "r3fresh"))
        .then(refusal("invalid_grant", "no"))
        .then(grant("acc3ss-2", "r3fresh-2"));
    make();
    get();
    keeper->reject(Secret("acc3ss"));
    get();
    keeper->reject(Secret("acc3ss-2"));
    clock.advance(60s);
    EXPECT_TRUE(log.has("token.obtained"));
    EXPECT_TRUE(log.has("token.failed"));
    for (const char* secret : {"acc3ss", "r3fresh", "s3cret", "a2V5"})
        EXPECT_FALSE(log.has(secret)) << secret;
}

TEST_F(TokenKeeperTest, MayBeDestroyedAtAnyMoment) {
    for (int steps = 0; steps < 12; ++steps) {
        transport.then(grant("t1", "r1"), 1s).then(refusal("invalid_grant", ""), 1s).then(grant("t2"), 1s);
        make();
        boost::asio::co_spawn(io, keeper->get(clock.now() + patience), [](std::exception_ptr, Result<Secret>) {});
        for (int i = 0; i < steps; ++i)
            clock.step();
        keeper.reset();
        clock.settle();  // everybody who waited is told
    }
}

TEST_F(TokenKeeperTest, ThatTheLastTokenHasEndedIsToldOnce) {
    transport.then(grant("t1"));
    make();
    clock.advance(299s);
    EXPECT_TRUE(log.has("token.failed"));
    EXPECT_FALSE(log.has("token.ended"));
    EXPECT_FALSE(keeper->ended_at());
    clock.advance(1s);
    EXPECT_EQ(log.count("warn token.ended"), 1u);
    EXPECT_EQ(keeper->ended_at(), clock.wall());
    clock.advance(600s);
    EXPECT_EQ(log.count("token.ended"), 1u);
    transport.otherwise = [](const http::ClientRequest&) { return grant("t2"); };
    clock.advance(60s);
    EXPECT_EQ(get(), "t2");
    EXPECT_FALSE(keeper->ended_at());
}

TEST_F(TokenKeeperTest, MayDieWithItsIoContextAtAnyMoment) {
    for (int steps = 0; steps < 12; ++steps) {
        boost::asio::io_context world;
        VirtualClock time(world);
        ScriptedClient network(time);
        network.then(grant("t1", "r1"), 1s).then(refusal("invalid_grant", ""), 1s).then(grant("t2"), 1s);
        TokenKeeper short_lived(world.get_executor(), options, network, time, random, log, std::nullopt, nullptr);
        boost::asio::co_spawn(world, short_lived.get(time.now() + patience), [](std::exception_ptr, Result<Secret>) {});
        for (int i = 0; i < steps; ++i)
            time.step();
    }
}

TEST_F(TokenKeeperFailure, TheCauseIsToldWhereTheTransportKnowsIt) {
    transport.cause = "certificate refused: certificate has expired";
    make();
    EXPECT_EQ(get(), "");
    EXPECT_EQ(keeper->trouble(), "the token service cannot be reached: certificate refused: certificate has expired");
}

}  // namespace
}  // namespace gateway::test
