#include "families/cnpj.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

// The first is the usual example of a CNPJ, the second the Receita Federal's of one with letters.
TEST(Cnpj, PublishedExamplesAreRightWithAndWithoutPunctuation) {
    EXPECT_EQ(formatted_cnpj("11.222.333/0001-81"), "11.222.333/0001-81");
    EXPECT_EQ(formatted_cnpj("11222333000181"), "11.222.333/0001-81");
    EXPECT_EQ(formatted_cnpj("12.ABC.345/01DE-35"), "12.ABC.345/01DE-35");
    EXPECT_EQ(formatted_cnpj("12ABC34501DE35"), "12.ABC.345/01DE-35");
    EXPECT_EQ(formatted_cnpj("12.345.678/0001-95"), "12.345.678/0001-95");
    EXPECT_EQ(formatted_cnpj("00.000.000/0001-91"), "00.000.000/0001-91");
}

TEST(Cnpj, SmallLettersAreShownAsCapitals) {
    EXPECT_EQ(formatted_cnpj("12.abc.345/01de-35"), "12.ABC.345/01DE-35");
}

TEST(Cnpj, WrongCheckDigitsAndOtherTextsAreNone) {
    for (const auto* text :
         {"", "11.222.333/0001-80", "11.222.333/0001-91", "12.ABC.345/01DE-36", "12.ABD.345/01DE-35", "1122233300018",
          "112223330001811", "11.222.333.0001-81", "11222333/0001-81", " 11222333000181", "12.ABC.345/01DE-3E",
          "12.\xC3\x87.345/01DE-35", "529.982.247-25", "52998224725"})
        EXPECT_EQ(formatted_cnpj(text), std::nullopt) << text;
}

TEST(Cnpj, EqualCharactersBelongToNobody) {
    EXPECT_EQ(formatted_cnpj("00000000000000"), std::nullopt);
}

TEST(Cnpj, EveryNumberHasExactlyOnePairOfCheckDigits) {
    for (const auto* number : {"112223330001", "12ABC34501DE", "ZZZZZZZZZZZZ"}) {
        int right = 0;
        for (int check = 0; check < 100; ++check)
            right += formatted_cnpj(number + std::string(check < 10 ? "0" : "") + std::to_string(check)).has_value();
        EXPECT_EQ(right, 1) << number;
    }
}

}  // namespace
}  // namespace gateway
