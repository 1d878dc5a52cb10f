#include "api/wrong_keys.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gateway {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::make_address;

const auto thief = make_address("192.0.2.1");
const auto other = make_address("192.0.2.2");

TEST(WrongKeys, AFewAreAnsweredAtOnceAndThenOneASecond) {
    WrongKeys keys;
    const Instant now{};
    for (int i = 0; i < WrongKeys::free_tries; ++i)
        EXPECT_EQ(keys.note(thief, now).answer_at, now) << i;
    for (int i = 1; i <= WrongKeys::waiting_tries; ++i) {
        const auto verdict = keys.note(thief, now);
        EXPECT_EQ(verdict.answer_at, now + i * WrongKeys::pace);
        EXPECT_EQ(verdict.first_delay, i == 1) << "said once";
    }
}

TEST(WrongKeys, MoreThanMayWaitAreTurnedAwayAndCostTheOthersNothing) {
    WrongKeys keys;
    Instant now{};
    for (int i = 0; i < 1000; ++i)
        (void)keys.note(thief, now);
    EXPECT_FALSE(keys.note(thief, now).answer_at);
    EXPECT_EQ(keys.note(other, now).answer_at, now);
    now += WrongKeys::pace;
    EXPECT_EQ(keys.note(thief, now).answer_at, now + WrongKeys::waiting_tries * WrongKeys::pace);
}

TEST(WrongKeys, WhoHasBeenQuietStartsAnew) {
    WrongKeys keys;
    Instant now{};
    for (int i = 0; i < 1000; ++i)
        (void)keys.note(thief, now);
    now += WrongKeys::pace * (WrongKeys::free_tries + WrongKeys::waiting_tries);
    EXPECT_EQ(keys.note(thief, now).answer_at, now);
    for (int i = 0; i < WrongKeys::free_tries - 1; ++i)
        EXPECT_FALSE(keys.note(thief, now).first_delay);
    EXPECT_TRUE(keys.note(thief, now).first_delay) << "and is said again";
}

TEST(WrongKeys, ANetworkOfIpv6IsOneCaller) {
    WrongKeys keys;
    const Instant now{};
    for (int i = 0; i < WrongKeys::free_tries; ++i)
        EXPECT_EQ(keys.note(make_address("2001:db8::" + std::to_string(i)), now).answer_at, now);
    EXPECT_GT(keys.note(make_address("2001:db8::ffff:1"), now).answer_at, now);
    EXPECT_EQ(keys.note(make_address("2001:db8:0:1::1"), now).answer_at, now);
}

TEST(WrongKeys, TheTableIsBoundedAndManyAddressesBuyNoMoreTries) {
    WrongKeys keys;
    Instant now{};
    const auto address = [](unsigned i) {
        return boost::asio::ip::address(boost::asio::ip::address_v4(0x0a000000U + i));
    };
    for (unsigned i = 0; i < WrongKeys::most_addresses; ++i)
        (void)keys.note(address(i), now);
    int answered_at_once = 0;
    for (unsigned i = 0; i < 10'000; ++i)
        answered_at_once += keys.note(address(100'000 + i), now).answer_at == now ? 1 : 0;
    EXPECT_EQ(answered_at_once, WrongKeys::free_tries);
    EXPECT_EQ(keys.addresses(), WrongKeys::most_addresses);
    now += WrongKeys::pace;
    EXPECT_EQ(keys.note(address(200'000), now).answer_at, now) << "those that were quiet made room";
    EXPECT_EQ(keys.addresses(), 1U);
}

}  // namespace
}  // namespace gateway
