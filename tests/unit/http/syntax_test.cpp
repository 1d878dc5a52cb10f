#include "http/syntax.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

std::vector<std::string> members(std::string_view list, char separator = ',') {
    std::vector<std::string> all;
    while (!list.empty())
        all.emplace_back(next_member(list, separator));
    return all;
}

using Texts = std::vector<std::string>;

TEST(Syntax, TokenHasNoSeparatorNoSpaceAndNoControl) {
    EXPECT_TRUE(is_token("Content-Length"));
    EXPECT_TRUE(is_token("!#$%&'*+-.^_`|~09azAZ"));
    for (const char c : std::string_view("\"(),/:;<=>?@[\\]{} \t\r\n\x7f\x80\xff\0", 26))
        EXPECT_FALSE(is_token(std::string("a") + c)) << static_cast<int>(c);
    EXPECT_FALSE(is_token(""));
}

TEST(Syntax, AFieldsValueIsTextTabsAndForeignLetters) {
    EXPECT_TRUE(is_field_value("a\tb S\xc3\xa3o"));
    EXPECT_TRUE(is_field_value(""));
    for (const char c : std::string_view("\r\n\0\x01\x1f\x7f", 6))
        EXPECT_FALSE(is_field_value(std::string("a") + c)) << static_cast<int>(c);
}

TEST(Syntax, AFieldsValueIsLookedAtToItsEndAlsoBehindATab) {
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

TEST(Syntax, ListIsCutAtSeparatorsOutsideOfQuotes) {
    EXPECT_EQ(members("a, b ,\tc"), (Texts{"a", "b", "c"}));
    EXPECT_EQ(members(R"(a="x,y", b)"), (Texts{R"(a="x,y")", "b"}));
    EXPECT_EQ(members(R"(a="x\",y", b)"), (Texts{R"(a="x\",y")", "b"}));
    EXPECT_EQ(members("a,,b"), (Texts{"a", "", "b"}));
    EXPECT_EQ(members(R"("never closed, b)"), (Texts{R"("never closed, b)"}));
}

TEST(Syntax, ParameterIsReadWithAndWithoutQuotes) {
    EXPECT_EQ(parse_parameter("wait=20")->value, "20");
    EXPECT_EQ(parse_parameter("wait = 20")->name, "wait");
    EXPECT_EQ(parse_parameter(R"(a="b \"c\" \\")")->value, R"(b "c" \)");
    EXPECT_EQ(parse_parameter("respond-async")->value, "");
    EXPECT_EQ(parse_parameter(R"(a="")")->value, "");
}

TEST(Syntax, BrokenParameterIsNone) {
    for (const auto* text :
         {"", "=", "=a", "a b=c", "a=", "a=b c", "a=\"b", "a=b\"", "a=\"b\"c\"", "a=\"b\\\"", "a=\""})
        EXPECT_FALSE(parse_parameter(text)) << text;
}

}  // namespace
}  // namespace gateway::http
