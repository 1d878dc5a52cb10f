#include "base/secret.hpp"

#include "base/log.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

namespace gateway::test {
namespace {

TEST(Secret, IsPrintedAsThreeStars) {
    std::ostringstream out;
    out << Secret("123.456.789-09");
    EXPECT_EQ(out.str(), "***");
    EXPECT_EQ(testing::PrintToString(Secret("123.456.789-09")), "***") << "a failed test must not tell it either";
}

TEST(Secret, TurnsIntoNoTextByItself) {
    static_assert(!std::is_convertible_v<Secret, std::string>);
    static_assert(!std::is_convertible_v<Secret, std::string_view>);
    static_assert(!std::is_convertible_v<Secret, const char*>);
    static_assert(!std::is_convertible_v<std::string, Secret>, "what is secret is said to be so");
    static_assert(!fmt::is_formattable<Secret>::value);
    static_assert(std::is_constructible_v<LogField, std::string_view, Secret>);
}

TEST(Secret, RevealsWhatItHolds) {
    EXPECT_EQ(Secret("pin").reveal(), "pin");
    EXPECT_EQ(Secret(std::string("a\0b", 3)).reveal().size(), 3u);
}

TEST(Secret, IsEmptyUntilItHoldsSomething) {
    EXPECT_TRUE(Secret().empty());
    EXPECT_TRUE(Secret("").empty());
    EXPECT_FALSE(Secret(" ").empty());
}

TEST(Secret, IsComparedByWhatItHolds) {
    EXPECT_EQ(Secret("a"), Secret("a"));
    EXPECT_FALSE(Secret("a") == Secret("b"));
}

}  // namespace
}  // namespace gateway::test
