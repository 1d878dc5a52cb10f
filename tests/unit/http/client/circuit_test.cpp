#include "http/client/circuit.hpp"

#include "unit/support/seeded_random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gateway::test {
namespace {

using namespace http;
using namespace std::chrono_literals;

class CircuitTest : public testing::Test {
  protected:
    void fail(int times) {
        for (int i = 0; i < times; ++i) {
            const auto pass = circuit.admit(now);
            ASSERT_TRUE(pass);
            circuit.failed(*pass, now);
        }
    }
    // Returns how long it takes from now until somebody may try.
    Duration closed_for() {
        for (Duration length{0};; length += 1ms)
            if (circuit.state(now + length) != Circuit::State::open) return length;
    }
    void wait_until_half_open() { now += closed_for(); }

    SeededRandom random;
    Circuit circuit{random};
    Instant now{1h};
};

TEST_F(CircuitTest, StaysClosedThroughAHiccup) {
    fail(4);
    EXPECT_EQ(circuit.state(now), Circuit::State::closed);
    circuit.succeeded(*circuit.admit(now));
    fail(4);
    EXPECT_EQ(circuit.state(now), Circuit::State::closed);
}

TEST_F(CircuitTest, OpensAfterFiveFailuresInARow) {
    fail(5);
    EXPECT_EQ(circuit.state(now), Circuit::State::open);
    EXPECT_FALSE(circuit.admit(now));
}

TEST_F(CircuitTest, FailuresOfTriesThatBeganTogetherOpenItOnce) {
    std::vector<Circuit::Pass> passes;
    for (int i = 0; i < 100; ++i)
        passes.push_back(*circuit.admit(now));
    for (const auto pass : passes)
        circuit.failed(pass, now);
    EXPECT_LE(closed_for(), 2s);
}

TEST_F(CircuitTest, LetsOneTryAtATimeOnceItsTimeIsOver) {
    fail(5);
    wait_until_half_open();
    EXPECT_EQ(circuit.state(now), Circuit::State::half_open);
    const auto probe = circuit.admit(now);
    ASSERT_TRUE(probe);
    EXPECT_TRUE(probe->probe);
    EXPECT_FALSE(circuit.admit(now));
    circuit.succeeded(*probe);
    EXPECT_EQ(circuit.state(now), Circuit::State::closed);
    fail(4);
    EXPECT_EQ(circuit.state(now), Circuit::State::closed) << "the old failures are forgotten";
}

// The bounds of the n-th opening are checked over many seeds: all lie within, and both ends are nearly reached.
TEST(CircuitTimes, GrowFromASecondToAQuarterOfAMinuteAndDifferFromGatewayToGateway) {
    const std::vector<Duration> bounds{2s, 4s, 8s, 15s, 15s, 15s};
    std::vector<Duration> longest(bounds.size(), 0ms);
    std::vector<Duration> shortest(bounds.size(), 1h);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SeededRandom random(seed);
        Circuit circuit(random);
        Instant now{1h};
        for (int i = 0; i < 4; ++i)
            circuit.failed(*circuit.admit(now), now);
        for (std::size_t opening = 0; opening < bounds.size(); ++opening) {
            const auto pass = circuit.admit(now);
            ASSERT_TRUE(pass);
            circuit.failed(*pass, now);
            const Instant opened = now;
            while (circuit.state(now) == Circuit::State::open)
                now += 10ms;
            const auto length = std::chrono::duration_cast<Duration>(now - opened);
            longest[opening] = std::max(longest[opening], length);
            shortest[opening] = std::min(shortest[opening], length);
        }
    }
    for (std::size_t opening = 0; opening < bounds.size(); ++opening) {
        EXPECT_GE(shortest[opening], 1s);
        EXPECT_LT(shortest[opening], 1500ms);
        EXPECT_LE(longest[opening], bounds[opening] + 10ms);
        EXPECT_GT(longest[opening], bounds[opening] * 9 / 10);
    }
}

TEST_F(CircuitTest, AProbeWithoutAVerdictLetsTheNextOneTry) {
    fail(5);
    wait_until_half_open();
    circuit.withdrawn(*circuit.admit(now));
    EXPECT_TRUE(circuit.admit(now));
}

TEST_F(CircuitTest, AnOldTryThatSucceedsClosesIt) {
    const auto old = circuit.admit(now);
    fail(5);
    circuit.succeeded(*old);
    EXPECT_EQ(circuit.state(now), Circuit::State::closed);
}

TEST_F(CircuitTest, AnOldTryThatFailsSaysNothingAboutTheProbe) {
    const auto old = circuit.admit(now);
    fail(5);
    wait_until_half_open();
    const auto probe = circuit.admit(now);
    circuit.failed(*old, now);
    circuit.withdrawn(*old);
    EXPECT_EQ(circuit.state(now), Circuit::State::half_open);
    EXPECT_FALSE(circuit.admit(now)) << "the probe is still under way";
    circuit.succeeded(*probe);
    EXPECT_EQ(circuit.state(now), Circuit::State::closed);
}

TEST_F(CircuitTest, AProbeThatFailsAfterAnotherSucceededChangesNothing) {
    const auto old = circuit.admit(now);
    fail(5);
    wait_until_half_open();
    const auto probe = circuit.admit(now);
    circuit.succeeded(*old);
    circuit.failed(*probe, now);
    EXPECT_EQ(circuit.state(now), Circuit::State::closed);
}

}  // namespace
}  // namespace gateway::test
