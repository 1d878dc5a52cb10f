#include "journal/journal_stats.hpp"

#include <gtest/gtest.h>

namespace gateway::test {
namespace {

TEST(JournalStats, SaysNothingOfAJournalOfWhichNothingIsKnown) {
    const JournalStats stats;
    EXPECT_EQ(stats.commits + stats.steps + stats.failures + stats.waits + stats.long_waits, 0u);
    EXPECT_EQ(stats.unreadable + stats.unreadable_sales, 0u);
    EXPECT_EQ(stats.kept_log_bytes, 0);
    EXPECT_FALSE(stats.locked || stats.encrypts || stats.damaged);
    EXPECT_FALSE(DatabaseState().waits_for_standby || DatabaseState::Standby().connected);
}

TEST(JournalStats, SaysWhyInItsOwnWordsWhereItHasSome) {
    JournalStats stats;
    const auto why = boost::system::errc::make_error_code(boost::system::errc::no_space_on_device);
    EXPECT_EQ(stats.in_words(why), why.message());
    stats.detail = "the standby is away";
    EXPECT_EQ(stats.in_words(why), "the standby is away");
}

}  // namespace
}  // namespace gateway::test
