#include "base/ascii.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace gateway::test {
namespace {

std::size_t count(bool (*is)(char) noexcept) {
    std::size_t found = 0;
    for (int byte = 0; byte < 256; ++byte)
        found += is(static_cast<char>(byte)) ? 1 : 0;
    return found;
}

TEST(Ascii, ACharacterIsOfAKindOnlyWithinAscii) {
    EXPECT_EQ(count(is_digit), 10u);
    EXPECT_EQ(count(is_lower), 26u);
    EXPECT_EQ(count(is_upper), 26u);
    EXPECT_EQ(count(is_alphanumeric), 62u);
    EXPECT_EQ(count(is_control), 33u);
    EXPECT_EQ(count(is_unreserved), 66u);
    EXPECT_TRUE(is_digit('0') && is_digit('9') && is_lower('a') && is_lower('z') && is_upper('A') && is_upper('Z'));
    EXPECT_TRUE(is_control('\0') && is_control('\x1f') && is_control('\x7f'));
    for (const char c : std::string_view("-._~"))
        EXPECT_TRUE(is_unreserved(c));
}

TEST(Ascii, DigitsAreOneOrMore) {
    EXPECT_TRUE(is_digits("0123456789"));
    for (const auto* text : {"", "1a", "-1", " 1", "1.0", "\xd9\xa5"})
        EXPECT_FALSE(is_digits(text)) << text;
}

TEST(Ascii, TheLengthBeforeACharacterIsFoundWhereverItStands) {
    const auto is_bar = [](char c) { return c == '|'; };
    for (std::size_t size = 0; size <= 70; ++size) {
        const std::string plain(size, '-');
        EXPECT_EQ(length_before(plain, is_bar), size);
        for (std::size_t at = 0; at < size; ++at) {
            std::string text = plain;
            text[at] = '|';
            EXPECT_EQ(length_before(text, is_bar), at) << size;
            text.back() = '|';
            EXPECT_EQ(length_before(text, is_bar), at) << size;
        }
    }
}

TEST(Ascii, TrimTakesSpacesAndTabsFromTheEndsOnly) {
    EXPECT_EQ(trim(" \ta b\t "), "a b");
    EXPECT_EQ(trim(" \t"), "");
    EXPECT_EQ(trim(""), "");
    EXPECT_EQ(trim("\r\n"), "\r\n");
}

TEST(Ascii, CaseChangesForAsciiLettersAlone) {
    EXPECT_EQ(to_lower("AZ@[az{\xc3\x83"), "az@[az{\xc3\x83");
    EXPECT_EQ(to_upper('a'), 'A');
    EXPECT_EQ(to_upper('z'), 'Z');
    EXPECT_EQ(to_upper('{'), '{');
}

TEST(Ascii, HexIsWrittenInLowerCaseAndReadInBoth) {
    const std::string bytes("\x00\x0f\xa5\xff", 4);
    EXPECT_EQ(to_hex(std::as_bytes(std::span(bytes))), "000fa5ff");
    EXPECT_EQ(from_hex("000fa5ff"), bytes);
    EXPECT_EQ(from_hex("000FA5FF"), bytes);
    EXPECT_EQ(from_hex(""), "");
    for (const auto* text : {"0", "0g", "g0", "0x", " 0"})
        EXPECT_FALSE(from_hex(text)) << text;
    EXPECT_EQ(hex_value('G'), -1);
    EXPECT_EQ(hex_value('/'), -1);
}

TEST(Ascii, APercentEncodedByteHasTwoUpperCaseDigits) {
    std::string out = "a";
    append_percent_encoded(out, '\xc3');
    append_percent_encoded(out, '\n');
    EXPECT_EQ(out, "a%C3%0A");
}

TEST(Ascii, TheLongestNumbersHaveRoom) {
    std::string out;
    append_number(out, std::numeric_limits<std::int64_t>::min());
    append_number(out, std::numeric_limits<std::uint64_t>::max());
    append_number(out, 0);
    EXPECT_EQ(out, "-9223372036854775808184467440737095516150");
}

}  // namespace
}  // namespace gateway::test
