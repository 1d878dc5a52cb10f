#include "families/tax_number.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

constexpr std::string_view shape = "00-0/0";

TEST(TaxNumber, ItsPunctuationIsThatOfTheShapeOrNone) {
    EXPECT_EQ(without_punctuation("12-3/4", shape), "1234");
    EXPECT_EQ(without_punctuation("1234", shape), "1234");
    for (const auto* text : {"", "12-34", "12/3-4", "12-3/45", "12-3/4 "})
        EXPECT_EQ(without_punctuation(text, shape), std::nullopt) << text;
    EXPECT_EQ(punctuated("12A4", shape), "12-A/4");
}

// By hand: 1×2 = 2, and 11 less 2 is 9; then 9×2 + 1×3 = 21, of which 10 is left, and 11 less 10 is 1.
TEST(TaxNumber, CheckDigitsAreWeightedFromTheRight) {
    EXPECT_TRUE(ends_with_check_digits("191", 9));
    EXPECT_FALSE(ends_with_check_digits("190", 9));
    EXPECT_FALSE(ends_with_check_digits("181", 9));
    EXPECT_FALSE(ends_with_check_digits("91", 9));
}

// By hand: of 1000, the 1 weighs 5, or 3 where 3 is the heaviest weight, after which 2 and 3 come again.
TEST(TaxNumber, AfterTheHeaviestWeightTheWeightsBeginAgain) {
    EXPECT_TRUE(ends_with_check_digits("100064", 9)) << "11 - 5 = 6; 6×2 + 1×6 = 18, 11 - 7 = 4";
    EXPECT_TRUE(ends_with_check_digits("100084", 3)) << "11 - 3 = 8; 8×2 + 1×2 = 18, 11 - 7 = 4";
}

}  // namespace
}  // namespace gateway
