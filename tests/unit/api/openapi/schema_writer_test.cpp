#include "api/openapi/schema_writer.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway::openapi {
namespace {

namespace json = boost::json;

constexpr Word colours[] = {{"red", "it is hot."}, {"blue"}};
constexpr Field more_fields[] = {{"loud", boolean, "", "true"}};
constexpr Field door_fields[] = {
    {"colour", one_of(colours), "What it looks like."},
    {"opened", a("Moment"), "", "noon"},
    maybe({"note", text, "What is on it."}),
    for_operators({"key", count, "", "7"}),
    {"holders", or_null(list_of(some_text, R"("maxItems":2)")), "", "null"},
};
constexpr Field house_fields[] = {{"doors", list_of(a("Door"))}};
constexpr Schema schemas[] = {
    {.name = "Moment", .description = "A time.", .type = text, .example = "morning"},
    {.name = "Door", .type = object(door_fields, more_fields)},
    {.name = "Base", .description = "What all have.", .type = object(more_fields), .is_extended = true},
    {.name = "House", .description = "One.", .type = object(house_fields), .extends = "Base"},
    {.name = "Unused", .type = text},
};

json::value of(std::string_view text) {
    return json::parse(text);
}

TEST(SchemaWriter, AnObjectHasItsFieldsAndNoOthers) {
    SchemaWriter writer(on_terminals, {schemas});
    EXPECT_EQ(writer.schema_of(a("Door")), of(R"({"$ref":"#/components/schemas/Door"})").as_object());
    EXPECT_EQ(writer.take(), of(R"({"Door":{
        "type":"object","required":["colour","opened","holders","loud"],
        "properties":{
            "colour":{"description":"What it looks like.\n- `red`: it is hot.","enum":["red","blue"]},
            "opened":{"$ref":"#/components/schemas/Moment"},
            "note":{"description":"What is on it.","type":"string"},
            "holders":{"type":["array","null"],"items":{"type":"string","minLength":1},"maxItems":2},
            "loud":{"type":"boolean"}},
        "additionalProperties":false},
        "Moment":{"description":"A time.","type":"string"}})")
                                 .as_object());
}

TEST(SchemaWriter, AFieldForOperatorsIsInTheirDocumentAlone) {
    SchemaWriter tills(on_terminals, {schemas});
    SchemaWriter operators(on_admin, {schemas});
    EXPECT_FALSE(tills.example_of(a("Door")).as_object().contains("key"));
    EXPECT_EQ(operators.example_of(a("Door")).at("key"), 7);
}

TEST(SchemaWriter, AnExampleIsPutTogetherFromThoseOfTheFields) {
    SchemaWriter writer(on_terminals, {schemas});
    const auto door = of(R"({"colour":"red","opened":"noon","holders":null,"loud":true})");
    EXPECT_EQ(writer.example_of(a("Door")), door);
    EXPECT_EQ(writer.example_of(a("House")), (json::object{{"loud", true}, {"doors", json::array{door}}}));
}

TEST(SchemaWriter, ANamedExampleIsThatWithWhatDiffers) {
    SchemaWriter writer(on_terminals, {schemas});
    const Content content{.type = a("Moment"), .examples = {{"late", "evening"}}};
    EXPECT_EQ(writer.examples_of(content), of(R"({"late":{"value":"evening"}})").as_object());
    const Content doors{.type = a("Door"),
                        .examples = {{"quiet", R"({"loud":false,"note":"x"})"}, whole("none", R"({"is":"gone"})")}};
    const auto examples = writer.examples_of(doors);
    EXPECT_EQ(examples.at("quiet").at("value"),
              of(R"({"colour":"red","opened":"noon","holders":null,"loud":false,"note":"x"})"));
    EXPECT_EQ(examples.at("none").at("value"), of(R"({"is":"gone"})"));
}

TEST(SchemaWriter, WhatExtendsAnotherHasItsFieldsBesides) {
    SchemaWriter writer(on_terminals, {schemas});
    (void)writer.schema_of(a("House"));
    const auto made = writer.take();
    EXPECT_EQ(made.at("House").at("allOf").at(0), of(R"({"$ref":"#/components/schemas/Base"})"));
    EXPECT_EQ(made.at("House").at("unevaluatedProperties"), false);
    EXPECT_FALSE(made.at("Base").as_object().contains("additionalProperties"));
}

TEST(SchemaWriter, WhatMayBeNullSaysSo) {
    SchemaWriter writer(on_terminals, {schemas});
    EXPECT_EQ(writer.schema_of(or_null(text)), of(R"({"type":["string","null"]})").as_object());
    EXPECT_EQ(writer.schema_of(or_null(one_of(colours))), of(R"({"enum":["red","blue",null]})").as_object());
    EXPECT_EQ(writer.schema_of(or_null(a("Moment"))),
              of(R"({"oneOf":[{"$ref":"#/components/schemas/Moment"},{"type":"null"}]})").as_object());
}

TEST(SchemaWriter, RulesThatSpeakOfASchemaBringItAlong) {
    SchemaWriter writer(on_terminals, {schemas});
    (void)writer.schema_of(Type{R"("not":{"$ref":"#/components/schemas/Moment"})"});
    EXPECT_EQ(writer.take().size(), 1u);
}

TEST(SchemaWriterDeathTest, ATypeThatNobodyDescribedOrGaveAnExampleIsABug) {
    SchemaWriter writer(on_terminals, {schemas});
    EXPECT_DEATH(writer.schema_of(a("Window")), "CHECK failed");
    EXPECT_DEATH(writer.example_of(text), "CHECK failed");
}

}  // namespace
}  // namespace gateway::openapi
