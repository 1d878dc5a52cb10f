#include "journal/postgres/statement.hpp"

#include "unit/journal/postgres/rig.hpp"

#include <array>
#include <limits>

namespace gateway::postgres::test {
namespace {

TEST(Parameters, AreKeptInTheirOrderAndSayWhetherWhatMayBeEncryptedIs) {
    const ColumnValue clear{ColumnValue::Kind::text, "clear"}, encrypted{ColumnValue::Kind::blob, "encrypted"}, none;
    const Parameters all{"a", -7, std::nullopt, clear, encrypted, none};
    ASSERT_EQ(all.size(), 6u);
    const auto bytes = [&](std::size_t i) {
        return std::string_view(all.at(i).data, static_cast<std::size_t>(all.at(i).length));
    };
    EXPECT_EQ(bytes(0), "a");
    EXPECT_EQ(all.at(0).data[1], '\0');
    EXPECT_EQ(bytes(1), "-7");
    EXPECT_EQ(bytes(3), "tclear");
    EXPECT_EQ(bytes(4), "sencrypted");
    EXPECT_EQ(all.at(2).data, nullptr);
    EXPECT_EQ(all.at(5).data, nullptr);
    EXPECT_TRUE(all.at(3).is_bytes && all.at(4).is_bytes);
    EXPECT_FALSE(all.at(0).is_bytes || all.has_zero());
}

TEST(Parameters, ATextWithAZeroIsNoticed) {
    const std::string_view with_zero("a\0", 2);
    EXPECT_TRUE((Parameters{with_zero}.has_zero()));
    EXPECT_EQ((Parameters{"a", ColumnValue{ColumnValue::Kind::blob, "\xff"}}.unfit()), 0);
    EXPECT_EQ((Parameters{"a", "\xff"}.unfit()), 2);
    EXPECT_EQ((Parameters{"a", with_zero}.unfit()), 2);
    EXPECT_EQ((Parameters{"run", "01HX0000000000000000000000"}.sale()), "01HX0000000000000000000000");
    EXPECT_EQ((Parameters{"run"}.sale()), "");
}

using RowsTest = PostgresTest;

TEST_F(RowsTest, AColumnIsWhatItsTypeSays) {
    const auto rows = look(
        "SELECT 'a'::text, (-1)::bigint, 2::int, 3::smallint, true, false, NULL::bigint, NULL::bytea, ''::text,"
        " 9223372036854775807");
    ASSERT_EQ(rows.size(), 1u);
    const auto row = rows[0];
    EXPECT_TRUE(row.is_text(0));
    EXPECT_EQ(row.text(0), "a");
    constexpr std::array<std::int64_t, 5> numbers{-1, 2, 3, 1, 0};
    for (int column = 1; column <= 5; ++column) {
        EXPECT_TRUE(row.is_integer(column) && !row.is_text(column) && !row.is_null(column)) << column;
        EXPECT_EQ(row.integer(column), numbers.at(static_cast<std::size_t>(column) - 1));
    }
    for (int column = 6; column <= 7; ++column) {
        EXPECT_TRUE(row.is_null(column)) << column;
        EXPECT_FALSE(row.is_integer(column) || row.is_text(column) || row.is_blob(column)) << column;
        EXPECT_EQ(row.text(column), "");
        EXPECT_EQ(row.optional_integer(column), std::nullopt);
    }
    EXPECT_TRUE(row.is_text(8));
    EXPECT_EQ(row.integer(9), std::numeric_limits<std::int64_t>::max());
}

TEST_F(RowsTest, WhatMayBeEncryptedComesBackAsItWas) {
    std::string every;
    for (int c = 0; c < 256; ++c)
        every += static_cast<char>(c);
    const ColumnValue clear{ColumnValue::Kind::text, "clear"}, encrypted{ColumnValue::Kind::blob, every},
        empty{ColumnValue::Kind::text, ""};
    const auto one = session(options());
    Rows rows;
    const Engine::Work work = [&](Transaction& tx) -> Job<void> {
        const std::array<Value, 3> values{clear, encrypted, empty};
        rows = co_await tx.ask("SELECT ?1::bytea, ?2::bytea, ?3::bytea", values);
    };
    ASSERT_TRUE(run(one->commit(Engine::Access::glance, work)).has_value());
    const auto row = rows[0];
    EXPECT_TRUE(row.is_text(0) && !row.is_blob(0));
    EXPECT_EQ(row.text(0), "clear");
    EXPECT_TRUE(row.is_blob(1) && !row.is_text(1));
    EXPECT_EQ(row.blob(1), every);
    EXPECT_TRUE(row.is_text(2));
    EXPECT_EQ(row.text(2), "");
}

// Such bytes are another program's, or damaged: they are read as a value that cannot be decrypted.
TEST_F(RowsTest, BytesWithoutTheMarkAreABlob) {
    const auto rows = look(R"(SELECT ''::bytea, '\xff00'::bytea)");
    EXPECT_TRUE(rows[0].is_blob(0));
    EXPECT_EQ(rows[0].blob(0), "");
    EXPECT_TRUE(rows[0].is_blob(1));
}

}  // namespace
}  // namespace gateway::postgres::test
