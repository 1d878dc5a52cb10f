#include "api/codes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway {
namespace {

TEST(Codes, EachIsThereOnceAndSaysWhatHappenedAndWhatComesNext) {
    std::set<std::string_view> seen;
    for (const auto& [code, happened, next] : all_codes()) {
        EXPECT_TRUE(seen.insert(code).second) << code;
        for (const auto sentence : {happened, next})
            EXPECT_TRUE(sentence.ends_with('.') && sentence.size() > 15) << code;
        EXPECT_EQ(find_code(code).happened, happened);
    }
}

TEST(CodesDeathTest, OneThatNobodyDescribedIsABug) {
    EXPECT_DEATH(find_code("surprised"), "CHECK failed");
}

}  // namespace
}  // namespace gateway
