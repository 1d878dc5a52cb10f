#include "api/language.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(Language, TheOneThatIsPreferred) {
    EXPECT_EQ(preferred_language("pt-BR,pt;q=0.9,en;q=0.8"), Language::portuguese);
    EXPECT_EQ(preferred_language("PT"), Language::portuguese);
    EXPECT_EQ(preferred_language("de, en;q=0.4 , pt ;q=0.5"), Language::portuguese);
    EXPECT_EQ(preferred_language("en-GB,pt;q=0.9"), Language::english);
    EXPECT_EQ(preferred_language("pt;q=0, en;q=0.001"), Language::english);
}

TEST(Language, WhoPrefersNeitherGetsWhatIsUsualThere) {
    EXPECT_EQ(preferred_language("", Language::portuguese), Language::portuguese);
    EXPECT_EQ(preferred_language("de", Language::portuguese), Language::portuguese);
    EXPECT_EQ(preferred_language("en", Language::portuguese), Language::english);
}

TEST(Language, WhatAsksForNeitherOrMakesNoSenseGetsEnglish) {
    for (const auto* field : {"", "*", "de", "pt;q=0", "pt;q=2", "pt;x=1", "pt;q=", ",,;;", "ptx"})
        EXPECT_EQ(preferred_language(field), Language::english) << field;
}

}  // namespace
}  // namespace gateway::test
