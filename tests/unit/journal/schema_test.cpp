#include "journal/schema.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(Schema, MakesANewJournalOnceAndLeavesItThen) {
    auto connection = std::move(*sqlite::Connection::open(":memory:", nullptr));
    EXPECT_TRUE(bring_up_to_date(connection).has_value());
    const auto version = connection.number("PRAGMA user_version").value();
    EXPECT_GE(version, 1);
    EXPECT_TRUE(bring_up_to_date(connection).has_value());
    EXPECT_EQ(connection.number("PRAGMA user_version").value(), version);
}

TEST(Schema, TheViewsForPeopleCanBeRead) {
    auto connection = std::move(*sqlite::Connection::open(":memory:", nullptr));
    ASSERT_TRUE(bring_up_to_date(connection).has_value());
    EXPECT_TRUE(connection.run("SELECT * FROM sales_now").has_value());
    EXPECT_TRUE(connection.run("SELECT * FROM story").has_value());
}

}  // namespace
}  // namespace gateway::test
