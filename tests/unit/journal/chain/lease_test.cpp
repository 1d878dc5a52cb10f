#include "journal/chain/lease.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

constexpr Instant begin{1h};

TEST(Lease, IsTrustedFromTheBeginningOfARenewalThatWasDone) {
    Lease lease;
    EXPECT_FALSE(lease.trusted(begin)) << "before the first";
    lease.renewed(begin);
    EXPECT_TRUE(lease.trusted(begin + 3'999ms));
    EXPECT_FALSE(lease.trusted(begin + 4s));
    lease.renewed(begin + 1s);
    EXPECT_TRUE(lease.trusted(begin + 4'999ms));
}

TEST(Lease, ThatWasEndedIsNotTrusted) {
    Lease lease;
    lease.renewed(begin);
    lease.ended();
    EXPECT_FALSE(lease.trusted(begin));
}

TEST(OtherLeases, ARunIsDeadOnceItsCounterStoodStillForSixSeconds) {
    OtherLeases others;
    EXPECT_EQ(others.dead_at("a.1", begin), std::nullopt) << "never seen";
    others.saw("a.1", 7, begin);
    others.saw("a.1", 7, begin + 5s);
    EXPECT_EQ(others.dead_at("a.1", begin + 5'999ms), std::nullopt);
    EXPECT_EQ(others.dead_at("a.1", begin + 6s), 7u);
}

TEST(OtherLeases, ARenewalThatIsSeenBeginsTheWaitAnew) {
    OtherLeases others;
    others.saw("a.1", 7, begin);
    others.saw("a.1", 8, begin + 5s);
    EXPECT_EQ(others.dead_at("a.1", begin + 10'999ms), std::nullopt);
    EXPECT_EQ(others.dead_at("a.1", begin + 11s), 8u);
}

// A server that was promoted may know less; what this gateway saw of the one before proves nothing against it.
TEST(OtherLeases, ACounterThatFellBackIsNoSignOfDeath) {
    OtherLeases others;
    others.saw("a.1", 8, begin);
    others.saw("a.1", 6, begin + 5s);
    EXPECT_EQ(others.dead_at("a.1", begin + 6s), std::nullopt);
}

TEST(OtherLeases, ARunThatIsGoneIsForgotten) {
    OtherLeases others;
    others.saw("a.1", 7, begin);
    others.gone("a.1");
    EXPECT_EQ(others.dead_at("a.1", begin + 1h), std::nullopt);
    others.saw("a.1", 7, begin + 1h);
    EXPECT_EQ(others.dead_at("a.1", begin + 1h), std::nullopt) << "it is seen for the first time";
}

TEST(Lease, WhatIsTrustedIsOverBeforeAnotherGatewayTakesItForDead) {
    // Even where the other clock runs faster by a quarter.
    EXPECT_LT(trusted_for * 5 / 4, dead_after);
    EXPECT_LT(renew_every * 3, trusted_for);
}

}  // namespace
}  // namespace gateway::test
