#include "base/random.hpp"

#include "unit/support/seeded_random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

// Gives the same bytes again and again.
class Fixed final : public Random {
  public:
    explicit Fixed(unsigned char byte) : byte_(byte) {}
    void fill(std::span<std::byte> bytes) override {
        for (auto& byte : bytes)
            byte = std::byte{byte_};
    }

  private:
    unsigned char byte_;
};

TEST(Random, BelowStaysBelowItsBound) {
    SeededRandom random;
    for (const std::uint64_t bound : {1u, 2u, 3u, 7u, 100u, 65'537u})
        for (int i = 0; i < 1000; ++i)
            ASSERT_LT(random.below(bound), bound);
    EXPECT_EQ(Fixed(0xFF).below(1), 0u);
    EXPECT_EQ(Fixed(0).below(10), 0u);
}

TEST(Random, BelowReachesEveryNumberAboutEquallyOften) {
    SeededRandom random;
    std::vector<int> counts(10);
    for (int i = 0; i < 100'000; ++i)
        ++counts.at(random.below(10));
    for (const int count : counts) {
        EXPECT_GT(count, 9'500);
        EXPECT_LT(count, 10'500);
    }
}

TEST(RandomDeathTest, BelowNothingIsABug) {
    EXPECT_DEATH(SeededRandom().below(0), "CHECK failed: bound > 0");
}

TEST(Random, UpToReachesItsBoundAndNoFurther) {
    SeededRandom random;
    std::set<Duration> seen;
    for (int i = 0; i < 1000; ++i)
        seen.insert(random.up_to(3ms));
    EXPECT_EQ(seen, (std::set<Duration>{0ms, 1ms, 2ms, 3ms}));
    EXPECT_EQ(random.up_to(0ms), 0ms);
}

TEST(Random, NextUsesAllItsBits) {
    EXPECT_EQ(Fixed(0xFF).next(), ~std::uint64_t{0});
    EXPECT_EQ(Fixed(0).next(), 0u);
    EXPECT_EQ(Fixed(0x5A).next(), 0x5A5A'5A5A'5A5A'5A5AULL);
}

TEST(Random, ASeedReplaysExactly) {
    SeededRandom a(42);
    SeededRandom b(42);
    SeededRandom other(43);
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
        const auto number = a.next();
        EXPECT_EQ(number, b.next());
        differs = differs || number != other.next();
    }
    EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace gateway::test
