#include "families/cpf.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

TEST(Cpf, IsElevenDigitsFormattedOrNot) {
    EXPECT_EQ(cpf_digits("52998224725"), "52998224725");
    EXPECT_EQ(cpf_digits("529.982.247-25"), "52998224725");
    for (const auto* text :
         {"", "5299822472", "529982247255", "529.982.24725", "529-982-247.25", "529.982.247-2", "529.982.247-2x",
          "5299822472x", " 52998224725", "529.982.247-25 ", "...........", "529a982b247c25"})
        EXPECT_EQ(cpf_digits(text), std::nullopt) << text;
}

TEST(Cpf, IsFormattedAsTheProviderShowsIt) {
    EXPECT_EQ(formatted_cpf("52998224725"), "529.982.247-25");
    EXPECT_EQ(formatted_cpf("00000000191"), "000.000.001-91");
}

TEST(Cpf, CheckDigitsAreVerified) {
    EXPECT_TRUE(has_right_check_digits("52998224725"));
    EXPECT_TRUE(has_right_check_digits("11144477735"));
    EXPECT_TRUE(has_right_check_digits("00000000191"));
    EXPECT_FALSE(has_right_check_digits("52998224724"));
    EXPECT_FALSE(has_right_check_digits("52998224735"));
    EXPECT_FALSE(has_right_check_digits("25998224725"));
    EXPECT_FALSE(has_right_check_digits("5299822472"));
    EXPECT_FALSE(has_right_check_digits("5299822472x"));
}

TEST(Cpf, ElevenEqualDigitsBelongToNobody) {
    for (char c = '0'; c <= '9'; ++c)
        EXPECT_FALSE(has_right_check_digits(std::string(11, c))) << c;
}

TEST(Cpf, EveryNumberHasExactlyOnePairOfCheckDigits) {
    int right = 0;
    for (int check = 0; check < 100; ++check)
        right += has_right_check_digits("123456789" + std::string(check < 10 ? "0" : "") + std::to_string(check));
    EXPECT_EQ(right, 1);
}

}  // namespace
}  // namespace gateway
