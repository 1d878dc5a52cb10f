#include "sandbox/options.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

using namespace std::chrono_literals;

TEST(Options, ADurationIsANumberAndAUnit) {
    EXPECT_EQ(parse_duration("250ms"), Duration(250));
    EXPECT_EQ(parse_duration("3s"), Duration(3s));
    EXPECT_EQ(parse_duration("5m"), Duration(5min));
    EXPECT_EQ(parse_duration("2h"), Duration(2h));
    EXPECT_EQ(parse_duration("0"), Duration(0));
}

TEST(Options, WhatIsNoDurationIsNotGuessedAt) {
    for (const auto* text : {"", "s", "-1s", "1.5s", "3 s", "3d", "3sx", "99999999999999999999s", "2000000000h"})
        EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Options, TheWordsOfTheCommandLineAreKnown) {
    EXPECT_EQ(parse_expires_in("ms"), ExpiresIn::timestamp_ms);
    EXPECT_EQ(parse_expires_in("s"), ExpiresIn::timestamp_s);
    EXPECT_EQ(parse_expires_in("duration"), ExpiresIn::duration_s);
    EXPECT_FALSE(parse_expires_in("seconds"));
    EXPECT_EQ(parse_final_answers("200"), FinalAnswers::ok);
    EXPECT_EQ(parse_final_answers("4xx"), FinalAnswers::conflict_with_status);
    EXPECT_EQ(parse_final_answers("4xx-bare"), FinalAnswers::conflict_bare);
    EXPECT_FALSE(parse_final_answers("409"));
}

}  // namespace
}  // namespace gateway::sandbox
