#include "journal/postgres/standbys.hpp"

#include <gtest/gtest.h>

namespace gateway::postgres::test {
namespace {

TEST(Standbys, TheSettingNamesThem) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(names_of_standbys(""), Names());
    EXPECT_EQ(names_of_standbys("db2"), Names{"db2"});
    EXPECT_EQ(names_of_standbys("db2 , db3"), (Names{"db2", "db3"}));
    EXPECT_EQ(names_of_standbys("2(db2,db3)"), (Names{"db2", "db3"}));
    EXPECT_EQ(names_of_standbys("FIRST 1 (\"a \"\"b\"\"\", db-3)"), (Names{"a \"b\"", "db-3"}));
    EXPECT_EQ(names_of_standbys("any 1 ( * )"), Names{"*"});
    EXPECT_EQ(names_of_standbys("\"open"), Names{"open"});
}

TEST(Standbys, WhatIsWaitedForIsSaid) {
    DatabaseState state{.gateway = "box-1", .server = "db1:5432", .synchronous_standby_names = "db2"};
    EXPECT_TRUE(what_is_waited_for(state).ends_with(": no standby is connected"));
    state.standbys = {{.name = "db2"}, {.name = "db3", .connected = true, .state = "catchup", .sync_state = "async"}};
    EXPECT_EQ(
        words_on_waiting(what_is_waited_for(state)),
        "the database server db1:5432 waits for a synchronous standby before it says of anything that it is kept "
        "(synchronous_standby_names = 'db2'): db2 is away, db3 is connected (catchup, async); bring one back, and "
        "all goes on by itself");
}

}  // namespace
}  // namespace gateway::postgres::test
