#include "provider/reachability.hpp"

#include "unit/support/memory_log.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Asked = Reachability::Asked;

class ReachabilityTest : public testing::Test {
  protected:
    boost::asio::io_context io;
    VirtualClock clock{io};
    MemoryLog log;
    Reachability service{"provider", clock, log};
};

TEST_F(ReachabilityTest, TellsThatAnOutageBeganThatItGoesOnAndThatItIsOver) {
    service.answered();
    EXPECT_THAT(log.lines, IsEmpty());
    for (int second = 0; second < 90; ++second) {
        service.unreachable("refused");
        service.sale_refused();
        clock.advance(1s);
    }
    service.answered();
    service.answered();
    EXPECT_THAT(log.lines, ElementsAre("warn outage.begun service=provider detail=refused failures=1 refused=0",
                                       "warn outage.goes_on service=provider detail=refused failures=61 refused=60",
                                       "warn outage.over service=provider failures=90 refused=90 durationMs=90000"));
}

TEST_F(ReachabilityTest, SaysSinceWhenAndHowManySalesWereRefused) {
    const auto began = clock.wall();
    EXPECT_FALSE(service.outage());
    service.sale_refused();
    clock.advance(5s);
    service.unreachable("refused");
    service.sale_refused();
    clock.advance(5s);
    service.unreachable("certificate has expired");
    ASSERT_TRUE(service.outage());
    EXPECT_EQ(service.since(), began + 5s);
    EXPECT_EQ(service.outage()->refused, 1u);
    EXPECT_EQ(service.outage()->last_error, "certificate has expired") << "whatever the log was told";
    service.answered();
    EXPECT_EQ(service.since(), began + 10s);
    service.unreachable("refused");
    EXPECT_EQ(service.outage()->refused, 0u) << "another outage";
}

TEST_F(ReachabilityTest, AnOutageThatNothingCameBeforeMayHaveBegunBefore) {
    service.unreachable("refused");
    EXPECT_TRUE(service.outage()->maybe_longer);
    service.answered();
    EXPECT_THAT(log.sentences.back(), HasSubstr("can be used again after at least "));
    service.unreachable("refused");
    EXPECT_FALSE(service.outage()->maybe_longer);
    service.answered();
    EXPECT_THAT(log.sentences.back(), Not(HasSubstr("at least")));
}

TEST_F(ReachabilityTest, SaysSinceWhenByTheClockAsItIsSetNow) {
    const auto right = clock.wall();
    clock.shift_wall(-48h);
    service.useless("500", Asked::request);
    clock.advance(8s);
    clock.shift_wall(48h);
    service.useless("500", Asked::request);
    service.useless("500", Asked::request);
    ASSERT_TRUE(service.outage());
    EXPECT_EQ(service.since(), right);
    clock.shift_wall(5min);
    service.answered();
    clock.shift_wall(-5min);
    EXPECT_EQ(service.since(), right + 8s);
    EXPECT_EQ(log.count("warn outage.over service=provider failures=3 refused=0 durationMs=8000"), 1U);
}

TEST_F(ReachabilityTest, TheSalesThatWereLostToWhatLedToAnOutageCount) {
    service.useless("it answers 404", Asked::request);
    service.sale_refused();
    service.answered();
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(service.outage());
        service.useless("it answers 404", Asked::request);
        service.answered(Asked::anything_else);
        service.sale_refused();
    }
    ASSERT_TRUE(service.outage());
    EXPECT_EQ(service.outage()->refused, 3u);
    EXPECT_TRUE(log.has("warn outage.begun service=provider detail=\"it answers 404\" failures=3 refused=2"));
    service.answered();
    EXPECT_TRUE(log.has("warn outage.over service=provider failures=3 refused=3"));
}

TEST_F(ReachabilityTest, OneUselessAnswerIsNoOutageAndThreeInARowAre) {
    service.useless("it answers 500", Asked::anything_else);
    service.useless("it answers 500", Asked::anything_else);
    service.answered();
    service.useless("it answers 500", Asked::anything_else);
    service.useless("it answers 500", Asked::anything_else);
    EXPECT_FALSE(service.outage());
    service.useless("it answers 500", Asked::anything_else);
    ASSERT_TRUE(service.outage());
    EXPECT_EQ(service.outage()->last_error, "it answers 500");
    EXPECT_TRUE(log.has("failures=3")) << "the first of them counts, and began it";
}

TEST_F(ReachabilityTest, ALostAnswerLongBeforeIsNoPartOfAnOutage) {
    service.useless("the answer was cut off", Asked::anything_else);
    clock.advance(220s);
    const auto began = clock.wall();
    service.unreachable("refused");
    EXPECT_EQ(service.since(), began);
    clock.advance(5s);
    service.answered();
    service.useless("the answer was cut off", Asked::anything_else);
    clock.advance(220s);
    service.silent("silence", Asked::anything_else);
    EXPECT_EQ(service.since(), began + 225s);
    EXPECT_THAT(log.lines, ElementsAre("warn outage.begun service=provider detail=refused failures=1 refused=0",
                                       "warn outage.over service=provider failures=1 refused=0 durationMs=5000",
                                       "warn outage.begun service=provider detail=silence failures=1 refused=0"));
}

TEST_F(ReachabilityTest, AConnectionEndsAnOutageInWhichThereWasNone) {
    service.unreachable("refused");
    service.connected();
    EXPECT_FALSE(service.outage());
}

TEST_F(ReachabilityTest, AConnectionSaysNothingOfAServiceThatAnswersNonsense) {
    for (int i = 0; i < 3; ++i)
        service.useless("it answers 500", Asked::anything_else);
    service.connected();
    EXPECT_TRUE(service.outage());
    EXPECT_FALSE(service.outage()->may_be_tried);
    clock.advance(61s);
    service.connected();
    ASSERT_TRUE(service.outage()) << "nothing was answered";
    EXPECT_TRUE(service.outage()->may_be_tried) << "tills are sent to try again";
    service.useless("it answers 500", Asked::request);
    EXPECT_FALSE(service.outage()->may_be_tried) << "one of them has tried";
    EXPECT_EQ(log.count("outage.begun"), 1u) << "it is the same outage";
}

TEST_F(ReachabilityTest, RequestsThatFailAreAnOutageWhateverElseIsAnswered) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(service.outage());
        service.useless("it answers 500", Asked::request);
        if (i < 2) service.answered(Asked::anything_else);
    }
    ASSERT_TRUE(service.outage());
    service.answered(Asked::anything_else);
    ASSERT_TRUE(service.outage());
    EXPECT_TRUE(service.outage()->may_be_tried);
    service.answered(Asked::request);
    EXPECT_FALSE(service.outage());
}

TEST_F(ReachabilityTest, WhatWasNotAskedIsNeitherReachedNorAway) {
    const auto start = clock.wall();
    clock.advance(5s);
    EXPECT_FALSE(service.reached());
    EXPECT_FALSE(service.asked());
    EXPECT_EQ(service.since(), start);
    service.connected();
    EXPECT_TRUE(service.reached());
    EXPECT_FALSE(service.asked()) << "a connection asks nothing";
    EXPECT_EQ(service.since(), start + 5s);
    service.answered();
    EXPECT_TRUE(service.asked());
    clock.advance(5s);
    service.ask_anew();
    EXPECT_FALSE(service.reached());
    EXPECT_FALSE(service.asked());
    EXPECT_EQ(service.since(), start + 10s);
    service.unreachable("refused");
    EXPECT_TRUE(service.asked()) << "it was tried";
    service.connected();
    EXPECT_FALSE(service.asked()) << "nothing got there";
}

TEST_F(ReachabilityTest, AnExchangeThatFailedHasReachedIt) {
    const auto start = clock.wall();
    clock.advance(5s);
    service.useless("it answers 500", Asked::anything_else);
    EXPECT_TRUE(service.asked());
    EXPECT_TRUE(service.reached()) << "one failure is no outage, and nothing says that it cannot be used";
    EXPECT_EQ(service.since(), start + 5s);
    clock.advance(5s);
    service.failed_again("no answer");
    ASSERT_TRUE(service.last_failure());
    clock.advance(5s);
    EXPECT_EQ(service.last_failure()->at, start + 10s);
    EXPECT_EQ(service.last_failure()->why, "no answer");
    service.connected();
    EXPECT_TRUE(service.last_failure()) << "a connection is no exchange";
    for (int i = 0; i < 9; ++i)
        service.failed_again("no answer");
    EXPECT_FALSE(service.outage());
    service.answered(Asked::anything_else);
    EXPECT_FALSE(service.last_failure());
    EXPECT_EQ(service.since(), start + 5s);
}

TEST_F(ReachabilityTest, WhatFailsAgainIsAnExchangeThatReachedIt) {
    service.failed_again("no answer");
    EXPECT_TRUE(service.asked() && service.reached());
    service.unreachable("refused");
    service.failed_again("no answer");
    EXPECT_FALSE(service.reached()) << "what began an outage ends it";
    EXPECT_EQ(service.outage()->last_error, "refused");
}

TEST_F(ReachabilityTest, AnotherReasonIsToldSoon) {
    service.unreachable("refused");
    clock.advance(4s);
    service.unreachable("certificate");
    EXPECT_EQ(log.count("detail=certificate"), 0u) << "two that take turns would fill the log";
    clock.advance(1s);
    service.unreachable("certificate");
    clock.advance(15s);
    service.unreachable("certificate");
    EXPECT_EQ(log.count("detail=certificate"), 1u);
}

TEST_F(ReachabilityTest, WhatNewCredentialsMeetIsSaidOfThese) {
    Reachability tokens("token_service", clock, log);
    tokens.useless_to_new_credentials("refused");
    EXPECT_TRUE(tokens.outage()->of_new_credentials);
    tokens.unreachable("no connection");
    EXPECT_FALSE(tokens.outage()->of_new_credentials) << "now it is so for all";
}

TEST_F(ReachabilityTest, TheNextOutageIsToldAgain) {
    for (int i = 0; i < 2; ++i) {
        service.unreachable("refused");
        service.answered();
    }
    EXPECT_EQ(log.count("outage.begun"), 2u);
}

TEST_F(ReachabilityTest, NewsGrowsOld) {
    EXPECT_FALSE(service.has_news(10s));
    service.answered();
    EXPECT_TRUE(service.has_news(10s));
    clock.advance(10s);
    EXPECT_FALSE(service.has_news(10s));
}

}  // namespace
}  // namespace gateway::test
