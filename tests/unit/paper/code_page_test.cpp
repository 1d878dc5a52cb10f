#include "paper/code_page.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace gateway::test {
namespace {

constexpr std::array pages_of_bytes{CodePage::cp860, CodePage::cp850, CodePage::wpc1252};
constexpr std::string_view portuguese = "ÁÂÃÀÇÉÊÍÓÔÕÚÜáâãàçéêíóôõúüªº";

TEST(CodePage, HasTheNamesOfTheTerminalApi) {
    EXPECT_EQ(parse_code_page("cp860"), CodePage::cp860);
    EXPECT_EQ(parse_code_page("cp850"), CodePage::cp850);
    EXPECT_EQ(parse_code_page("wpc1252"), CodePage::wpc1252);
    EXPECT_EQ(parse_code_page("utf-8"), CodePage::utf_8);
    for (const auto* other : {"", "CP860", "utf8", "cp437", "cp860 "})
        EXPECT_EQ(parse_code_page(other), std::nullopt) << other;
}

TEST(CodePage, HasEveryLetterOfPortugueseInOneByte) {
    EXPECT_EQ(encoded("ã2ª VIA", CodePage::cp860),
              "\x84"
              "2\xA6 VIA");
    EXPECT_EQ(encoded("ã2ª VIA", CodePage::cp850),
              "\xC6"
              "2\xA6 VIA");
    EXPECT_EQ(encoded("ã2ª VIA", CodePage::wpc1252),
              "\xE3"
              "2\xAA VIA");
    for (const auto page : {CodePage::cp850, CodePage::wpc1252})
        EXPECT_EQ(spelled(portuguese, page), portuguese);
    EXPECT_EQ(spelled(portuguese, CodePage::cp860), portuguese);
}

TEST(CodePage, ALetterThatItLacksIsSpelledWithoutItsAccent) {
    EXPECT_EQ(spelled("Äşčž", CodePage::cp860), "Ascz");
    EXPECT_EQ(spelled("Äşčž", CodePage::cp850), "Äscz");
    EXPECT_EQ(spelled("Äşčž", CodePage::wpc1252), "Äscž");
    EXPECT_EQ(spelled("Łódź œuvre Ø", CodePage::cp860), "Lódz oeuvre O");
}

TEST(CodePage, ASignThatItLacksIsSpelledOrAQuestionMark) {
    EXPECT_EQ(spelled("10 € – “já”…", CodePage::cp860), "10 EUR - \"já\"...");
    EXPECT_EQ(spelled("10 € – “já”…", CodePage::wpc1252), "10 € – “já”…");
    EXPECT_EQ(spelled("a\u00A0b\u00ADc", CodePage::cp850), "a bc");
    EXPECT_EQ(spelled("日本 😀", CodePage::cp860), "?? ?");
    EXPECT_EQ(spelled("½ № ﬁ", CodePage::wpc1252), "½ No fi");
}

TEST(CodePage, AnAccentOfItsOwnBelongsToTheLetterBeforeIt) {
    EXPECT_EQ(spelled("a\u0303 s\u0327 x\u0303", CodePage::cp860), "ã s x");
    EXPECT_EQ(spelled("👍\uFE0F\u200D", CodePage::cp860), "?");
}

TEST(CodePage, Utf8IsLeftAsItIs) {
    EXPECT_EQ(spelled("日本 ş", CodePage::utf_8), "日本 ş");
    EXPECT_EQ(encoded("日本 ş", CodePage::utf_8), "日本 ş");
}

// This is true for any text. It keeps a provider's text from being a command to the printer.
TEST(CodePage, NoByteIsOneThatAPrinterObeys) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte)
        all += static_cast<char>(byte);
    all += "\u0085\u009B\u007F\u001B";
    for (const auto page : pages_of_bytes)
        for (const char c : encoded(all, page)) {
            const auto byte = static_cast<unsigned char>(c);
            EXPECT_TRUE(byte >= 0x20 && byte != 0x7F) << static_cast<int>(byte);
        }
    const auto utf8 = encoded(all, CodePage::utf_8);
    for (const char c : utf8)
        EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20 || c == 0x7F);
    EXPECT_EQ(utf8.find("\u0085"), std::string::npos);
    EXPECT_EQ(utf8.find("\u009B"), std::string::npos);
}

TEST(CodePage, WhatIsSpelledIsEncodedByteByByte) {
    for (int point = 0xA0; point < 0x3000; ++point) {
        const std::string sign{static_cast<char>(0xE0 | (point >> 12)), static_cast<char>(0x80 | ((point >> 6) & 0x3F)),
                               static_cast<char>(0x80 | (point & 0x3F))};
        if (point < 0x800) continue;
        for (const auto page : pages_of_bytes)
            EXPECT_EQ(spelled(spelled(sign, page), page), spelled(sign, page)) << point;
    }
}

TEST(CodePageNumbers, AreEpsonsAndNoneForUtf8) {
    const CodePageNumbers usual;
    EXPECT_EQ(usual.of(CodePage::cp860), 3);
    EXPECT_EQ(usual.of(CodePage::cp850), 2);
    EXPECT_EQ(usual.of(CodePage::wpc1252), 16);
    EXPECT_EQ(usual.of(CodePage::utf_8), std::nullopt);
}

TEST(CodePage, IsNamedAsIanaNamesIt) {
    EXPECT_EQ(charset_of(CodePage::cp860), "IBM860");
    EXPECT_EQ(charset_of(CodePage::cp850), "IBM850");
    EXPECT_EQ(charset_of(CodePage::wpc1252), "windows-1252");
    EXPECT_EQ(charset_of(CodePage::utf_8), "utf-8");
}

}  // namespace
}  // namespace gateway::test
