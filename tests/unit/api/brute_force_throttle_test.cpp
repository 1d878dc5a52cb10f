#include "api/brute_force_throttle.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gateway {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::make_address;

const auto thief = make_address("192.0.2.1");
const auto other = make_address("192.0.2.2");

TEST(BruteForceThrottle, AFewAreAnsweredAtOnceAndThenOneASecond) {
    BruteForceThrottle keys;
    const Instant now{};
    for (int i = 0; i < BruteForceThrottle::free_tries; ++i)
        EXPECT_EQ(keys.note(thief, now).answer_at, now) << i;
    for (int i = 1; i <= BruteForceThrottle::waiting_tries; ++i) {
        const auto delay = keys.note(thief, now);
        EXPECT_EQ(delay.answer_at, now + i * BruteForceThrottle::pace);
        EXPECT_EQ(delay.first_delay, i == 1) << "said once";
    }
}

TEST(BruteForceThrottle, MoreThanMayWaitAreTurnedAwayAndCostTheOthersNothing) {
    BruteForceThrottle keys;
    Instant now{};
    for (int i = 0; i < 1000; ++i)
        (void)keys.note(thief, now);
    EXPECT_FALSE(keys.note(thief, now).answer_at);
    EXPECT_EQ(keys.note(other, now).answer_at, now);
    now += BruteForceThrottle::pace;
    EXPECT_EQ(keys.note(thief, now).answer_at, now + BruteForceThrottle::waiting_tries * BruteForceThrottle::pace);
}

TEST(BruteForceThrottle, SaysWhetherOneMoreWouldBeTurnedAwayWithoutCountingIt) {
    BruteForceThrottle keys;
    Instant now{};
    for (int i = 0; i < BruteForceThrottle::free_tries + BruteForceThrottle::waiting_tries; ++i) {
        for (int asked = 0; asked < 2; ++asked)
            EXPECT_FALSE(keys.would_turn_away(thief, now)) << i;
        EXPECT_TRUE(keys.note(thief, now).answer_at) << i;
    }
    EXPECT_TRUE(keys.would_turn_away(thief, now));
    EXPECT_FALSE(keys.note(thief, now).answer_at);
    EXPECT_FALSE(keys.would_turn_away(other, now));
    now += BruteForceThrottle::pace;
    EXPECT_FALSE(keys.would_turn_away(thief, now));
}

TEST(BruteForceThrottle, WhoHasBeenQuietStartsAnew) {
    BruteForceThrottle keys;
    Instant now{};
    for (int i = 0; i < 1000; ++i)
        (void)keys.note(thief, now);
    now += BruteForceThrottle::pace * (BruteForceThrottle::free_tries + BruteForceThrottle::waiting_tries);
    EXPECT_EQ(keys.note(thief, now).answer_at, now);
    for (int i = 0; i < BruteForceThrottle::free_tries - 1; ++i)
        EXPECT_FALSE(keys.note(thief, now).first_delay);
    EXPECT_TRUE(keys.note(thief, now).first_delay) << "and is said again";
}

TEST(BruteForceThrottle, ANetworkOfIpv6IsOneCaller) {
    BruteForceThrottle keys;
    const Instant now{};
    for (int i = 0; i < BruteForceThrottle::free_tries; ++i)
        EXPECT_EQ(keys.note(make_address("2001:db8::" + std::to_string(i)), now).answer_at, now);
    EXPECT_GT(keys.note(make_address("2001:db8::ffff:1"), now).answer_at, now);
    EXPECT_EQ(keys.note(make_address("2001:db8:0:1::1"), now).answer_at, now);
}

TEST(BruteForceThrottle, TheTableIsBoundedAndManyAddressesBuyNoMoreTries) {
    BruteForceThrottle keys;
    Instant now{};
    const auto address = [](unsigned i) {
        return boost::asio::ip::address(boost::asio::ip::address_v4(0x0a000000U + i));
    };
    for (unsigned i = 0; i < BruteForceThrottle::most_addresses; ++i)
        (void)keys.note(address(i), now);
    int answered_at_once = 0;
    for (unsigned i = 0; i < 10'000; ++i)
        answered_at_once += keys.note(address(100'000 + i), now).answer_at == now ? 1 : 0;
    EXPECT_EQ(answered_at_once, BruteForceThrottle::free_tries);
    EXPECT_EQ(keys.addresses(), BruteForceThrottle::most_addresses);
    now += BruteForceThrottle::pace;
    EXPECT_EQ(keys.note(address(200'000), now).answer_at, now) << "those that were quiet made room";
    EXPECT_EQ(keys.addresses(), 1U);
}

}  // namespace
}  // namespace gateway
