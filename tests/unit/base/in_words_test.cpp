#include "base/in_words.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

TEST(InWords, MoneyIsWrittenAsPeopleReadIt) {
    EXPECT_EQ(money_in_words(0), "R$ 0,00");
    EXPECT_EQ(money_in_words(4990), "R$ 49,90");
    EXPECT_EQ(money_in_words(104'990), "R$ 1.049,90");
    EXPECT_EQ(money_in_words(123'456'789'00), "R$ 123.456.789,00");
}

TEST(InWords, RoomHasTheUnitThatTellsIt) {
    EXPECT_EQ(bytes_in_words(0), "0 bytes");
    EXPECT_EQ(bytes_in_words(999), "999 bytes");
    EXPECT_EQ(bytes_in_words(412'999), "412 KB");
    EXPECT_EQ(bytes_in_words(5'096'000), "5.0 MB");
    EXPECT_EQ(bytes_in_words(3'499'999'999), "3.4 GB");
}

TEST(InWords, ALengthOfTimeHasTheUnitsThatTellIt) {
    EXPECT_EQ(duration_in_words(0ms), "0 ms");
    EXPECT_EQ(duration_in_words(230ms), "230 ms");
    EXPECT_EQ(duration_in_words(999ms), "999 ms");
    EXPECT_EQ(duration_in_words(1000ms), "1 s");
    EXPECT_EQ(duration_in_words(2345ms), "2.3 s");
    EXPECT_EQ(duration_in_words(15'050ms), "15 s");
    EXPECT_EQ(duration_in_words(59'999ms), "59.9 s");
    EXPECT_EQ(duration_in_words(4min), "4 min");
    EXPECT_EQ(duration_in_words(4min + 12s), "4 min 12 s");
    EXPECT_EQ(duration_in_words(2h), "2 h");
    EXPECT_EQ(duration_in_words(2h + 5min + 59s), "2 h 5 min");
    EXPECT_EQ(duration_in_words(76h), "3 d 4 h");
    EXPECT_EQ(duration_in_words(-5ms), "0 ms");
    EXPECT_EQ(duration_in_words(2345ms, Language::portuguese), "2,3 s");
    EXPECT_EQ(duration_in_words(4min + 12s, Language::portuguese), "4 min 12 s");
}

}  // namespace
}  // namespace gateway::test
