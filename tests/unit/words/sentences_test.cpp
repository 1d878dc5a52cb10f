#include "words/sentences.hpp"

#include "base/told.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

std::string in_portuguese(std::string_view english) {
    return told_in(Language::portuguese, english);
}

TEST(Sentences, ASentenceIsFoundByItsEnglishText) {
    EXPECT_EQ(in_portuguese("sales-gateway has stopped"), "o sales-gateway parou");
    EXPECT_EQ(in_portuguese("{terminal} sells {produto} for {valor}[; cashier: {cashier}]"),
              "{terminal} vende {produto} por {valor}[; operador: {cashier}]")
        << "its fields are filled in later";
    EXPECT_EQ(told_in(Language::english, "sales-gateway has stopped"), "sales-gateway has stopped");
}

TEST(Sentences, ATextWithoutItsPortugueseStaysAsItIs) {
    for (const std::string_view text : {"", "{", "}", "{}", "TV Mensal", "a: b; c", ": ", "no: such; text: "})
        EXPECT_EQ(in_portuguese(text), text);
}

}  // namespace
}  // namespace gateway::test
