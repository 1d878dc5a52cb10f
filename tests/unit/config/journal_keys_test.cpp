#include "config/journal_keys.hpp"

#include "unit/config/config_text.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace gateway::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string one_key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const std::string another_key = "FFEEDDCCBBAA99887766554433221100ffeeddccbbaa99887766554433221100";

struct JournalKeys : ::testing::Test {
    std::string why_not(std::string_view text) {
        const auto keys = read_journal_keys(folder.write("keys", text));
        return keys.has_value() ? "" : keys.error();
    }
    TemporaryFolder folder;
};

TEST_F(JournalKeys, AreReadInTheirOrderPastRemarksAndBlankLines) {
    const auto path = folder.write("keys", "# since May\n\n  " + one_key + "\r\n" + another_key);
    const auto keys = read_journal_keys(path);
    ASSERT_TRUE(keys.has_value()) << keys.error();
    ASSERT_EQ(keys->size(), 2U);
    EXPECT_EQ(keys->at(0).reveal().size(), 32U);
    EXPECT_EQ(keys->at(0).reveal()[31], '\x1f');
    EXPECT_EQ(keys->at(1).reveal()[0], '\xff');
}

TEST_F(JournalKeys, EveryFaultIsSaidWithItsLineAndWhatToDoAndQuotesNothing) {
    EXPECT_THAT(why_not(""), AllOf(HasSubstr("holds no key"), HasSubstr("openssl rand -hex 32")));
    EXPECT_THAT(why_not(one_key + "\n" + one_key.substr(2)), AllOf(HasSubstr("line 2"), Not(HasSubstr("0203"))));
    EXPECT_THAT(why_not("x" + one_key.substr(1)), HasSubstr("64 hex digits"));
    EXPECT_THAT(why_not(std::string(64, '0')), HasSubstr("anybody could guess"));
    EXPECT_THAT(why_not(one_key + "\n" + one_key), HasSubstr("stands above it already"));
    EXPECT_THAT(why_not(std::string(20'000, '#')), HasSubstr("longer than"));
    EXPECT_THAT(read_journal_keys(folder.path("absent")).error(), HasSubstr("cannot be opened"));
}

TEST_F(JournalKeys, AreReadWithTheConfiguration) {
    const auto path = folder.write("keys", one_key);
    const auto config = good(ConfigText().set("journal.key_file", "\"" + path + "\""));
    EXPECT_EQ(config.journal.keys.size(), 1U);
    EXPECT_TRUE(good(ConfigText()).journal.keys.empty());
    EXPECT_THAT(only_error(ConfigText().set("journal.key_file", "\"/no/such\"")), HasSubstr("journal.key_file"));
}

TEST_F(JournalKeys, AFileThatEverybodyMayReadIsWarnedOf) {
    const auto path = folder.write("keys", one_key);
    std::filesystem::permissions(path, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    const auto reading = ConfigText().set("journal.key_file", "\"" + path + "\"").read();
    EXPECT_THAT(lines(reading.warnings), HasSubstr("may be read by everybody"));
}

}  // namespace
}  // namespace gateway::test
