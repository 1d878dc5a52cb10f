#include "sale/advice.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

TEST(Advice, SaysOfEveryMarkWhatIsKnownWhatIsNotAndWhatToDo) {
    std::set<std::string_view> known;
    std::set<std::string_view> to_do;
    for (const auto attention : all_attentions) {
        const auto said = advice(attention);
        for (const auto sentence : {said.known, said.not_known, said.to_do}) {
            ASSERT_FALSE(sentence.empty()) << to_string(attention);
            EXPECT_EQ(sentence.back(), '.') << sentence;
            EXPECT_EQ(sentence.find("  "), std::string_view::npos) << sentence;
        }
        known.insert(said.known);
        to_do.insert(said.to_do);
    }
    EXPECT_EQ(known.size(), all_attentions.size()) << "two marks say the same";
    EXPECT_EQ(to_do.size(), all_attentions.size());
}

TEST(Advice, EveryMarkCanBeClearedOrTheSaleResolved) {
    for (const auto attention : all_attentions) {
        if (attention == Attention::none) continue;
        const auto to_do = advice(attention).to_do;
        EXPECT_TRUE(to_do.find("clear the mark") != std::string_view::npos ||
                    to_do.find("esolve") != std::string_view::npos)
            << to_do;
    }
}

TEST(Advice, DiffersOnlyOfDamageWhereTheSaleIsTold) {
    for (const auto attention : all_attentions) {
        const bool is_the_same = advice_where_told(attention).to_do == advice(attention).to_do;
        EXPECT_EQ(is_the_same, attention != Attention::unreadable) << to_string(attention);
    }
}

TEST(Advice, IsOneLineWhereOnlyOneFits) {
    EXPECT_EQ(in_words({.known = "This.", .not_known = "That.", .to_do = "Look."}),
              "Known: This. Not known: That. To do: Look.");
}

}  // namespace
}  // namespace gateway::test
