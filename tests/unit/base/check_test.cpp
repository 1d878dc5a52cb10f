#include "base/check.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(Check, OneThatHoldsIsNothing) {
    int evaluated = 0;
    CHECK(++evaluated == 1);
    EXPECT_EQ(evaluated, 1);
    if (evaluated == 2)
        CHECK(false);
    else
        ++evaluated;
    EXPECT_EQ(evaluated, 2) << "it is one statement";
}

TEST(CheckDeathTest, BrokenOneSaysWhatAndWhereAndEndsTheProgram) {
    EXPECT_EXIT(CHECK(1 + 1 == 3), testing::KilledBySignal(SIGABRT), "CHECK failed: 1 \\+ 1 == 3 at .*check_test.cpp:");
}

}  // namespace
}  // namespace gateway::test
