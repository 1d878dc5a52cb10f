#include "paper/columns.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gateway::test {
namespace {

// Returns the part of the text that is found to be an address.
std::string address_in(std::string_view text, std::size_t from = 0) {
    const auto place = find_address(text, from);
    return std::string(text.substr(place.begin, place.length));
}

TEST(Columns, ALetterHasOneWhateverItsBytes) {
    EXPECT_EQ(columns_of(""), 0U);
    EXPECT_EQ(columns_of("abc"), 3U);
    EXPECT_EQ(columns_of("áção"), 4U);
    EXPECT_EQ(columns_of("R€ – …"), 6U);
}

TEST(Columns, EastAsianCharactersAndEmojiHaveTwo) {
    EXPECT_EQ(columns_of("日本"), 4U);
    EXPECT_EQ(columns_of("한글"), 4U);
    EXPECT_EQ(columns_of("ＡＢ"), 4U);
    EXPECT_EQ(columns_of("😀"), 2U);
    EXPECT_EQ(columns_of("\u2764"), 1U);
    EXPECT_EQ(columns_of("\u2764\uFE0F"), 2U) << "made an emoji by what follows it";
}

TEST(Columns, WhatChangesTheCharacterBeforeItHasNone) {
    EXPECT_EQ(columns_of("a\u0303o\u0302"), 2U);
    EXPECT_EQ(columns_of("a\u200Bb\u200Dc\uFEFF"), 3U);
}

TEST(Columns, BytesThatAreNoTextHaveOneEach) {
    EXPECT_EQ(columns_of("\xFF\x80\xC2"), 3U);
}

TEST(FittingLength, IsInBytesAndNeverPartsACharacterFromWhatChangesIt) {
    EXPECT_EQ(fitting_length("abcd", 3), 3U);
    EXPECT_EQ(fitting_length("abcd", 4), 4U);
    EXPECT_EQ(fitting_length("áéí", 2), 4U);
    EXPECT_EQ(fitting_length("日本", 3), 3U) << "half a character is none";
    EXPECT_EQ(fitting_length("a\u0303b", 1), 3U);
    EXPECT_EQ(fitting_length("a\u2764\uFE0F", 2), 1U);
}

TEST(FittingLength, IsNeverNothing) {
    EXPECT_EQ(fitting_length("日本", 1), 3U);
    EXPECT_EQ(fitting_length("", 4), 0U);
}

TEST(Address, EndsAtTheNextSpace) {
    EXPECT_EQ(address_in("Abra https://a.example/x?y=1#z para ativar"), "https://a.example/x?y=1#z");
    EXPECT_EQ(address_in("HTTP://A.EXAMPLE"), "HTTP://A.EXAMPLE");
    EXPECT_EQ(address_in("Instale LPA:1$smdp.example$AB-12 agora"), "LPA:1$smdp.example$AB-12");
    EXPECT_EQ(address_in("codigo=https://a.example/1"), "https://a.example/1");
}

TEST(Address, HasNoPartInTheSentenceAroundIt) {
    EXPECT_EQ(address_in("Abra (https://a.example/x)."), "https://a.example/x");
    EXPECT_EQ(address_in("Abra https://a.example/x(1), e pronto"), "https://a.example/x(1)");
    EXPECT_EQ(address_in("\"https://a.example/x\";"), "https://a.example/x");
}

TEST(Address, ThatIsTheWholeTextIsTakenAsItIs) {
    EXPECT_EQ(address_in("https://a.example/x."), "https://a.example/x.");
    EXPECT_TRUE(is_address("https://a.example/x)."));
    EXPECT_FALSE(is_address("https://a.example/x e"));
}

TEST(Address, IsNoneWhereAColonHasNoSchemeBeforeIt) {
    EXPECT_EQ(address_in("Data: 02/05/2026 10:11:12"), "");
    EXPECT_EQ(address_in("://a.example"), "");
    EXPECT_EQ(address_in("http:// a"), "");
    EXPECT_EQ(address_in("Ver: lpa: :https://a.example"), "https://a.example");
    EXPECT_EQ(address_in("xlpa:1 e https://a.example"), "https://a.example") << "a letter stands before the first";
}

TEST(Address, MayFollowAnother) {
    const std::string_view text = "https://a.example https://b.example.";
    EXPECT_EQ(address_in(text, 1), "https://b.example");
    EXPECT_EQ(address_in(text, 19), "");
}

TEST(Address, IsNotWhatOnlyLooksLikeOne) {
    for (const auto* text : {"", "PIN: 1", "http:", "https://", "https:// x", "ftp://a", "palpa:1", "LPA: nada"})
        EXPECT_EQ(address_in(text), "") << text;
}

}  // namespace
}  // namespace gateway::test
