#include "net/networks.hpp"

#include <gtest/gtest.h>

namespace gateway {
namespace {

using boost::asio::ip::make_address;

Networks networks(std::initializer_list<std::string_view> texts) {
    Networks made;
    for (const auto text : texts)
        EXPECT_EQ(made.add(text), std::nullopt) << text;
    return made;
}

TEST(PlainAddress, AnIpv4AddressThatCameAsIpv6IsOne) {
    EXPECT_EQ(plain_address(make_address("::ffff:10.0.0.1")), make_address("10.0.0.1"));
    EXPECT_EQ(plain_address(make_address("2001:db8::7")), make_address("2001:db8::7"));
    EXPECT_EQ(parse_plain_address("::FFFF:a00:1"), make_address("10.0.0.1"));
    for (const auto* text : {"", "10.0.0", "010.0.0.1", "10.0.0.1 ", "gateway", "fe80::1%eth0", "[::1]", "10.0.0.1:80"})
        EXPECT_EQ(parse_plain_address(text), std::nullopt) << text;
}

TEST(Networks, NoneContainNothing) {
    EXPECT_TRUE(Networks().empty());
    EXPECT_FALSE(Networks().contain(make_address("127.0.0.1")));
}

TEST(Networks, AnAddressIsItsOwnNetwork) {
    const auto trusted = networks({"192.168.1.2", "2001:db8::7", "::ffff:10.0.0.9"});
    for (const auto* text : {"192.168.1.2", "::ffff:192.168.1.2", "2001:db8::7", "10.0.0.9"})
        EXPECT_TRUE(trusted.contain(make_address(text))) << text;
    for (const auto* text : {"192.168.1.3", "2001:db8::8", "::192.168.1.2", "0.0.0.0", "::"})
        EXPECT_FALSE(trusted.contain(make_address(text))) << text;
}

TEST(Networks, APrefixIsCountedInBits) {
    const auto trusted =
        networks({"10.0.0.0/8", "192.168.1.128/25", "172.16.0.0/12", "2001:db8::/33", "203.0.113.7/32"});
    for (const auto* text : {"10.0.0.0", "10.255.255.255", "192.168.1.128", "192.168.1.255", "172.31.255.255",
                             "2001:db8:7fff::1", "203.0.113.7", "::ffff:10.1.2.3"})
        EXPECT_TRUE(trusted.contain(make_address(text))) << text;
    for (const auto* text :
         {"11.0.0.0", "9.255.255.255", "192.168.1.127", "172.32.0.0", "2001:db8:8000::1", "203.0.113.6", "::10.1.2.3"})
        EXPECT_FALSE(trusted.contain(make_address(text))) << text;
}

TEST(Networks, AllOfIpv4IsNotAllOfIpv6) {
    EXPECT_TRUE(networks({"0.0.0.0/0"}).contain(make_address("203.0.113.7")));
    EXPECT_FALSE(networks({"0.0.0.0/0"}).contain(make_address("2001:db8::7")));
    EXPECT_TRUE(networks({"::/0"}).contain(make_address("2001:db8::7")));
}

TEST(Networks, WhatIsNeitherIsToldInWordsAndNotAdded) {
    Networks none;
    for (const auto* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.0/8/8",
                             "2001:db8::/129", "10.0.0.0/ 8", "proxy.store", "[::1]", "10.0.0.0/99999999999"})
        EXPECT_EQ(none.add(text), "is neither an IP address nor a network such as 10.0.0.0/8") << text;
    for (const auto* text : {"10.1.0.0/8", "192.168.1.1/24", "2001:db8::1/64"})
        EXPECT_TRUE(none.add(text).value_or("").starts_with("has bits set behind its prefix")) << text;
    EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace gateway
