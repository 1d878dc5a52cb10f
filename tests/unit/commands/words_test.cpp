#include "commands/words.hpp"

#include "unit/support/zone.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using boost::json::object;

TEST(Words, TimesAreLocalAndTheDateIsSaidOnce) {
    const Zone zone("<-03>3");
    const object sale{{"createdAt", "2026-11-23T01:00:00.000Z"}, {"updatedAt", "2026-11-23T03:00:00Z"}};
    EXPECT_EQ(local_time(sale, "createdAt"), "2026-11-22 22:00:00");
    EXPECT_EQ(local_time_beside(sale, "createdAt", "2026-11-22 10:00:00"), "22:00:00");
    EXPECT_EQ(local_time_beside(sale, "updatedAt", "2026-11-22 22:00:00"), "2026-11-23 00:00:00");
}

TEST(Words, WhatIsNotThereOrIsSomethingElseIsADash) {
    for (const auto& sale : {object{}, object{{"createdAt", nullptr}, {"valor", "12"}}, object{{"createdAt", 5}}}) {
        EXPECT_EQ(local_time(sale, "createdAt"), "-");
        EXPECT_EQ(amount_of(sale), "-");
    }
    EXPECT_EQ(local_time({{"at", "soon\n"}}, "at"), "soon?");
}

TEST(Words, AmountsAreMoney) {
    EXPECT_EQ(amount_of({{"valor", 104990}}), "R$ 1.049,90");
}

TEST(Words, AMarkOfAnOlderGatewayHasNoName) {
    EXPECT_EQ(mark_of({{"attention", true}, {"mark", "no_callback"}}), "no_callback");
    EXPECT_EQ(mark_of({{"attention", true}}), "attention");
    EXPECT_EQ(mark_of({{"attention", false}}), "");
}

TEST(Words, LengthsAreRoundedToWhatMatters) {
    EXPECT_EQ(length_of(-1s), "0 s");
    EXPECT_EQ(length_of(59s), "59 s");
    EXPECT_EQ(length_of(12min + 59s), "12 min");
    EXPECT_EQ(length_of(5h + 12min), "5 h 12 min");
    EXPECT_EQ(length_of(25h), "1 day 1 h");
    EXPECT_EQ(length_of(52h), "2 days 4 h");
}

}  // namespace
}  // namespace gateway::test
