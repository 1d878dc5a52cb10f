#include "http/server/hosts.hpp"

#include "http/server/target.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

const Hosts with_names({"Gateway.Store", "b"}, "listen.admin_names");
const Hosts without_names({}, "listen.admin_names");

Request asking(std::optional<std::string_view> host, std::string_view target = "/healthz") {
    Request request;
    request.method = verb::get;
    EXPECT_TRUE(set_target(request, target)) << target;
    if (host) request.headers.insert("host", *host);
    return request;
}

TEST(Hosts, AddressesAndLocalhostAreAlwaysTaken) {
    for (const auto* host : {"127.0.0.1", "127.0.0.1:9090", "10.1.2.3", "127.0.0.1:", "[::1]", "[::1]:9090",
                             "[2001:DB8::7]", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST:9090"}) {
        EXPECT_TRUE(without_names.include(asking(host))) << host;
        EXPECT_TRUE(with_names.include(asking(host))) << host;
    }
}

TEST(Hosts, WhatABrowserMightLookUpIsNoAddress) {
    for (const auto* host : {"2130706433",
                             "0x7f000001",
                             "0177.0.0.1",
                             "127.1",
                             "127.0.0.1.",
                             "127.0.0.1.rebound.example",
                             "localhost.",
                             "localhost.rebound.example",
                             "rebound.example",
                             "",
                             ":9090",
                             "::1",
                             "[::1",
                             "[::1]x",
                             "[127.0.0.1]",
                             "[]",
                             "[fe80::1%25eth0]",
                             "[fe80::1%eth0]:9090",
                             "127.0.0.1:90x",
                             "127.0.0.1:80:80",
                             "a@127.0.0.1",
                             "gateway"})
        EXPECT_FALSE(without_names.include(asking(host))) << host;
}

TEST(Hosts, NamesOfTheStoreAreComparedWholeInAnyLetterCase) {
    for (const auto* host : {"gateway.store", "GATEWAY.store:9090", "b", "B:1"})
        EXPECT_TRUE(with_names.include(asking(host))) << host;
    for (const auto* host : {"gateway.store.", "gateway.store.example", "x.gateway.store", "gateway", "bb"})
        EXPECT_FALSE(with_names.include(asking(host))) << host;
    EXPECT_FALSE(without_names.include(asking("gateway.store")));
}

TEST(Hosts, ARequestThatNamesNoneComesFromNoBrowser) {
    EXPECT_TRUE(with_names.include(asking(std::nullopt)));
    EXPECT_TRUE(without_names.include(asking(std::nullopt)));
}

TEST(Hosts, ATargetWithAHostCountsBesidesTheField) {
    EXPECT_TRUE(without_names.include(asking("127.0.0.1:9090", "http://127.0.0.1:9090/healthz")));
    EXPECT_TRUE(without_names.include(asking("localhost", "HTTP://[::1]?x")));
    EXPECT_FALSE(without_names.include(asking("127.0.0.1", "http://rebound.example/healthz")));
    EXPECT_FALSE(without_names.include(asking("127.0.0.1", "http://rebound.example@127.0.0.1/healthz")));
    EXPECT_FALSE(without_names.include(asking("rebound.example", "http://127.0.0.1/healthz")));
    EXPECT_TRUE(without_names.include(asking(std::nullopt, "http://127.0.0.1/healthz")));
    EXPECT_FALSE(without_names.include(asking(std::nullopt, "http://rebound.example/healthz")));
}

TEST(Hosts, ARefusalSaysWhichKeyHasTheNames) {
    const auto answer = without_names.refuse(asking("rebound.example"));
    EXPECT_EQ(answer.status, status::misdirected_request);
    EXPECT_NE(answer.body.find(R"("title":"Misdirected Request")"), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find(R"("code":"misdirected_request")"), std::string::npos);
    EXPECT_NE(answer.body.find("listen.admin_names"), std::string::npos);
    EXPECT_EQ(answer.body.find("rebound"), std::string::npos) << "what was sent is not repeated";
}

}  // namespace
}  // namespace gateway::http
