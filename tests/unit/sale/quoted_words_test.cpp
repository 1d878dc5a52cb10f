#include "sale/quoted_words.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(QuotedWords, ThoseOfARefusalNameNobody) {
    for (const auto* word : {"a", "nao", "Não", "NÃO", "autorizado", "your", "cpf", "51", "xxx"})
        EXPECT_TRUE(names_nobody(word)) << word;
}

TEST(QuotedWords, ANameIsNoneOfThem) {
    for (const auto* name : {"maria", "silva", "jose", "santos", "dias", "claro", "rosa", "lima", "campos", "reis",
                             "may", "day", "price", "franco", "leal", "rua", "avenida"})
        EXPECT_FALSE(names_nobody(name)) << name;
}

TEST(QuotedWords, NothingNamesSomebodyAndNoMixtureOfDigitsAndLettersIsUsual) {
    for (const auto* word : {"", "\u0301", "\xFF", "a1"})
        EXPECT_FALSE(names_nobody(word)) << word;
}

TEST(QuotedWords, HaveOneSpelling) {
    EXPECT_EQ(plain_form("ﬁ e\u0301\u00A0a\u200Bb"), "fi \u00E9 ab");
    EXPECT_EQ(plain_form("a\tb\r\nc\u0085d\x1B\u009Be"), "a b c de");
    EXPECT_EQ(folded("ﬁ\u200BÉ"), "fie");
    for (const auto* nothing : {"", "\xFF", "a\xC3"})
        EXPECT_EQ(plain_form(nothing) + folded(nothing), "") << nothing;
}

}  // namespace
}  // namespace gateway::test
