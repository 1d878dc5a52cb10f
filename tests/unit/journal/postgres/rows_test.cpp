#include "journal/postgres/rows.hpp"

#include "unit/journal/postgres/rig.hpp"

#include <array>
#include <limits>

namespace gateway::postgres::test {
namespace {

using RowsTest = PostgresTest;

TEST_F(RowsTest, AColumnIsWhatItsTypeSays) {
    const auto rows = look(
        "SELECT 'a'::text, (-1)::bigint, 2::int, 3::smallint, true, false, NULL::bigint, NULL::bytea, ''::text,"
        " 9223372036854775807");
    ASSERT_EQ(rows.size(), 1u);
    const auto row = rows[0];
    EXPECT_TRUE(row.is_text(0));
    EXPECT_EQ(row.text(0), "a");
    for (int column = 1; column <= 5; ++column)
        EXPECT_TRUE(row.is_integer(column) && !row.is_text(column) && !row.is_null(column)) << column;
    EXPECT_EQ(row.integer(1), -1);
    EXPECT_EQ(row.integer(2), 2);
    EXPECT_EQ(row.integer(3), 3);
    EXPECT_EQ(row.integer(4), 1);
    EXPECT_EQ(row.integer(5), 0);
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
    gateway::Rows rows;
    const Engine::Work work = [&](gateway::Transaction& tx) -> Job<void> {
        const std::array<gateway::Value, 3> values{clear, encrypted, empty};
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

// Another program's, or damaged: it reads as what cannot be decrypted.
TEST_F(RowsTest, BytesWithoutTheMarkAreABlob) {
    const auto rows = look(R"(SELECT ''::bytea, '\xff00'::bytea)");
    EXPECT_TRUE(rows[0].is_blob(0));
    EXPECT_EQ(rows[0].blob(0), "");
    EXPECT_TRUE(rows[0].is_blob(1));
}

TEST(Rows, AreNoneWhereNothingWasAsked) {
    const Rows rows;
    EXPECT_TRUE(rows.empty());
    EXPECT_EQ(rows.affected(), 0);
    EXPECT_EQ(rows.command(), "");
}

}  // namespace
}  // namespace gateway::postgres::test
