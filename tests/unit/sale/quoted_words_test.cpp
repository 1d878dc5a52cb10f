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

}  // namespace
}  // namespace gateway::test
