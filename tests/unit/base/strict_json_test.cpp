#include "base/strict_json.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <string>

namespace gateway::test {
namespace {

namespace json = boost::json;

std::string wrong_with(std::string_view text) {
    const auto parsed = parse_strict_json(text);
    return parsed.has_error() ? parsed.error() : "nothing";
}

std::string canonical(std::string_view text) {
    return canonical_json(*parse_strict_json(text));
}

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(StrictJson, ReadsWhatBoostJsonReads) {
    for (const auto* text :
         {"null", "true", "false", "0", "-1", "1.5", "1e3", "18446744073709551615", R"("")", R"("a\u00e9\n")", "[]",
          "{}", R"([1,[2,{"a":[]}],null])", R"({"a":{"b":1,"c":"x"},"d":[{"a":1},{"a":2}]})"}) {
        const auto parsed = parse_strict_json(text);
        ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error();
        EXPECT_EQ(*parsed, json::parse(text)) << text;
    }
}

TEST(StrictJson, ANumberThatNothingHoldsIsItsDigitsWhereTheyCount) {
    for (const auto* text :
         {"12345678901234567890123", "-18446744073709551616", "1e400", "1e-400", "0.1234567890123456789"}) {
        const auto digits = parse_strict_json(text, usual_json_depth, {}, LongNumbers::as_text);
        EXPECT_EQ(*digits, json::value(text));
        EXPECT_TRUE(parse_strict_json(text)->is_double()) << text;
    }
    for (const auto* text : {"18446744073709551615", "-9223372036854775808", "1.5", "1234.50", "1.5E0", "0.0", "0e9"}) {
        const auto number = parse_strict_json(text, usual_json_depth, {}, LongNumbers::as_text);
        EXPECT_EQ(*number, *parse_strict_json(text)) << text;
    }
    const auto among = parse_strict_json(R"([1,12345678901234567890123,2,{"a":1e400,"b":1.5}])", usual_json_depth, {},
                                         LongNumbers::as_text);
    EXPECT_EQ(json::serialize(*among), R"([1,"12345678901234567890123",2,{"a":"1e400","b":1.5E0}])");
}

TEST(StrictJson, TheValuesMemoryIsTheCallers) {
    json::monotonic_resource memory;
    const auto parsed = parse_strict_json(R"({"a":["b"]})", usual_json_depth, &memory);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->at("a").storage().get(), &memory);
}

TEST(StrictJson, WhiteSpaceAroundTheValueIsNothing) {
    EXPECT_TRUE(parse_strict_json(" \t\r\n{ \"a\" : 1 }\n \t").has_value());
}

TEST(StrictJson, ARepeatedKeyIsWrongAndNamed) {
    EXPECT_EQ(wrong_with(R"({"valor":1,"valor":2})"), "the key \"valor\" is repeated");
    EXPECT_EQ(wrong_with(R"({"valor":1,"valor":1})"), "the key \"valor\" is repeated");
    EXPECT_EQ(wrong_with(R"({"":1,"":1})"), "the key \"\" is repeated");
}

TEST(StrictJson, ARepeatedKeyIsFoundAtAnyDepth) {
    EXPECT_EQ(wrong_with(R"({"a":{"b":[{"c":1,"c":2}]}})"), "the key \"c\" is repeated");
    EXPECT_EQ(wrong_with(R"([[{"x":1},{"x":1,"y":{},"x":1}]])"), "the key \"x\" is repeated");
    EXPECT_EQ(wrong_with(R"({"a":{"b":1},"c":2,"a":3})"), "the key \"a\" is repeated");
}

TEST(StrictJson, ARepeatedKeyIsFoundHoweverItIsSpelt) {
    EXPECT_EQ(wrong_with(R"({"valor":1,"\u0076alor":2})"), "the key \"valor\" is repeated");
    EXPECT_EQ(wrong_with(R"({"a\/b":1,"a/b":2})"), "the key \"a/b\" is repeated");
}

TEST(StrictJson, TheSameKeyInAnotherObjectIsNoRepetition) {
    EXPECT_TRUE(parse_strict_json(R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})").has_value());
    EXPECT_TRUE(parse_strict_json(R"({"a":1,"A":1,"a ":1})").has_value());
}

TEST(StrictJson, DepthIsLimited) {
    EXPECT_TRUE(parse_strict_json(nested(32)).has_value());
    EXPECT_TRUE(parse_strict_json(nested(33)).has_error());
    EXPECT_TRUE(parse_strict_json(nested(3), 3).has_value());
    EXPECT_TRUE(parse_strict_json(nested(4), 3).has_error());
    EXPECT_TRUE(parse_strict_json(std::string(1'000'000, '[')).has_error());
    EXPECT_TRUE(parse_strict_json(R"({"a":{"b":{"c":1}}})", 2).has_error());
}

TEST(StrictJson, WhatFollowsTheValueIsWrong) {
    EXPECT_EQ(wrong_with("{} x"), "something follows the JSON value at byte 3");
    for (const auto* text : {"{}{}", "1 2", "[],", "null null", "\"a\"\"b\"", "{}}"})
        EXPECT_TRUE(parse_strict_json(text).has_error()) << text;
    EXPECT_TRUE(parse_strict_json(std::string_view("{}\0", 3)).has_error());
}

TEST(StrictJson, WhatIsNotJsonIsWrong) {
    for (
        const auto* text :
        {"",        " ",   "{",      "[1",      R"({"a")",     R"({"a":})",     R"({"a":1,})", "[1,]",          "{a:1}",
         "{'a':1}", "01",  "+1",     ".5",      "1.",          "0x10",          "NaN",         "Infinity",      "nul",
         "True",    "\"a", "\"\n\"", R"("\x")", R"("\ud800")", "// comment\n1", "/**/1",       "\xEF\xBB\xBF{}"})
        EXPECT_TRUE(parse_strict_json(text).has_error()) << text;
}

TEST(StrictJson, WhatIsNotUtf8IsWrong) {
    for (const auto* text : {"\"\xFF\"", "\"\xC3\"", "\"\xE3o\"", "\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "{\"\xFF\":1}"})
        EXPECT_TRUE(parse_strict_json(text).has_error()) << text;
    EXPECT_TRUE(parse_strict_json("\"S\xC3\xA3o\"").has_value());
}

TEST(StrictJson, WhatIsWrongIsToldWithItsPlaceAndWithoutAValue) {
    const auto why = wrong_with(R"({"cpf":"123.456.789-09","valor":x})");
    EXPECT_NE(why.find("at byte 32"), std::string::npos) << why;
    EXPECT_EQ(why.find("123"), std::string::npos) << why;
}

TEST(StrictJson, ThousandsOfKeysAreReadInNoTime) {
    std::string text = "{";
    for (int i = 0; i < 20'000; ++i)
        text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + std::to_string(i);
    text += "}";
    const auto parsed = parse_strict_json(text);
    ASSERT_TRUE(parsed.has_value());
    EXPECT_EQ(parsed->as_object().size(), 20'000u);
}

TEST(StrictJson, ALongKeyThatComesInPiecesIsStillCompared) {
    const std::string key(100'000, 'k');
    EXPECT_TRUE(parse_strict_json("{\"" + key + "\":1,\"" + key + "\":2}").has_error());
    EXPECT_TRUE(parse_strict_json("{\"" + key + "\":1,\"" + key + "x\":2}").has_value());
    EXPECT_TRUE(parse_strict_json(R"({"a\nb\tc":1,"a\nb\tc":2})").has_error());
}

TEST(CanonicalJson, IsTheSameForEverySpellingOfTheSameValue) {
    const auto* expected = R"({"a":[1,2],"b":{"c":null,"d":"é"}})";
    EXPECT_EQ(canonical(expected), expected);
    EXPECT_EQ(canonical(R"( { "b" : { "d" : "\u00e9", "c" : null } , "a" : [ 1 , 2 ] } )"), expected);
}

TEST(StrictJson, ZerosAreRefusedInWordsOrReplaced) {
    for (const auto* text : {R"(["a\u0000b"])", R"({"\u0000":1})", R"({"a":{"b":"\u0000"}})"})
        EXPECT_EQ(wrong_with(text), "a text in it has the character U+0000, which no journal keeps") << text;
    EXPECT_EQ(wrong_with(R"("a\\u0000")"), "nothing");  // a backslash and five characters
    const auto replaced = [](std::string_view text) {
        return canonical_json(*parse_strict_json(text, usual_json_depth, {}, LongNumbers::rounded, Zeros::replaced));
    };
    EXPECT_EQ(replaced(R"({"a\u0000":["\u0000b\u0000"]})"), "{\"a\uFFFD\":[\"\uFFFDb\uFFFD\"]}");
    const std::string longer(3000, 'x');  // in parts
    EXPECT_EQ(replaced("\"" + longer + "\\u0000" + longer + "\""), "\"" + longer + "\uFFFD" + longer + "\"");
}

TEST(CanonicalJson, SortsKeysAtEveryDepthAndLeavesArraysAsTheyAre) {
    EXPECT_EQ(canonical(R"([{"z":1,"a":{"y":1,"b":2}},3,1,2])"), R"([{"a":{"b":2,"y":1},"z":1},3,1,2])");
}

TEST(CanonicalJson, WritesEmptyAndNestedValues) {
    for (const auto* text : {"{}", "[]", "[[],[]]", R"([{},{}])", R"({"a":{},"b":[]})", R"({"":""})", "null", "true",
                             R"(["{","["])", R"({"{":"["})"})
        EXPECT_EQ(canonical(text), text);
}

TEST(CanonicalJson, TellsDifferentValuesApart) {
    EXPECT_NE(canonical(R"({"valor":1099})"), canonical(R"({"valor":"1099"})"));
    EXPECT_NE(canonical(R"({"valor":1099})"), canonical(R"({"valor":1098})"));
    EXPECT_NE(canonical(R"({"a":null})"), canonical("{}"));
    EXPECT_NE(canonical("[1,2]"), canonical("[2,1]"));
    EXPECT_NE(canonical(R"(["a","b"])"), canonical(R"(["a,b"])"));
    EXPECT_NE(canonical(R"({"a":"b\",\"c\":\"d"})"), canonical(R"({"a":"b","c":"d"})"));
}

}  // namespace
}  // namespace gateway::test
