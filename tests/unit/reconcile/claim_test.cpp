#include "reconcile/claim.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

TEST(Claim, WhatTheGatewayOrTimePutsRightIsNotClaimed) {
    std::set<std::string_view> claimed;
    for (const auto kind : all_finding_kinds)
        if (is_to_be_claimed(kind)) claimed.insert(to_string(kind));
    EXPECT_EQ(claimed, (std::set<std::string_view>{"amount_differs", "store_differs", "sold_twice", "reversed_there",
                                                   "missing_there", "sold_there", "unknown_here"}));
}

}  // namespace
}  // namespace gateway::test
