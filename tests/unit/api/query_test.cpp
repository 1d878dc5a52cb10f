#include "api/query.hpp"

#include "unit/api/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using ::testing::ElementsAre;

http::Request of(std::string_view query) {
    return ApiRig::request(http::verb::get, "/v1/things" + std::string(query));
}

TEST(Query, WhatIsNotThereIsNoError) {
    const auto request = of("");
    Query query(request, {"day"});
    EXPECT_FALSE(query.day("day") || query.time("from") || query.flag("open") || query.name("by") ||
                 query.count("limit", 10));
    EXPECT_FALSE(query.failed());
}

TEST(Query, EachKindIsRead) {
    const auto request = of("?day=2026-11-20&from=2024-05-02T13:00:00Z&open=false&by=Ana%20L.&limit=10&id=7");
    Query query(request, {"day", "from", "open", "by", "limit", "id"});
    EXPECT_EQ(query.day("day"), parse_day("2026-11-20"));
    EXPECT_EQ(query.time("from"), from_rfc3339("2024-05-02T13:00:00Z"));
    EXPECT_EQ(query.flag("open"), false);
    EXPECT_EQ(query.name("by"), "Ana L.");
    EXPECT_EQ(query.count("limit", 10), 10u);
    EXPECT_EQ(query.parsed("id", whole_number<int>, "must be an id"), 7);
    EXPECT_FALSE(query.failed());
}

TEST(Query, AllThatIsWrongIsToldAtOnce) {
    const auto request = of("?day=2026-02-30&from=today&open=1&by=&limit=11&id=x&id=2&other=3");
    Query query(request, {"day", "from", "open", "by", "limit", "id"});
    EXPECT_FALSE(query.day("day") || query.time("from") || query.flag("open") || query.name("by") ||
                 query.count("limit", 10) || query.parsed("id", whole_number<int>, "must be an id"));
    ASSERT_TRUE(query.failed());
    const Told told{query.refusal()};
    EXPECT_EQ(told.status(), 422u);
    EXPECT_THAT(told.pointers(), ElementsAre("/id", "/other", "/day", "/from", "/open", "/by", "/limit", "/id"));
}

TEST(Query, AWholeNumberIsWrittenInOneWay) {
    EXPECT_EQ(whole_number<std::int64_t>("9223372036854775807"), 9'223'372'036'854'775'807);
    for (const std::string_view wrong : {"", "0", "07", "-1", "+1", " 1", "1 ", "1.0", "1e3", "9223372036854775808"})
        EXPECT_FALSE(whole_number<std::int64_t>(wrong)) << wrong;
}

}  // namespace
}  // namespace gateway::test
