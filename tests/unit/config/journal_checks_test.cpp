#include "config/checks.hpp"
#include "unit/config/config_text.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using testing::HasSubstr;

// Returns the key of the only error.
std::string key_of_the_error(const ConfigText& text) {
    const auto error = only_error(text);
    return error.substr(0, error.find(": "));
}

constexpr auto url = R"("postgresql://gateway@db.example/journal")";

ConfigText shared() {
    return ConfigText()
        .drop("journal.path")
        .set("journal.url", url)
        .set("journal.gateway", R"("box-1")")
        .set("journal.tally_file", R"("/tmp/tally")");
}

TEST(JournalChecks, AJournalIsInAFileOrOnPostgreSQL) {
    EXPECT_EQ(good(ConfigText()).journal.url, "");
    const auto config = good(shared());
    EXPECT_EQ(config.journal.url, "postgresql://gateway@db.example/journal");
    EXPECT_EQ(config.journal.path, "");
    EXPECT_THAT(only_error(ConfigText().set("journal.url", url)), HasSubstr("stands beside journal.path"));
    EXPECT_THAT(only_error(ConfigText().drop("journal.path")), HasSubstr("journal.url in its place"));
}

TEST(JournalChecks, ADatabaseIsNoFileAndAFileNoDatabase) {
    EXPECT_THAT(only_error(ConfigText().set("journal.path", url)), HasSubstr("journal.url"));
    EXPECT_THAT(only_error(shared().set("journal.url", R"("journal.db")")), HasSubstr("postgresql://"));
}

TEST(JournalChecks, AGatewayHasANameOfItsOwnOrItsMachines) {
    EXPECT_EQ(good(shared()).journal.gateway, "box-1");
    EXPECT_NE(good(shared().drop("journal.gateway")).journal.gateway, "");
    EXPECT_EQ(key_of_the_error(shared().set("journal.gateway", R"("box 1")")), "journal.gateway");
    EXPECT_EQ(key_of_the_error(shared().set("journal.gateway", '"' + std::string(65, 'x') + '"')), "journal.gateway");
}

TEST(JournalChecks, ThePasswordStandsInAFile) {
    const TemporaryFolder folder;
    const auto file = folder.write("password", "secret\nand a remark\n");
    const auto with = [&](const std::string& path) { return shared().set("journal.password_file", '"' + path + '"'); };
    EXPECT_EQ(good(with(file)).journal.password.reveal(), "secret");
    EXPECT_EQ(key_of_the_error(with(folder.path("absent"))), "journal.password_file");
    EXPECT_EQ(key_of_the_error(with(folder.write("empty", "\nsecret\n"))), "journal.password_file");
}

TEST(JournalChecks, TheTallyStandsInAFolderThatIsThere) {
    EXPECT_EQ(good(shared()).journal.tally_file, "/tmp/tally");
    EXPECT_THAT(only_error(shared().set("journal.tally_file", R"("/absent/tally")")), HasSubstr("which is no folder"));
    EXPECT_THAT(only_error(shared().set("journal.tally_file", R"("/tmp")")), HasSubstr("is a folder; name a file"));
}

TEST(JournalChecks, WhatIsOfADatabaseSaysNothingOfAFile) {
    EXPECT_EQ(key_of_the_error(ConfigText().set("journal.gateway", R"("box-1")")), "journal.gateway");
    EXPECT_EQ(key_of_the_error(ConfigText().set("journal.password_file", R"("/etc/passwd")")), "journal.password_file");
    EXPECT_EQ(key_of_the_error(ConfigText().set("journal.tally_file", R"("/tmp/tally")")), "journal.tally_file");
}

}  // namespace
}  // namespace gateway::test
