#include "api/findings.hpp"

#include "words/words.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

TEST(Findings, PeopleAreToldInOneSentenceOfEachLanguage) {
    std::set<std::string> sentences;
    for (const auto kind : all_finding_kinds)
        for (const auto language : {Language::english, Language::portuguese}) {
            const auto sentence = Words::in(language).word("finding_means", to_string(kind));
            EXPECT_TRUE(sentences.insert(sentence).second) << to_string(kind);
            EXPECT_GT(sentence.size(), 30U) << to_string(kind);
            EXPECT_TRUE(sentence.find('.') == sentence.size() - 1 || sentence.find("statement.") != sentence.npos)
                << sentence;
            EXPECT_EQ(sentence.find("  "), sentence.npos) << sentence;
            EXPECT_NE(sentence.find(':'), sentence.npos) << "what was found: what to do: " << sentence;
        }
}

}  // namespace
}  // namespace gateway::test
