#include "journal/postgres/server_checks.hpp"

#include "unit/journal/postgres/rig.hpp"

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

TEST(ServerChecks, AGoodServerIsTakenWithoutAWord) {
    EXPECT_EQ(refusal_of(good()), "");
    EXPECT_EQ(warning_of(good()), "");
}

TEST(ServerChecks, AVersionBefore14IsRefused) {
    auto facts = good();
    facts.version = 130021;
    EXPECT_EQ(refusal_of(facts), "the database server is PostgreSQL 13, and it takes 14 or a newer one");
    facts.version = 140000;
    EXPECT_EQ(refusal_of(facts), "");
}

TEST(ServerChecks, ACommitThatIsNotDurableIsRefused) {
    auto facts = good();
    for (const auto* word : {"off", "local", "remote_write"}) {
        facts.synchronous_commit = word;
        EXPECT_TRUE(refusal_of(facts).find(std::string("synchronous_commit=") + word + " ") != std::string::npos);
    }
    facts.synchronous_commit = "remote_apply";
    EXPECT_EQ(refusal_of(facts), "");
}

TEST(ServerChecks, ADatabaseThatDoesNotKeepEveryLetterIsRefused) {
    auto facts = good();
    for (const auto* encoding : {"LATIN1", "SQL_ASCII", "WIN1252"}) {
        facts.encoding = encoding;
        EXPECT_TRUE(refusal_of(facts).find(encoding) != std::string::npos);
        EXPECT_TRUE(refusal_of(facts).find("createdb --template=template0 --encoding=UTF8") != std::string::npos);
    }
}

TEST(ServerChecks, OneMachineAloneIsWorthAWord) {
    auto facts = good();
    facts.synchronous_standby_names = "";
    EXPECT_EQ(refusal_of(facts), "");
    EXPECT_TRUE(warning_of(facts).find("no synchronous standby") != std::string::npos);
}

class ServerChecksTest : public PostgresTest {
  protected:
    // What keeps a session from using the server; empty: nothing.
    std::string hindrance() {
        auto wanted = options();
        wanted.opened = look_at_server(log);
        const auto one = session(wanted);
        const auto asked = run(one->read(one_row, {}, Session::Told::no));
        return asked.has_value() ? "" : one->hindrance().value_or("a fault");
    }

    static constexpr Statement one_row{"one_row", "SELECT 1"};
};

TEST_F(ServerChecksTest, AServerWithItsUsualSettingsIsTaken) {
    EXPECT_EQ(hindrance(), "");
    EXPECT_EQ(log.count("journal.alone"), 1u);
}

TEST_F(ServerChecksTest, AWarningIsSaidOncePerSession) {
    constexpr Statement my_backend{"my_backend", "SELECT pg_backend_pid()"};
    constexpr Statement interval{"interval", "SELECT current_setting('client_connection_check_interval')"};
    auto wanted = options();
    wanted.opened = look_at_server(log);
    const auto one = session(wanted);
    for (int i = 0; i < 2; ++i) {
        const auto backend = run(one->read(my_backend, {}, Session::Told::no));
        ASSERT_TRUE(backend.has_value());
        EXPECT_EQ((*run(one->read(interval, {}, Session::Told::no)))[0].text(0), "2s");
        cluster.sql("SELECT pg_terminate_backend(" + std::string((*backend)[0].text(0)) + ", 10000)");
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

}  // namespace
}  // namespace gateway::postgres::test
