#include "sandbox/seeded_random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gateway::sandbox {
namespace {

TEST(SeededRandom, TheSameSeedGivesTheSameChance) {
    SeededRandom one(7);
    SeededRandom same(7);
    SeededRandom other(8);
    const auto first = one.next();
    EXPECT_EQ(first, same.next());
    EXPECT_NE(first, other.next());
}

TEST(SeededRandom, DoesNotRepeatItselfSoon) {
    SeededRandom random(1);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 10'000; ++i)
        EXPECT_TRUE(seen.insert(random.next()).second);
}

TEST(SeededRandom, FillsEveryByteOfAnyLength) {
    SeededRandom random(1);
    std::array<std::byte, 13> bytes{};
    std::array<bool, bytes.size()> touched{};
    for (int i = 0; i < 50; ++i) {
        random.fill(bytes);
        for (std::size_t at = 0; at < bytes.size(); ++at)
            touched[at] = touched[at] || bytes[at] != std::byte{0};
    }
    for (const bool one : touched)
        EXPECT_TRUE(one);
}

}  // namespace
}  // namespace gateway::sandbox
