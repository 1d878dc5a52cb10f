#include "journal/encrypted_fields.hpp"

#include "journal/sqlite/database.hpp"
#include "journal/sqlite/schema.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace gateway::test {
namespace {

TEST(EncryptedFields, EveryOneIsAColumnOfTheJournalWithANameOfItsOwn) {
    auto database = *sqlite::Database::open(":memory:", nullptr);
    ASSERT_TRUE(bring_up_to_date(database).has_value());
    std::set<std::string_view> names;
    for (const auto& table : encrypted::tables) {
        for (const auto& field : table.fields) {
            const auto sql = fmt::format("SELECT {}, {}, {}{}{} FROM {}", field.column, table.number, table.row,
                                         table.sale.empty() ? "" : ", ", table.sale, table.name);
            EXPECT_TRUE(database.run(sql.c_str()).has_value()) << sql << ": " << database.message();
            EXPECT_EQ(encrypted::is_encrypted(table.fields, field.column), !field.name.empty());
            if (field.name.empty()) continue;
            EXPECT_EQ(field.name, fmt::format("{}.{}/", table.name, field.column));
            EXPECT_TRUE(names.insert(field.name).second) << field.name;
        }
    }
    EXPECT_FALSE(encrypted::is_encrypted(encrypted::of_sale, "id"));
}

TEST(EncryptedFields, WhatIsErasedIsErasedWithItsSale) {
    for (const auto& table : encrypted::tables_of_several)
        for (const auto& field : table.fields)
            EXPECT_FALSE(field.is_personal && table.sale.empty()) << field.name;
}

TEST(EncryptedFields, OnlyForwardedCommandsAreErasedAsWholeRows) {
    std::set<std::string_view> names;
    for (const auto& table : encrypted::tables_of_several) {
        names.insert(table.name);
        EXPECT_EQ(table.rows_go, table.name == "forwarded_commands") << table.name;
    }
    EXPECT_EQ(names.size(), encrypted::tables_of_several.size());
    EXPECT_TRUE(encrypted::of_forwarded_command.front().is_personal);
}

}  // namespace
}  // namespace gateway::test
