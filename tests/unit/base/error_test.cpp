#include "base/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gateway::test {
namespace {

TEST(Error, EveryFailureHasWordsOfItsOwn) {
    std::set<std::string> words;
    for (int i = 1; i <= static_cast<int>(errc::shutting_down); ++i)
        words.insert(make_error_code(static_cast<errc>(i)).message());
    EXPECT_EQ(words.size(), static_cast<std::size_t>(errc::shutting_down));
    EXPECT_FALSE(words.contains("unknown failure"));
}

TEST(Error, NumberThatMeansNothingHasWordsToo) {
    EXPECT_EQ(gateway_category().message(0), "unknown failure");
    EXPECT_EQ(gateway_category().message(999), "unknown failure");
    EXPECT_STREQ(gateway_category().name(), "gateway");
}

TEST(Error, ResultCarriesOneOrTheOther) {
    const Result<int> good = 7;
    EXPECT_TRUE(good.has_value());
    EXPECT_EQ(*good, 7);
    const Result<int> bad = errc::timed_out;
    ASSERT_TRUE(bad.has_error());
    EXPECT_EQ(bad.error(), errc::timed_out);
    EXPECT_NE(bad.error(), errc::connection_lost);
}

TEST(Error, IsNotTheSameNumberOfAnotherCategory) {
    const boost::system::error_code system(static_cast<int>(errc::timed_out), boost::system::generic_category());
    EXPECT_NE(system, make_error_code(errc::timed_out));
}

}  // namespace
}  // namespace gateway::test
