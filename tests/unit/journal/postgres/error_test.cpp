#include "journal/postgres/error.hpp"

#include <gtest/gtest.h>

namespace gateway::postgres {
namespace {

TEST(SqlError, IsItsSqlstate) {
    for (const auto* state : {"00000", "08006", "23505", "40P01", "57P01", "XX000", "ZZZZZ"})
        EXPECT_EQ(sql_state(sql_error(state)), state);
    EXPECT_EQ(sql_state(errc::not_found), "");
}

TEST(SqlError, WhatIsNoSqlstateIsALostConnection) {
    for (const auto* state : {"", "123", "abcde", "123456"})
        EXPECT_EQ(sql_state(sql_error(state)), "08006") << state;
}

TEST(SqlError, SaysInWordsWhatIsTheMatter) {
    EXPECT_EQ(sql_error("53100").message(), "the database's disk is full (SQLSTATE 53100)");
    EXPECT_EQ(sql_error("23514").message(), "the database's rules forbid it (SQLSTATE 23514)");
    EXPECT_EQ(sql_error("P0001").message(), "the database refused it (SQLSTATE P0001)");
    EXPECT_STREQ(category().name(), "postgres");
}

TEST(SqlError, KnowsWhatFollows) {
    EXPECT_TRUE(is_worth_repeating(sql_error("40P01")) && is_worth_repeating(sql_error("40001")));
    EXPECT_FALSE(is_worth_repeating(sql_error("23505")));
    EXPECT_TRUE(needs_a_new_connection(sql_error("25006")));
    EXPECT_FALSE(needs_a_new_connection(sql_error("40001")));
    EXPECT_TRUE(is_of_the_server(sql_error("53100")) && is_of_the_server(sql_error("57P03")));
    EXPECT_FALSE(is_of_the_server(sql_error("57014")) || is_of_the_server(sql_error("23505")));
    EXPECT_TRUE(leaves_commit_open(sql_error("08007")) && leaves_commit_open(sql_error("40003")));
    EXPECT_FALSE(leaves_commit_open(sql_error("40001")));
    EXPECT_TRUE(may_be_quoted(sql_error("42501")) && may_be_quoted(sql_error("53100")));
    EXPECT_FALSE(may_be_quoted(sql_error("22P02")) || may_be_quoted(sql_error("23505")));
    EXPECT_FALSE(is_of_the_server(errc::journal_unavailable));
}

}  // namespace
}  // namespace gateway::postgres
