#include "reconcile/finding.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

TEST(Finding, KindsHaveWordsOfTheirOwn) {
    std::set<std::string_view> words;
    for (const auto kind : all_finding_kinds) {
        EXPECT_TRUE(words.insert(to_string(kind)).second) << to_string(kind);
        EXPECT_EQ(parse_finding_kind(to_string(kind)), kind);
    }
    EXPECT_EQ(all_finding_kinds.size(), static_cast<std::size_t>(FindingKind::unreadable_line) + 1);
    EXPECT_FALSE(parse_finding_kind("Matched"));
    EXPECT_FALSE(parse_finding_kind(""));
}

TEST(Finding, NoneIsLouderThanASaleThatNobodyPaid) {
    for (const auto kind : all_finding_kinds)
        EXPECT_EQ(severity_of(kind) == FindingSeverity::alarm, kind == FindingKind::sold_there) << to_string(kind);
    EXPECT_EQ(severity_of(FindingKind::matched), FindingSeverity::none);
    EXPECT_EQ(severity_of(FindingKind::counted_only), FindingSeverity::none);
    EXPECT_EQ(severity_of(FindingKind::still_open), FindingSeverity::note);
    EXPECT_EQ(severity_of(FindingKind::missing_there), FindingSeverity::warning);
    std::set<std::string_view> words;
    for (const auto severity :
         {FindingSeverity::none, FindingSeverity::note, FindingSeverity::warning, FindingSeverity::alarm})
        EXPECT_TRUE(words.insert(to_string(severity)).second);
}

TEST(Finding, FilesHaveKindsOfTheirOwn) {
    EXPECT_FALSE(is_of_a_file(FindingKind::matched));
    EXPECT_FALSE(is_of_a_file(FindingKind::counted_only));
    EXPECT_TRUE(is_of_a_file(FindingKind::wrong_day));
    EXPECT_TRUE(is_of_a_file(FindingKind::unreadable_line));
}

TEST(Finding, WhatTheGatewayOrTimePutsRightIsNotClaimed) {
    std::set<std::string_view> claimed;
    for (const auto kind : all_finding_kinds)
        if (is_to_be_claimed(kind)) claimed.insert(to_string(kind));
    EXPECT_EQ(claimed, (std::set<std::string_view>{"amount_differs", "store_differs", "sold_twice", "reversed_there",
                                                   "missing_there", "sold_there", "unknown_here"}));
}

}  // namespace
}  // namespace gateway::test
