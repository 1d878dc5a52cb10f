#include "base/json_members.hpp"

#include "base/wall_time.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using boost::json::object;

const object members{{"text", "a"},          {"number", 7},     {"flag", true},
                     {"object", {{"a", 1}}}, {"array", {1, 2}}, {"at", "2026-11-22T20:10:00Z"}};

TEST(JsonMembers, AreReadAsWhatTheyAre) {
    EXPECT_EQ(text_in(members, "text"), "a");
    EXPECT_EQ(number_in(members, "number"), 7);
    EXPECT_EQ(flag_in(members, "flag"), true);
    EXPECT_EQ(object_in(members, "object")->size(), 1U);
    EXPECT_EQ(array_in(members, "array")->size(), 2U);
    EXPECT_EQ(time_in(members, "at"), from_rfc3339("2026-11-22T20:10:00Z"));
}

TEST(JsonMembers, WhatIsNotThereOrIsOfAnotherTypeIsEmpty) {
    for (const auto* name : {"none", "object"}) {
        EXPECT_EQ(text_in(members, name), "");
        EXPECT_FALSE(number_in(members, name));
        EXPECT_FALSE(flag_in(members, name));
        EXPECT_EQ(array_in(members, name), nullptr);
        EXPECT_FALSE(time_in(members, name));
    }
    EXPECT_EQ(object_in(members, "text"), nullptr);
}

}  // namespace
}  // namespace gateway::test
