#include "config/spelling.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gateway {

TEST(Spelling, DistanceCountsInsertedLostReplacedAndSwappedLetters) {
    EXPECT_EQ(edit_distance("level", "level"), 0U);
    EXPECT_EQ(edit_distance("level", "levels"), 1U);
    EXPECT_EQ(edit_distance("level", "leel"), 1U);
    EXPECT_EQ(edit_distance("level", "lebel"), 1U);
    EXPECT_EQ(edit_distance("level", "elvel"), 1U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Spelling, NearestWordIsSuggested) {
    constexpr std::array<std::string_view, 3> words{"connect_timeout", "request_timeout", "level"};
    EXPECT_EQ(did_you_mean("conect_timeot", words), "; did you mean \"connect_timeout\"?");
    EXPECT_EQ(did_you_mean("lvel", words), "; did you mean \"level\"?");
}

TEST(Spelling, NothingIsSuggestedForAnotherWord) {
    constexpr std::array<std::string_view, 2> words{"connect_timeout", "level"};
    EXPECT_EQ(did_you_mean("colour", words), "");
    EXPECT_EQ(did_you_mean("x", words), "");
}

}  // namespace gateway
