#include "words/words.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

const Words& english = Words::in(Language::english);
const Words& portuguese = Words::in(Language::portuguese);

TEST(Words, ATextIsFoundByItsKeyAndItsPlaceholdersAreFilledIn) {
    EXPECT_EQ(english.say("page.sales"), "Sales");
    EXPECT_EQ(portuguese.say("page.sales"), "Vendas");
    EXPECT_EQ(english.say("sale.provider_said"), "The provider said:");
    EXPECT_EQ(portuguese.say("live.lost", {{"time", "10:20"}}), "Sem conexão desde 10:20");
    EXPECT_EQ(english.say("live.lost"), "Disconnected since ") << "what is not given is left out";
}

TEST(Words, ANumberChoosesTheFormAsEachLanguageCounts) {
    const auto waiting = [](const Words& words, int count) { return words.say("shell.attention", {{"count", count}}); };
    EXPECT_EQ(waiting(english, 1), "1 sale needs you");
    EXPECT_EQ(waiting(english, 0), "0 sales need you");
    EXPECT_EQ(waiting(portuguese, 1), "1 venda precisa de você");
    EXPECT_EQ(waiting(portuguese, 0), "0 venda precisa de você") << "Portuguese counts nothing as one";
    EXPECT_EQ(waiting(portuguese, 2), "2 vendas precisam de você");
    EXPECT_EQ(portuguese.say("sales.count", {{"count", 0}, {"number", "0"}}), "nenhuma venda")
        << "it has a form for it";
}

TEST(Words, AKeyThatIsMissingShowsItselfAndACodeThatIsNotKnownIsSaidAsItCame) {
    EXPECT_EQ(english.say("no.such_key"), "no.such_key");
    EXPECT_FALSE(english.has("no.such_key"));
    EXPECT_EQ(portuguese.word("status", "NEGADA"), "Recusada");
    EXPECT_EQ(portuguese.word("status", "NOVA"), "NOVA");
}

}  // namespace
}  // namespace gateway::test
