#include "base/json_text.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

namespace gateway::test {
namespace {

namespace json = boost::json;

std::string as_json(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string written(const json::value& value) {
    std::string out;
    append_json(out, value);
    return out;
}

TEST(JsonText, EscapesEveryByteAsBoostJsonDoes) {
    for (int byte = 0; byte < 256; ++byte) {
        if (byte == 0x7f) continue;
        for (const auto* around : {"", "a", "um texto comprido"}) {
            const auto text = around + std::string(1, static_cast<char>(byte)) + around;
            EXPECT_EQ(as_json(text), json::serialize(json::string_view(text))) << byte;
        }
    }
}

TEST(JsonText, EscapesWhatATerminalWouldObey) {
    EXPECT_EQ(as_json("a\x7f"), R"("a\u007f")");
    EXPECT_EQ(as_json("\x1b[31m"), R"("\u001b[31m")");
}

TEST(JsonText, WhatStandsThereStays) {
    std::string out = "x=";
    append_json_string(out, "y");
    EXPECT_EQ(out, R"(x="y")");
}

TEST(JsonText, WritesEveryValueAsBoostJsonDoes) {
    for (const auto* text : {"null", "true", "false", "0", "-9223372036854775808", "9223372036854775807",
                             "18446744073709551615", R"("")", R"("S\u00e3o \"x\"\n")", "[]", "{}",
                             R"([[],{},[1,[2,"a"]],null])", R"({"a":{},"b":[{"c\n":1},{"d":2}],"e":"f"})"}) {
        const auto value = json::parse(text);
        EXPECT_EQ(written(value), json::serialize(value)) << text;
    }
}

TEST(JsonText, WritesNumbersAsAPersonWouldAndAlwaysAsJson) {
    const std::pair<const char*, const char*> pairs[] = {
        {"1.5", "1.5"},      {"1.10", "1.1"},    {"-0.0", "-0.0"},     {"1099.0", "1099.0"},
        {"1e300", "1e+300"}, {"1e400", "1e999"}, {"-1e400", "-1e999"}, {"0.1", "0.1"},
    };
    for (const auto& [given, text] : pairs) {
        EXPECT_EQ(written(json::parse(given)), text);
        EXPECT_EQ(json::parse(text), json::parse(given)) << "reads back as it was";
        EXPECT_TRUE(json::parse(text).is_double()) << given;
    }
}

TEST(JsonWriter, SetsTheCommas) {
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    writer.key("text").string("a\"b");
    writer.key("some").string_or_null("c");
    writer.key("none").string_or_null("");
    writer.key("most").number(std::numeric_limits<std::int64_t>::max());
    writer.key("yes").boolean(true);
    writer.key("word").plain("sold");
    writer.key("empty").begin_array();
    writer.end_array();
    writer.key("list").begin_array();
    writer.number(-1);
    writer.begin_object();
    writer.end_object();
    writer.raw(R"({"x":[1]})");
    writer.null();
    writer.end_array();
    writer.key("tree").value(json::value{{"y", {1, "z"}}});
    writer.members(R"({"of":1,"another":{}})");
    writer.members("{}");
    writer.members("no object");
    writer.end_object();
    EXPECT_EQ(out, R"({"text":"a\"b","some":"c","none":null,"most":9223372036854775807,"yes":true,"word":"sold",)"
                   R"("empty":[],"list":[-1,{},{"x":[1]},null],"tree":{"y":[1,"z"]},"of":1,"another":{}})");
    EXPECT_EQ(json::serialize(json::parse(out)), out);
}

}  // namespace
}  // namespace gateway::test
