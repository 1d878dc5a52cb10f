#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace gateway::test {
namespace {

// Writes the code point in this many bytes, whether that is allowed or not.
std::string spelt(std::uint32_t point, int bytes) {
    if (bytes == 1) return {static_cast<char>(point)};
    constexpr std::array<unsigned, 5> first{0, 0, 0xC0, 0xE0, 0xF0};
    std::string text(1, static_cast<char>(first.at(static_cast<std::size_t>(bytes)) | (point >> (6 * (bytes - 1)))));
    for (int i = bytes - 2; i >= 0; --i)
        text += static_cast<char>(0x80 | ((point >> (6 * i)) & 0x3F));
    return text;
}

int shortest(std::uint32_t point) {
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

TEST(Utf8, EveryCodePointIsWellFormedInItsShortestFormOnly) {
    for (std::uint32_t point = 0; point < 0x11'0000; point += point < 0x1'0800 ? 1 : 251) {
        const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
        for (int bytes = shortest(point); bytes <= 4; ++bytes)
            ASSERT_EQ(is_utf8(spelt(point, bytes)), bytes == shortest(point) && !surrogate) << point << " " << bytes;
    }
}

TEST(Utf8, TheFirstFaultIsFoundWhereItStands) {
    EXPECT_EQ(utf8_before_fault(""), 0U);
    EXPECT_EQ(utf8_before_fault("a\xC3\xA9"), 3U);
    for (std::size_t before = 0; before < 40; ++before) {
        const auto start = std::string(before, 'a') + "\xC3\xA9";
        for (const auto* fault : {"\xE7",
                                  "\xE7"
                                  "a",
                                  "\xE7\xE3o", "\xFF\xFE"})
            EXPECT_EQ(utf8_before_fault(start + fault), start.size());
    }
}

TEST(Utf8, EndsAtItsLastCodePoint) {
    EXPECT_TRUE(is_utf8("\xF4\x8F\xBF\xBF"));
    for (const auto* text : {"\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF8\x88\x80\x80\x80", "\xFE", "\xFF"})
        EXPECT_FALSE(is_utf8(text));
}

TEST(Utf8, ACutOrLoneByteIsNotWellFormed) {
    for (const auto* text : {"\x80", "\xBF", "a\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC3(", "\xE2(\xAC",
                             "\xE2\x82(", "\xF0\x9F\x98("})
        EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Utf8, TextsAreLookedAtToTheirEnd) {
    EXPECT_TRUE(is_utf8(""));
    EXPECT_TRUE(is_utf8("São Paulo, 10 € 😀"));
    EXPECT_FALSE(is_utf8("São Paulo\xE3"));
    for (std::size_t before = 0; before < 20; ++before)
        for (std::size_t after = 0; after < 20; ++after) {
            EXPECT_TRUE(is_utf8(std::string(before, 'a') + "ã" + std::string(after, 'b')));
            EXPECT_FALSE(is_utf8(std::string(before, 'a') + "\xE3" + std::string(after, 'b')));
        }
    EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
    EXPECT_FALSE(is_utf8(std::string_view("a\0\xFF", 3)));
}

TEST(Utf8, TextOfOlderServicesIsTakenOver) {
    EXPECT_EQ(utf8_from_windows_1252("S\xE3o Paulo,\t\xA3 1\r\n"), "São Paulo,\t£ 1\r\n");
    EXPECT_EQ(utf8_from_windows_1252("\xFF\x80"), "ÿ€");
    EXPECT_EQ(utf8_from_windows_1252(""), "");
    for (const auto* text : {"a\x01", "\x1F\x8B", "\x7F", "\x81", "\x9D"})
        EXPECT_FALSE(utf8_from_windows_1252(text)) << text;
}

TEST(Utf8, WhateverTextIsWrittenInItIsRead) {
    EXPECT_EQ(as_utf8("São"), "São");
    EXPECT_EQ(as_utf8("\xEF\xBB\xBF{}"), "{}");
    EXPECT_EQ(as_utf8("S\xE3o \x80 5 \x96 \x93x\x94"), "São € 5 – “x”") << "Windows-1252";
    const std::string_view little("\xFF\xFE{\0\xE3\0\x3D\xD8\0\xDE}\0", 12);
    EXPECT_EQ(as_utf8(std::string(little)), "{ã😀}");
    const std::string_view big("\xFE\xFF\0{\0\xE3\xD8\x3D\xDE\0\0}", 12);
    EXPECT_EQ(as_utf8(std::string(big)), "{ã😀}");
}

TEST(Utf8, WhatIsNoTextStaysAsItCame) {
    for (const std::string& bytes : {std::string("\x1F\x8B\x08\xFF"), std::string("\x81\x8D"), std::string("\xFF\xFE{"),
                                     std::string("\xFF\xFE\x3D\xD8", 4), std::string("\xFF\xFE\0\xDE", 4)})
        EXPECT_EQ(as_utf8(bytes), bytes);
}

TEST(Utf8, LengthCountsCodePoints) {
    EXPECT_EQ(utf8_length(""), 0u);
    EXPECT_EQ(utf8_length("abc"), 3u);
    EXPECT_EQ(utf8_length("São"), 3u);
    EXPECT_EQ(utf8_length("10 €"), 4u);
    EXPECT_EQ(utf8_length("😀!"), 2u);
}

}  // namespace
}  // namespace gateway::test
