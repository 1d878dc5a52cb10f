#include "http/server/fields.hpp"

#include <gtest/gtest.h>

namespace gateway::http {
namespace {

TEST(Fields, AreFoundInWhateverLetterCaseTheFirstFirst) {
    Fields fields;
    fields.insert("Prefer", "wait=1");
    fields.insert("X-Request-Id", "abc");
    fields.insert("PREFER", "wait=2");
    EXPECT_EQ(fields.find("prefer"), "wait=1");
    EXPECT_EQ(fields.find("x-request-ID"), "abc");
    EXPECT_EQ(fields.find("X-Request"), std::nullopt);
    EXPECT_EQ(fields.count("Prefer"), 2U);
    EXPECT_EQ(fields.count("X-Request-Id"), 1U);
    EXPECT_EQ(fields.count("Host"), 0U);
}

TEST(Fields, StayInTheirOrderAndAsTheyWereSpelt) {
    Fields fields;
    for (const auto* name : {"b", "A", "b", "a"})
        fields.insert(name, std::string(name) + "!");
    const std::vector<Fields::Field> all(fields.begin(), fields.end());
    EXPECT_EQ(all, (std::vector<Fields::Field>{{"b", "b!"}, {"A", "A!"}, {"b", "b!"}, {"a", "a!"}}));
}

}  // namespace
}  // namespace gateway::http
