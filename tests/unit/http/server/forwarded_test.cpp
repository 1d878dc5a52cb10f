#include "http/server/forwarded.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

// Returns the caller of a request that the proxy at 192.168.1.2 forwards with these fields.
std::string caller(std::initializer_list<std::string_view> fields, std::string_view peer = "192.168.1.2") {
    Networks trusted;
    for (const auto* text : {"192.168.1.2", "10.0.0.0/8", "2001:db8:ff::/48"})
        EXPECT_EQ(trusted.add(text), std::nullopt);
    Fields all;
    all.insert("Host", "203.0.113.99");
    for (const auto value : fields)
        all.insert("x-forwarded-FOR", value);
    return caller_of(all, boost::asio::ip::make_address(peer), trusted).to_string();
}

TEST(Forwarded, IsTheRightmostAddressThatIsNotTrusted) {
    EXPECT_EQ(caller({"203.0.113.7"}), "203.0.113.7");
    EXPECT_EQ(caller({"198.51.100.1, 203.0.113.7"}), "203.0.113.7") << "what is left of a stranger is hearsay";
    EXPECT_EQ(caller({"203.0.113.7, 10.1.1.1, 192.168.1.2"}), "203.0.113.7");
    EXPECT_EQ(caller({"10.1.1.1, 203.0.113.7, 10.1.1.1"}), "203.0.113.7");
}

TEST(Forwarded, SeveralFieldsAreOneList) {
    EXPECT_EQ(caller({"198.51.100.1", "203.0.113.7", "10.1.1.1"}), "203.0.113.7");
    EXPECT_EQ(caller({"203.0.113.7, 10.1.1.1", ""}), "203.0.113.7");
}

TEST(Forwarded, IsTheLeftmostWhereAllAreTrusted) {
    EXPECT_EQ(caller({"10.1.1.1, 10.2.2.2"}), "10.1.1.1");
}

TEST(Forwarded, IsThePeerWhereNothingIsSaid) {
    EXPECT_EQ(caller({}), "192.168.1.2");
    EXPECT_EQ(caller({"", " ,, "}), "192.168.1.2");
}

TEST(Forwarded, NobodyElseIsBelieved) {
    EXPECT_EQ(caller({"203.0.113.7"}, "192.168.1.3"), "192.168.1.3");
    EXPECT_EQ(caller({"10.1.1.1"}, "203.0.113.7"), "203.0.113.7");
}

TEST(Forwarded, PortsAndBracketsAreAsProxiesWriteThem) {
    EXPECT_EQ(caller({"203.0.113.7:51234"}), "203.0.113.7");
    EXPECT_EQ(caller({"2001:db8::7"}), "2001:db8::7");
    EXPECT_EQ(caller({"[2001:db8::7]"}), "2001:db8::7");
    EXPECT_EQ(caller({"[2001:DB8::7]:51234"}), "2001:db8::7");
    EXPECT_EQ(caller({"::ffff:203.0.113.7"}), "203.0.113.7");
    EXPECT_EQ(caller({"203.0.113.7, [2001:db8:ff::1]:80"}), "203.0.113.7");
    EXPECT_EQ(caller({" 203.0.113.7\t,  10.1.1.1 "}), "203.0.113.7");
}

TEST(Forwarded, WhatIsNoAddressEndsTheSearch) {
    for (const auto* garbage :
         {"unknown", "_hidden", "gateway.store", "203.0.113", "203.0.113.7:", "203.0.113.7:x", "203.0.113.7:80:80",
          "[203.0.113.7]", "[2001:db8::7", "2001:db8::7]", "[2001:db8::7]80", "[]", "[", ":", "fe80::1%eth0", "\"x\"",
          "for=203.0.113.7", "3405803783", "203.0.113.7 10.1.1.1"}) {
        EXPECT_EQ(caller({std::string("198.51.100.1, ") + garbage}), "192.168.1.2") << garbage;
        EXPECT_EQ(caller({std::string("198.51.100.1, ") + garbage + ", 10.1.1.1"}), "10.1.1.1") << garbage;
        EXPECT_EQ(caller({std::string(garbage) + ", 203.0.113.7"}), "203.0.113.7") << garbage;
    }
}

}  // namespace
}  // namespace gateway::http
