#include "journal/postgres/session_settings.hpp"

#include "journal/postgres/server_checks.hpp"
#include "unit/journal/postgres/rig.hpp"

#include <utility>
#include <vector>

namespace gateway::postgres::test {
namespace {

class SessionSettingsTest : public PostgresTest {
  protected:
    SessionOptions looking() {
        auto wanted = options();
        wanted.opened = look_at_server(log);
        return wanted;
    }
    // What keeps a session from using the server; empty: nothing.
    std::string hindrance(const SessionOptions& wanted) {
        constexpr Statement one_row{"one_row", "SELECT 1"};
        const auto one = session(wanted);
        const auto asked = run(one->read(one_row, {}, Session::Told::no));
        return asked.has_value() ? "" : one->hindrance().value_or("a fault");
    }
};

// Of the server, of the role and of the database, before a session begins and while it runs.
TEST_F(SessionSettingsTest, NobodysSettingChangesWhatIsRead) {
    constexpr Statement read{"read",
                             "SELECT '\\x00ff'::bytea, '2026-11-27 01:30:00+00'::timestamptz, 0.1::float8,"
                             " current_setting('default_transaction_read_only'), 'a\\b', '{NULL}'::text[]"};
    const auto one = session(options());
    const auto seen = [&](Session& by) {
        std::string all;
        const auto rows = run(by.read(read, {}, Session::Told::no));
        for (int i = 0; rows.has_value() && i < 6; ++i)
            all += std::string((*rows)[0].text(i)) + "|";
        return all;
    };
    const auto usual = seen(*one);
    // As the rows give a bytea: without the mark of a text or of something sealed.
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

TEST_F(SessionSettingsTest, WhatOnlyASuperuserMaySetIsRefused) {
    const std::vector<std::pair<std::string, std::string>> settings{
        {"session_replication_role=replica", "set session_replication_role=origin"},
        {"zero_damaged_pages=on", "set zero_damaged_pages=off"},
        {"ignore_checksum_failure=on", "set ignore_checksum_failure=off"},
        {"plpgsql.variable_conflict=use_column", "set plpgsql.variable_conflict=error"}};
    for (const auto& [setting, words] : settings) {
        const auto name = setting.substr(0, setting.find('='));
        cluster.sql("ALTER ROLE postgres SET " + setting);
        const auto said = hindrance(looking());
        cluster.sql("ALTER ROLE postgres RESET " + name);
        EXPECT_TRUE(said.find(setting) != std::string::npos && said.find(words) != std::string::npos) << said;
    }
}

TEST_F(SessionSettingsTest, ASessionThatHasNotWhatItAskedForIsRefused) {
    auto wanted = looking();
    for (auto& [name, value] : wanted.connection.settings)
        if (name == "options") value += " -c bytea_output=escape";  // as something in between might
    const auto said = hindrance(wanted);
    EXPECT_TRUE(said.starts_with("the session has bytea_output=escape, though it asked for hex")) << said;
}

}  // namespace
}  // namespace gateway::postgres::test
