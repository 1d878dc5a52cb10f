#include "api/rate_limiter.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{1h};

int taken_at(RateLimiter& limiter, Instant now, int tries = 1000) {
    int taken = 0;
    for (int i = 0; i < tries; ++i)
        taken += limiter.take(now) ? 1 : 0;
    return taken;
}

TEST(RateLimiter, ASecondsWorthAtOnceAndNoMore) {
    RateLimiter limiter(50, start);
    EXPECT_EQ(taken_at(limiter, start), 50);
}

TEST(RateLimiter, WhatIsGivenBackCanBeTakenAgain) {
    RateLimiter limiter(50, start);
    taken_at(limiter, start);
    limiter.give_back();
    EXPECT_EQ(taken_at(limiter, start), 1);
}

TEST(RateLimiter, FillsAtItsRate) {
    RateLimiter limiter(50, start);
    taken_at(limiter, start);
    EXPECT_EQ(taken_at(limiter, start + 19ms), 0);
    EXPECT_EQ(taken_at(limiter, start + 20ms), 1);
    EXPECT_EQ(taken_at(limiter, start + 100ms), 4);
}

TEST(RateLimiter, ALongQuietTimeSavesUpNoMoreThanASecond) {
    RateLimiter limiter(50, start);
    EXPECT_EQ(taken_at(limiter, start + 24h), 50);
}

TEST(RateLimiter, WhatIsRefusedCostsNothing) {
    RateLimiter limiter(1, start);
    EXPECT_EQ(taken_at(limiter, start), 1);
    EXPECT_EQ(taken_at(limiter, start + 500ms), 0);
    EXPECT_EQ(taken_at(limiter, start + 1s), 1);
}

TEST(RateLimiter, ARateThatDividesNoSecondDoesNotDrift) {
    RateLimiter limiter(3, start);
    int taken = taken_at(limiter, start);
    for (int s = 1; s <= 1000; ++s)
        taken += taken_at(limiter, start + std::chrono::seconds(s), 10);
    EXPECT_EQ(taken, 3 + 3000);
}

}  // namespace
}  // namespace gateway
