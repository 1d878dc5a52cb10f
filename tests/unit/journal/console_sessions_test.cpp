// Tests what a session that was altered is read as. journal_sessions_conformance.hpp tests the rest.
#include "journal/console_sessions.hpp"

#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace testing;

class ConsoleSessionsTest : public SqliteRig {
  protected:
    const KeptSession ana{.digest = std::string(64, 'a'),
                          .name = "Ana",
                          .role = "settle",
                          .used_at = clock.wall(),
                          .ends_at = clock.wall() + std::chrono::hours(12)};
    const KeptSession bia{.digest = std::string(64, 'b'), .name = "Bia", .role = "look"};
    const KeptSession unreadable{.digest = ana.digest};
};

TEST_F(ConsoleSessionsTest, WhatCannotBeReadHasItsDigestOnly) {
    open();
    ask(journal->change_sessions({.begun = {ana}}));
    for (const auto* text :
         {"", "[]", "{", R"({"name":1})", R"({"usedAt":9223372036854775807})", R"({"endsAt":"x"})"}) {
        sql(fmt::format("UPDATE console_sessions SET session = '{}'", text));
        EXPECT_THAT(ask(journal->load_sessions()), ElementsAre(unreadable)) << text;
    }
}

TEST_F(ConsoleSessionsTest, WithAKeyNobodyIsSignedInByWhatSomebodyWroteOrMoved) {
    open({first_key});
    ask(journal->change_sessions({.begun = {ana, bia}}));
    EXPECT_EQ(text("SELECT count(*) FROM console_sessions WHERE instr(session, 'Ana') > 0"), "0");
    sql(fmt::format("UPDATE console_sessions SET session = (SELECT session FROM console_sessions WHERE digest = '{}')",
                    bia.digest));
    EXPECT_THAT(ask(journal->load_sessions()), UnorderedElementsAre(unreadable, bia));
    sql(R"(UPDATE console_sessions SET session = '{"name":"Eva","role":"settle"}')");
    EXPECT_THAT(ask(journal->load_sessions()), UnorderedElementsAre(unreadable, KeptSession{.digest = bia.digest}));
}

}  // namespace
}  // namespace gateway::test
