#include "paper/printed_line.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gateway::test {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty())
        lines.push_back(take_printed_line(text));
    return lines;
}

TEST(PrintedLine, WhatEndsALineEndsIt) {
    for (const auto* end : {"\n", "\r", "\v", "\f", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
        EXPECT_EQ(lines_of(std::string("Loja") + end + "Centro"), (std::vector<std::string>{"Loja", "Centro"}));
        EXPECT_EQ(printed_line(std::string("Loja") + end + "Centro"), "Loja Centro");
        EXPECT_FALSE(is_printed_as_it_is(std::string("Loja") + end));
    }
    EXPECT_EQ(lines_of("Loja\r\nCentro"), (std::vector<std::string>{"Loja", "", "Centro"}));
    EXPECT_EQ(printed_line("a\tb"), "a b");
}

TEST(PrintedLine, WhatAPrinterObeysOrNobodySeesIsLeftOut) {
    for (const std::string& unseen :
         {std::string(1, '\0'), std::string("\x1b"), std::string("\x07"), std::string("\x7f"), std::string("\xC2\x9B"),
          std::string("\xC2\xAD"), std::string("\xD8\x9C"), std::string("\xE1\xA0\x8E"), std::string("\xE2\x80\x8B"),
          std::string("\xE2\x80\x8F"), std::string("\xE2\x80\xAE"), std::string("\xE2\x81\xA0"),
          std::string("\xE2\x81\xA6"), std::string("\xEF\xBB\xBF"), std::string("\xF3\xA0\x80\x81")}) {
        EXPECT_EQ(printed_line("A" + unseen + "1"), "A1") << std::hex << static_cast<unsigned>(unseen.back());
        EXPECT_FALSE(is_printed_as_it_is(unseen));
    }
}

TEST(PrintedLine, EverythingElseStands) {
    for (const auto* text :
         {"", "Pão & açúcar <A1> €5 “x” 日本 🎁", "&#27;[2J %%ACCOUNTNUMBER%% \\r\\n", "não\xC2\xA0quebra"}) {
        std::string_view rest = text;
        EXPECT_EQ(take_printed_line(rest), text);
        EXPECT_TRUE(rest.empty());
    }
    EXPECT_TRUE(is_printed_as_it_is("Pão de açúcar 1 kg"));
}

}  // namespace
}  // namespace gateway::test
