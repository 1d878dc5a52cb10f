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
    const Renewals at_7{{"a.1", 7}}, none;
    OtherLeases others;
    EXPECT_EQ(others.dead(begin), none) << "never seen";
    others.saw(at_7, begin);
    others.saw(at_7, begin + 5s);
    EXPECT_EQ(others.dead(begin + 5'999ms), none);
    EXPECT_EQ(others.dead(begin + 6s), at_7);
    others.saw({}, begin + 7s);
    EXPECT_EQ(others.dead(begin + 1h), none) << "it is gone";
    others.saw(at_7, begin + 1h);
    EXPECT_EQ(others.dead(begin + 1h), none) << "it is seen for the first time";
}

// A counter that fell back counts as one that moved: a server that was promoted may know less, and what this gateway
// saw on the one before proves nothing against the run.
TEST(OtherLeases, ACounterThatMovesBeginsTheWaitAnew) {
    for (const std::int64_t later : {8, 6}) {
        OtherLeases others;
        others.saw({{"a.1", 7}}, begin);
        others.saw({{"a.1", later}}, begin + 5s);
        EXPECT_EQ(others.dead(begin + 10'999ms), Renewals());
        EXPECT_EQ(others.dead(begin + 11s), (Renewals{{"a.1", later}}));
    }
}

TEST(Lease, WhatIsTrustedIsOverBeforeAnotherGatewayTakesItForDead) {
    // This holds even where the other clock runs faster by a quarter.
    EXPECT_LT(trusted_for * 5 / 4, dead_after);
    EXPECT_LT(renew_every * 3, trusted_for);
}

}  // namespace
}  // namespace gateway::test
