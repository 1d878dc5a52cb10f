#include "http/server/target.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Target, DotSegmentsAreRemoved) {
    EXPECT_EQ(normalise_path("/a/b/../c"), "/a/c");
    EXPECT_EQ(normalise_path("/a/./b/."), "/a/b/");
    EXPECT_EQ(normalise_path("/a/.."), "/");
    EXPECT_EQ(normalise_path("/../../etc"), "/etc");
    EXPECT_EQ(normalise_path("/a//../b"), "/a/b");
    EXPECT_EQ(normalise_path("/.hidden/..x/..."), "/.hidden/..x/...");
    EXPECT_EQ(normalise_path("/."), "/");
    EXPECT_EQ(normalise_path("/.."), "/");
}

TEST(Target, EncodedDotsAreDots) {
    EXPECT_EQ(normalise_path("/v1/%2e%2E/admin"), "/admin");
    EXPECT_EQ(normalise_path("/v1/.%2e/admin"), "/admin");
    EXPECT_EQ(normalise_path("/v1/%2e/admin"), "/v1/admin");
}

TEST(Target, EncodedSlashNeverSeparates) {
    EXPECT_EQ(normalise_path("/a%2fb"), "/a%2Fb");
    EXPECT_EQ(normalise_path("/a/..%2fb"), "/a/..%2Fb");
    EXPECT_EQ(normalise_path("/a%5cb"), "/a%5Cb");
}

TEST(Target, WhatNeedsNoEncodingIsDecodedAndTheRestHasOneSpelling) {
    EXPECT_EQ(normalise_path("/%41%7a%7E%2d"), "/Az~-");
    EXPECT_EQ(normalise_path("/vale%20transporte"), "/vale%20transporte");
    EXPECT_EQ(normalise_path("/S\xc3\xa3o"), "/S%C3%A3o");
    EXPECT_EQ(normalise_path("/s%c3%a3o"), "/s%C3%A3o");
    EXPECT_EQ(normalise_path("/100%25"), "/100%25");
}

TEST(Target, NormalisingTwiceChangesNothing) {
    for (const auto* path : {"/a/%2e%2e/b%2f%7e%25", "/%252e%252e/x", "//a//", "/S\xc3\xa3o/./..", "/a%20b/%2E"}) {
        const auto once = normalise_path(path);
        ASSERT_TRUE(once) << path;
        EXPECT_EQ(normalise_path(*once), once) << path;
    }
}

TEST(Target, EmptySegmentsStay) {
    EXPECT_EQ(normalise_path("//v1///sales/"), "//v1///sales/");
    EXPECT_EQ(normalise_path("/"), "/");
}

TEST(Target, BrokenPathIsNone) {
    for (const auto* path : {"", "a", "*", "/%", "/%4", "/%zz", "/%4x", "/a%00b", "/%0d%0aHost:x", "/%7f", "/%1F",
                             "/\x01", "/%ff", "/\xff", "/%c3", "/%c0%af", "/%ed%a0%80"})
        EXPECT_FALSE(normalise_path(path)) << path;
}

TEST(Target, QueryIsDecodedInOrder) {
    EXPECT_EQ(decode_query("a=1&b=2&a=3"), (Pairs{{"a", "1"}, {"b", "2"}, {"a", "3"}}));
    EXPECT_EQ(decode_query("produto=Vale+Transporte%2B&x=a%26b%3Dc"),
              (Pairs{{"produto", "Vale Transporte+"}, {"x", "a&b=c"}}));
    EXPECT_EQ(decode_query("a==b&c&=d&&"), (Pairs{{"a", "=b"}, {"c", ""}, {"", "d"}}));
    EXPECT_EQ(decode_query("n%61me=%53%c3%a3o"), (Pairs{{"name", "S\xc3\xa3o"}}));
    EXPECT_EQ(decode_query(""), Pairs{});
}

TEST(Target, BrokenQueryIsNone) {
    for (const auto* query : {"a=%", "a=%4", "%zz=1", "a=%ff", "\xff=1"})
        EXPECT_FALSE(decode_query(query)) << query;
}

TEST(Target, QueryHasALimitedNumberOfPairs) {
    std::string query = "a=1";
    for (std::size_t i = 1; i < query_limit; ++i)
        query += "&a=1";
    EXPECT_EQ(decode_query(query)->size(), query_limit);
    EXPECT_FALSE(decode_query(query + "&a=1"));
}

TEST(Target, PathAndQueryAreTakenApart) {
    Request request;
    ASSERT_TRUE(set_target(request, "/v1/./sales?key=a%20b&limit=5?"));
    EXPECT_EQ(request.target, "/v1/./sales?key=a%20b&limit=5?");
    EXPECT_EQ(request.path, "/v1/sales");
    EXPECT_EQ(request.query_value("key"), "a b");
    EXPECT_EQ(request.query_value("limit"), "5?");
    EXPECT_FALSE(request.query_value("cursor"));
}

TEST(Target, AbsoluteFormLosesItsAuthority) {
    Request request;
    for (const auto* target : {"http://gateway:8080/v1/sales?a=1", "HTTPS://x/v1/sales?a=1"}) {
        ASSERT_TRUE(set_target(request, target)) << target;
        EXPECT_EQ(request.path, "/v1/sales");
        EXPECT_EQ(request.query_value("a"), "1");
    }
    ASSERT_TRUE(set_target(request, "http://x"));
    EXPECT_EQ(request.path, "/");
    ASSERT_TRUE(set_target(request, "http://x?a=2"));
    EXPECT_EQ(request.path, "/");
    EXPECT_EQ(request.query_value("a"), "2");
}

TEST(Target, OnlyOptionsMayAskTheServerItself) {
    Request request;
    EXPECT_FALSE(set_target(request, "*"));
    request.method = verb::options;
    EXPECT_TRUE(set_target(request, "*"));
}

TEST(Target, OtherFormsAreRefused) {
    Request request;
    for (const auto* target : {"", "gateway:8080", "ftp://x/", "http:///v1", "http://?a", "?a=1", "v1/sales"})
        EXPECT_FALSE(set_target(request, target)) << target;
}

}  // namespace
}  // namespace gateway::http
