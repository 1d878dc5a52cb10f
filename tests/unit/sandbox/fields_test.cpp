#include "sandbox/fields.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

namespace json = boost::json;

template <class Read>
std::string departure_in(const char* document, Read read) {
    const auto value = json::parse(document);
    Fields fields(value.as_object());
    read(fields);
    return fields.finish();
}

TEST(Fields, WhatIsInOrderIsRead) {
    const auto value = json::parse(R"({"a":"x","b":7,"c":"1099","d":{"e":""}})");
    Fields fields(value.as_object());
    EXPECT_EQ(fields.text("a"), "x");
    EXPECT_EQ(fields.integer("b"), 7);
    EXPECT_EQ(fields.cents("c"), 1099);
    auto inner = fields.object("d");
    EXPECT_EQ(inner.text_or_empty("e"), "");
    EXPECT_EQ(fields.optional_text("f"), std::nullopt);
    EXPECT_EQ(inner.finish(), "");
    EXPECT_EQ(fields.finish(), "");
}

TEST(Fields, TheFirstDepartureIsKept) {
    EXPECT_EQ(departure_in(R"({"b":"x"})",
                           [](Fields& fields) {
                               fields.text("a");
                               fields.integer("b");
                           }),
              "a is missing");
}

TEST(Fields, AFieldTooManyIsADeparture) {
    EXPECT_EQ(departure_in(R"({"a":"x","z":1})", [](Fields& fields) { fields.text("a"); }),
              "z is not a field of this request");
    EXPECT_EQ(departure_in(R"({"d":{"z":1}})", [](Fields& fields) { fields.object("d").finish(); }),
              "d.z is not a field of this request");
}

TEST(Fields, AnAmountIsAStringOfDigits) {
    for (const auto* valor : {"1099", "\"\"", "\"0\"", "\"010\"", "\"10,99\"", "\"10.99\"", "\"-1\"", "\"+1\"",
                              "\"1 \"", "\"1e3\"", "\"1234567890123\"", "null"}) {
        const auto document = std::string(R"({"valor":)") + valor + "}";
        EXPECT_NE(departure_in(document.c_str(), [](Fields& fields) { fields.cents("valor"); }), "") << valor;
    }
}

TEST(Fields, ATypeIsNotBent) {
    EXPECT_EQ(departure_in(R"({"a":1})", [](Fields& fields) { fields.text("a"); }), "a must be a string");
    EXPECT_EQ(departure_in(R"({"a":"1"})", [](Fields& fields) { fields.integer("a"); }), "a must be a whole number");
    EXPECT_EQ(departure_in(R"({"a":1.0})", [](Fields& fields) { fields.integer("a"); }), "a must be a whole number");
    EXPECT_EQ(departure_in(R"({"a":[]})", [](Fields& fields) { fields.object("a"); }), "a must be an object");
    EXPECT_EQ(departure_in(R"({"a":""})", [](Fields& fields) { fields.text("a"); }), "a must not be empty");
    EXPECT_EQ(departure_in(R"({"a":"x"})", [](Fields& fields) { fields.literal("a", "ONLINE"); }), "a must be ONLINE");
    EXPECT_EQ(departure_in(R"({"a":null})", [](Fields& fields) { fields.optional_text("a"); }), "a must be a string");
}

TEST(Fields, AMissingObjectsFieldsAreNotBlamed) {
    EXPECT_EQ(departure_in("{}",
                           [](Fields& fields) {
                               auto inner = fields.object("d");
                               inner.text("e");
                               inner.finish();
                           }),
              "d is missing");
}

}  // namespace
}  // namespace gateway::sandbox
