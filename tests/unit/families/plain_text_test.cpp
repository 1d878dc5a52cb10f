#include "families/plain_text.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

TEST(PlainText, IsUtf8WithoutControlCharactersAndNotEmpty) {
    EXPECT_TRUE(is_plain_text("x"));
    EXPECT_TRUE(is_plain_text("Bilhete Único – 10 €"));
    EXPECT_FALSE(is_plain_text(""));
    EXPECT_FALSE(is_plain_text("a\nb"));
    EXPECT_FALSE(is_plain_text(std::string_view("a\0b", 3)));
    EXPECT_FALSE(is_plain_text("a\x7F"));
    EXPECT_FALSE(
        is_plain_text("a\xC2\x9B"
                      "b"));
    EXPECT_TRUE(
        is_plain_text("a\xC2\xA0"
                      "b"));
    EXPECT_FALSE(is_plain_text("\xC3"));
    EXPECT_FALSE(is_plain_text("\xFF"));
}

TEST(PlainText, IsMeasuredInCodePoints) {
    std::string text;
    for (std::size_t i = 0; i < max_text_length; ++i)
        text += "é";
    EXPECT_TRUE(is_plain_text(text));
    EXPECT_FALSE(is_plain_text(text + "e"));
    EXPECT_TRUE(is_plain_text("abc", 3));
    EXPECT_FALSE(is_plain_text("abcd", 3));
}

TEST(PlainText, NumbersAreDigitsOnlyAndBounded) {
    EXPECT_EQ(number_from_digits("007"), 7);
    EXPECT_EQ(number_from_digits("999999999999999"), 999'999'999'999'999);
    EXPECT_EQ(number_from_digits("1234", 3), std::nullopt);
    for (const auto* text : {"", "-1", "+1", "1.0", "1 ", "9999999999999999", "99999999999999999999999"})
        EXPECT_EQ(number_from_digits(text, 99), std::nullopt) << text;
}

TEST(PlainText, SegmentsAreEncodedButForTheUnreserved) {
    EXPECT_EQ(encoded_segment("AZaz09-._~"), "AZaz09-._~");
    EXPECT_EQ(encoded_segment("Sky TV/é?#%"), "Sky%20TV%2F%C3%A9%3F%23%25");
    EXPECT_EQ(encoded_segment("."), "%2E");
    EXPECT_EQ(encoded_segment(".."), "%2E%2E");
    EXPECT_EQ(encoded_segment(""), "");
}

}  // namespace
}  // namespace gateway
