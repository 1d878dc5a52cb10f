#include "base/ulid.hpp"

#include "unit/support/seeded_random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <unordered_set>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime may_2024 = std::chrono::sys_days(std::chrono::year(2024) / 5 / 2) + std::chrono::hours(13);
constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

struct ATag;
struct BTag;

TEST(Ulid, IsTwentySixCharactersOfItsAlphabet) {
    SeededRandom random;
    for (int i = 0; i < 1000; ++i) {
        const auto id = Ulid::make(may_2024, random);
        EXPECT_EQ(id.text().size(), Ulid::length);
        EXPECT_EQ(id.text().find_first_not_of(alphabet), std::string_view::npos) << id.text();
    }
}

TEST(Ulid, BeginsWithItsTimeAndEndsWithChance) {
    SeededRandom random;
    const auto a = Ulid::make(WallTime(Duration(0x0123'4567'89AB)), random);
    EXPECT_EQ(a.text().substr(0, 10), "014D2PF2DB");  // each character has five bits, the highest first
    EXPECT_NE(Ulid::make(WallTime(Duration(0)), random).text().substr(10),
              Ulid::make(WallTime(Duration(0)), random).text().substr(10));
}

TEST(Ulid, APrefixTakesThePlaceOfTheFirstRandomCharacters) {
    SeededRandom random;
    const auto a = Ulid::make(may_2024, random, "AB12");
    const auto b = Ulid::make(may_2024, random, "AB12");
    EXPECT_EQ(a.text().size(), Ulid::length);
    EXPECT_EQ(a.text().substr(0, 10), Ulid::first_at(may_2024).text().substr(0, 10));
    EXPECT_EQ(a.text().substr(10, 4), "AB12");
    EXPECT_NE(a.text().substr(14), b.text().substr(14));
    EXPECT_EQ(Ulid::parse(a.text()), a);
    EXPECT_TRUE(Ulid::is_prefix("AB12"));
    for (const auto* no_prefix : {"", "AB1", "AB123", "ab12", "ABI1", "AB 1"})
        EXPECT_FALSE(Ulid::is_prefix(no_prefix)) << no_prefix;
}

TEST(Ulid, SortsByTime) {
    SeededRandom random;
    auto before = Ulid::make(may_2024, random);
    for (const auto later : {1ms, 31ms, 32ms, 33ms, 1024ms, 1h / 1ms * 1ms, 24h / 1ms * 1ms}) {
        const auto after = Ulid::make(may_2024 + later, random);
        EXPECT_LT(before, after);
        EXPECT_LT(before.text(), after.text());
        before = after;
    }
}

TEST(Ulid, OfOneMillisecondAreAllDifferentAndUseEveryCharacter) {
    SeededRandom random;
    std::set<std::string> seen;
    std::set<char> characters;
    for (int i = 0; i < 10'000; ++i) {
        const auto text = Ulid::make(may_2024, random).str();
        seen.insert(text);
        characters.insert(text.begin() + 10, text.end());
    }
    EXPECT_EQ(seen.size(), 10'000u);
    EXPECT_EQ(characters.size(), alphabet.size());
}

TEST(Ulid, FirstOfATimeSortsBeforeAllThatWereMadeThenAndAfterAllBefore) {
    SeededRandom random;
    const auto first = Ulid::first_at(may_2024);
    EXPECT_EQ(first.text().substr(10), std::string(16, '0'));
    for (int i = 0; i < 100; ++i) {
        EXPECT_LE(first, Ulid::make(may_2024, random));
        EXPECT_GT(first, Ulid::make(may_2024 - 1ms, random));
    }
}

TEST(Ulid, IsReadBack) {
    SeededRandom random;
    for (int i = 0; i < 100; ++i) {
        const auto id = Ulid::make(may_2024 + Duration(i), random);
        EXPECT_EQ(Ulid::parse(id.text()), id);
    }
    EXPECT_TRUE(Ulid::parse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"));
}

TEST(Ulid, SaysWhenItWasMade) {
    SeededRandom random;
    for (const auto at : {may_2024, may_2024 + 1ms, WallTime(), WallTime(Duration((std::int64_t{1} << 48) - 1))}) {
        EXPECT_EQ(Ulid::make(at, random).time(), at);
        EXPECT_EQ(Ulid::first_at(at).time(), at);
        EXPECT_EQ(UlidOf<ATag>::make(at, random).time(), at);
    }
    EXPECT_EQ(Ulid::make(may_2024, random, "AB12").time(), may_2024);
}

TEST(Ulid, TimesThatItCannotHoldAreTheNearestThatItCan) {
    EXPECT_EQ(Ulid::first_at(WallTime(Duration(-1))), Ulid::first_at(WallTime()));
    EXPECT_EQ(Ulid::first_at(WallTime(Duration(std::int64_t{1} << 60))),
              Ulid::first_at(WallTime(Duration((std::int64_t{1} << 48) - 1))));
}

TEST(Ulid, TextThatNobodyCouldHaveMadeIsNotRead) {
    for (const auto* text : {"", "0", "0123456789012345678901234", "012345678901234567890123456",  // lengths
                             "01234567890123456789ABCDEI", "01234567890123456789ABCDEL",           // messages left out
                             "01234567890123456789ABCDEO", "01234567890123456789ABCDEU",           //
                             "01234567890123456789abcdef",                                         // lower case
                             "0123456789 123456789ABCDEF", "01234567890123456789ABCD\xC3\xA9",     //
                             "80000000000000000000000000"})                                        // 129 bits
        EXPECT_FALSE(Ulid::parse(text)) << text;
    EXPECT_FALSE(Ulid::parse(std::string(26, '\0')));
}

TEST(Ulid, OfOneKindIsNoneOfAnother) {
    static_assert(!std::is_convertible_v<UlidOf<ATag>, UlidOf<BTag>>);
    static_assert(!std::is_convertible_v<Ulid, UlidOf<ATag>>);
    SeededRandom random;
    const auto id = UlidOf<ATag>::make(may_2024, random);
    EXPECT_EQ(UlidOf<ATag>::parse(id.text()), id);
    EXPECT_FALSE(UlidOf<ATag>::parse("short"));
}

TEST(Ulid, CanBeAKeyOfATable) {
    SeededRandom random;
    const auto a = UlidOf<ATag>::make(may_2024, random);
    const auto b = UlidOf<ATag>::make(may_2024, random);
    const std::unordered_set<UlidOf<ATag>> table{a, b, a};
    EXPECT_EQ(table.size(), 2u);
    EXPECT_TRUE(table.contains(a));
}

}  // namespace
}  // namespace gateway::test
