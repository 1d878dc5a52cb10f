#include "journal/postgres/server_checks.hpp"

#include "unit/journal/postgres/rig.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace gateway::postgres::test {
namespace {

ServerFacts good() {
    ServerFacts facts;
    facts.version = 150004;
    facts.fsync = facts.full_page_writes = facts.synchronous_commit = "on";
    facts.synchronous_standby_names = "FIRST 1 (db2)";
    facts.encoding = "UTF8";
    return facts;
}

TEST(ServerChecks, AGoodServerIsTakenAndOneThatBreaksAPromiseRefused) {
    struct Case {
        std::function<void(ServerFacts&)> change;
        const char* refusal;  // words of the refusal; empty: the server is accepted
    };
    const auto commits = [](const char* word) {
        return [word](ServerFacts& facts) { facts.synchronous_commit = word; };
    };
    const auto encodes = [](const char* word) { return [word](ServerFacts& facts) { facts.encoding = word; }; };
    const std::vector<Case> cases{
        {[](ServerFacts&) {}, ""},
        {[](ServerFacts& facts) { facts.version = 130021; },
         "the database server is PostgreSQL 13, and it takes 14 or a newer one"},
        {[](ServerFacts& facts) { facts.version = 140000; }, ""},
        {commits("off"), "synchronous_commit=off "},
        {commits("local"), "synchronous_commit=local "},
        {commits("remote_write"), "synchronous_commit=remote_write "},
        {commits("remote_apply"), ""},
        {encodes("LATIN1"), "keeps text in LATIN1, "},
        {encodes("SQL_ASCII"), "keeps text in SQL_ASCII, "},
        {encodes("WIN1252"), "createdb --template=template0 --encoding=UTF8"},
        {[](ServerFacts& facts) { facts.synchronous_standby_names = ""; }, ""},
    };
    for (const auto& [change, words] : cases) {
        auto facts = good();
        change(facts);
        const auto said = refusal_of(facts);
        EXPECT_TRUE(said.find(words) != said.npos && said.empty() == std::string_view(words).empty()) << said;
        const bool is_alone = facts.synchronous_standby_names.empty();
        EXPECT_EQ(warning_of(facts).find("no synchronous standby") != std::string::npos, is_alone);
        EXPECT_EQ(warning_of(facts).empty(), !is_alone);
    }
}

class ServerChecksTest : public PostgresTest {
  protected:
    SessionOptions looking() {
        auto wanted = options();
        wanted.opened = look_at_server(log);
        return wanted;
    }
    // Returns what keeps a session from using the server; empty: nothing does.
    std::string hindrance(const SessionOptions& wanted) {
        const auto one = session(wanted);
        const auto asked = run(ask(*one, Engine::Access::glance, "SELECT 1"));
        return asked.has_value() ? "" : one->hindrance().value_or("a fault");
    }
    std::string hindrance() { return hindrance(looking()); }
};

TEST_F(ServerChecksTest, AServerWithItsUsualSettingsIsTaken) {
    EXPECT_EQ(hindrance(), "");
    EXPECT_EQ(log.count("journal.alone"), 1u);
}

TEST_F(ServerChecksTest, AWarningIsSaidOncePerSession) {
    const auto one = session(looking());
    for (int i = 0; i < 2; ++i) {
        const auto backend = run(ask(*one, Engine::Access::glance, "SELECT pg_backend_pid()"));
        ASSERT_TRUE(backend.has_value());
        const auto interval =
            run(ask(*one, Engine::Access::glance, "SELECT current_setting('client_connection_check_interval')"));
        EXPECT_EQ(interval->front().text(0), "2s");
        cluster.sql("SELECT pg_terminate_backend(" + std::string(backend->front().text(0)) + ", 10000)");
    }
    EXPECT_EQ(log.count("journal.alone"), 1u);
}

TEST_F(ServerChecksTest, SettingsThatLoseSalesAreRefused) {
    for (const auto* setting : {"fsync=off", "full_page_writes=off", "synchronous_commit=off"}) {
        cluster.restart({setting});
        EXPECT_TRUE(hindrance().find(setting) != std::string::npos) << hindrance();
    }
    cluster.restart();
}

TEST_F(ServerChecksTest, WhatIsSetForThisUserCounts) {
    cluster.sql("ALTER ROLE postgres SET synchronous_commit = local");
    const auto words = hindrance();
    cluster.sql("ALTER ROLE postgres RESET synchronous_commit");
    EXPECT_TRUE(words.find("synchronous_commit=local") != std::string::npos) << words;
}

TEST_F(ServerChecksTest, AStandbyIsRefused) {
    cluster.stop();
    cluster.write("standby.signal", "");
    cluster.start();
    const auto words = hindrance();
    cluster.stop();
    cluster.remove("standby.signal");
    cluster.start();
    EXPECT_TRUE(words.find("is a standby") != std::string::npos) << words;
}

// The settings of the server, the role and the database are changed before a session begins and while it runs.
TEST_F(ServerChecksTest, NobodysSettingChangesWhatIsRead) {
    constexpr auto all_kinds =
        "SELECT '\\x00ff'::bytea, '2026-11-27 01:30:00+00'::timestamptz, 0.1::float8,"
        " current_setting('default_transaction_read_only'), 'a\\b', '{NULL}'::text[]";
    const auto one = session(options());
    const auto seen = [&](Session& by) {
        std::string all;
        const auto rows = run(ask(by, Engine::Access::glance, all_kinds));
        for (int i = 0; rows.has_value() && i < 6; ++i)
            all += std::string((*rows)[0].text(i)) + "|";
        return all;
    };
    const auto usual = seen(*one);
    // The rows give a bytea without the mark of a text or of an encrypted value.
    ASSERT_EQ(usual.substr(0, 2), "\xff|");
    const std::vector<std::string> settings{
        "bytea_output = 'escape'",  "datestyle = 'German, DMY'",          "timezone = 'Asia/Tokyo'",
        "extra_float_digits = -10", "default_transaction_read_only = on", "standard_conforming_strings = off",
        "array_nulls = off"};
    for (const auto& setting : settings) {
        const auto name = setting.substr(0, setting.find(' '));
        for (const std::string alter : {"ALTER ROLE postgres", "ALTER DATABASE postgres", "ALTER SYSTEM"}) {
            cluster.sql(alter + " SET " + setting);
            cluster.sql("SELECT pg_reload_conf()");
            const auto another = session(options());
            EXPECT_EQ(seen(*one), usual) << alter << ", while it runs: " << setting;
            EXPECT_EQ(seen(*another), usual) << alter << ": " << setting;
            cluster.sql("SET default_transaction_read_only = off; " + alter + " RESET " + name);
            cluster.sql("SELECT pg_reload_conf()");
        }
    }
}

TEST_F(ServerChecksTest, WhatOnlyASuperuserMaySetIsRefused) {
    const std::vector<std::pair<std::string, std::string>> settings{
        {"zero_damaged_pages=on", "set zero_damaged_pages=off"},
        {"ignore_checksum_failure=on", "set ignore_checksum_failure=off"}};
    for (const auto& [setting, words] : settings) {
        const auto name = setting.substr(0, setting.find('='));
        cluster.sql("ALTER ROLE postgres SET " + setting);
        const auto said = hindrance(looking());
        cluster.sql("ALTER ROLE postgres RESET " + name);
        EXPECT_TRUE(said.find(setting) != std::string::npos && said.find(words) != std::string::npos) << said;
    }
}

TEST_F(ServerChecksTest, ASessionThatHasNotWhatItAskedForIsRefused) {
    auto wanted = looking();
    for (auto& [name, value] : wanted.connection.settings)
        if (name == "options") value += " -c bytea_output=escape";  // as something in between might
    const auto said = hindrance(wanted);
    EXPECT_TRUE(said.starts_with("the session has bytea_output=escape, though it asked for hex")) << said;
}

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
