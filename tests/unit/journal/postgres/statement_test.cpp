#include "journal/postgres/statement.hpp"

#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

std::string_view bytes_of(const Parameter& parameter) {
    return {parameter.data, static_cast<std::size_t>(parameter.length)};
}

TEST(Parameters, AreKeptInTheirOrder) {
    Parameters all;
    all.add("a").add(std::int64_t{-7}).add(std::nullopt).add_bytes(std::string_view("\0x", 2));
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(bytes_of(all.at(0)), "a");
    EXPECT_EQ(all.at(0).data[1], '\0');
    EXPECT_EQ(bytes_of(all.at(1)), "-7");
    EXPECT_EQ(all.at(2).data, nullptr);
    EXPECT_EQ(bytes_of(all.at(3)), std::string_view("\0x", 2));
    EXPECT_TRUE(all.at(3).is_bytes);
    EXPECT_FALSE(all.at(0).is_bytes);
    EXPECT_FALSE(all.has_zero());
}

TEST(Parameters, ATextWithAZeroIsNoticed) {
    EXPECT_TRUE(Parameters().add(std::string_view("a\0", 2)).has_zero());
    EXPECT_EQ(Parameters().add("a").add_bytes("\xff").unfit(), 0);
    EXPECT_EQ(Parameters().add("a").add("\xff").unfit(), 2);
    EXPECT_EQ(Parameters().add("a").add(std::string_view("a\0", 2)).unfit(), 2);
    EXPECT_EQ(Parameters().add("run").add("01HX0000000000000000000000").sale(), "01HX0000000000000000000000");
    EXPECT_EQ(Parameters().add("run").sale(), "");
}

TEST(Parameters, WhatMayBeEncryptedSaysWhetherItIs) {
    Parameters all;
    all.add_sealed({ColumnValue::Kind::text, "clear"});
    all.add_sealed({ColumnValue::Kind::blob, "secret"});
    all.add_sealed({});
    EXPECT_EQ(bytes_of(all.at(0)), "tclear");
    EXPECT_EQ(bytes_of(all.at(1)), "ssecret");
    EXPECT_EQ(all.at(2).data, nullptr);
}

}  // namespace
}  // namespace gateway::postgres::test
