#include "http/field_value.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gateway::test {
namespace {

TEST(FieldValue, TakesTextTabsAndForeignLetters) {
    EXPECT_TRUE(is_field_value("a\tb S\xc3\xa3o"));
    EXPECT_TRUE(is_field_value(""));
    for (const char c : std::string_view("\r\n\0\x01\x1f\x7f", 6))
        EXPECT_FALSE(is_field_value(std::string("a") + c)) << static_cast<int>(c);
}

TEST(FieldValue, IsLookedAtToItsEndAlsoBehindATab) {
    for (std::size_t length = 1; length < 20; ++length) {
        for (std::size_t at = 0; at < length; ++at) {
            std::string text(length, '\xff');
            EXPECT_TRUE(is_field_value("a\t" + text + "\t"));
            text[at] = '\n';
            EXPECT_FALSE(is_field_value(text)) << at << " of " << length;
            EXPECT_FALSE(is_field_value("a\t" + text)) << at << " of " << length;
        }
    }
}

}  // namespace
}  // namespace gateway::test
