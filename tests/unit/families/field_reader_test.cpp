#include "families/field_reader.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace gateway {
namespace {

namespace json = boost::json;

TEST(FieldReader, PointersAreEscaped) {
    EXPECT_EQ(pointer_to("", "valor"), "/valor");
    EXPECT_EQ(pointer_to("/a", "b/c~d"), "/a/b~1c~0d");
}

TEST(FieldReader, TakesWhatItReadsOffTheObject) {
    json::object body{{"a", "x"}, {"b", 7}, {"c", "1099"}, {"rest", 1}};
    FieldErrors errors;
    FieldReader reader(body, errors);
    EXPECT_EQ(reader.text("a"), "x");
    EXPECT_EQ(reader.integer("b", 0, 7), 7);
    EXPECT_TRUE(errors.empty());
    EXPECT_EQ(body, (json::object{{"c", "1099"}, {"rest", 1}}));
}

TEST(FieldReader, TakesWhatIsWrongOffTheObjectToo) {
    json::object body{{"a", 1}, {"valor", 0}};
    FieldErrors errors;
    FieldReader reader(body, errors);
    reader.text("a");
    reader.valor();
    EXPECT_TRUE(body.empty());
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_EQ(errors[0].pointer, "/a");
    EXPECT_EQ(errors[1], (FieldError{"/valor",
                                     "must be a whole number of cents from 1 to 99999999, as a JSON integer or "
                                     "a string of digits"}));
}

TEST(FieldReader, AMissingFieldIsSaidToBeMissing) {
    json::object body;
    FieldErrors errors;
    FieldReader reader(body, errors, "/endereco");
    reader.integer("tipoEnderecoId", 0, 9);
    EXPECT_EQ(errors,
              (FieldErrors{{"/endereco/tipoEnderecoId", "is required: it must be a JSON integer from 0 to 9"}}));
}

TEST(FieldReader, NullIsNotTheSameAsAbsent) {
    json::object body{{"a", nullptr}, {"b", nullptr}, {"c", nullptr}};
    FieldErrors errors;
    FieldReader reader(body, errors);
    reader.optional_text("a");
    reader.text_or_empty("b");
    reader.optional_object("c", "an object");
    EXPECT_EQ(errors.size(), 3U);
    EXPECT_EQ(reader.optional_text("d"), std::nullopt);
    EXPECT_EQ(reader.text_or_empty("d"), "");
    EXPECT_EQ(reader.optional_object("d", "an object"), std::nullopt);
    EXPECT_EQ(errors.size(), 3U);
}

TEST(FieldReader, AnIntegerIsAnIntegerAndNothingThatLooksLikeOne) {
    for (const json::value& value : {json::value("7"), json::value(7.0), json::value(true), json::value(8),
                                     json::value(-1), json::value(std::uint64_t(1) << 63)}) {
        json::object body{{"a", value}};
        FieldErrors errors;
        FieldReader(body, errors).integer("a", 0, 7);
        EXPECT_EQ(errors.size(), 1U) << value;
    }
}

TEST(FieldReader, WhatIsLeftOfANestedObjectIsRefused) {
    json::object body{{"uf", "SP"}, {"a/b", 1}, {"pais", "Brasil"}};
    FieldErrors errors;
    FieldReader reader(body, errors, "/endereco");
    reader.text("uf");
    reader.refuse_the_rest();
    EXPECT_EQ(errors, (FieldErrors{{"/endereco/a~1b", "is not a field of this object"},
                                   {"/endereco/pais", "is not a field of this object"}}));
}

}  // namespace
}  // namespace gateway
