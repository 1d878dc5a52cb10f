#include "journal/sqlite/file_lock.hpp"

#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

namespace gateway::test {
namespace {

TEST(FileLock, HasOneHolderUntilItLetsGo) {
    const TemporaryFolder folder;
    {
        const auto held = FileLock::take(folder.path("l"));
        ASSERT_TRUE(held.has_value());
        EXPECT_EQ(FileLock::take(folder.path("l")).error(), errc::journal_in_use);
    }
    EXPECT_TRUE(FileLock::take(folder.path("l")).has_value());
}

TEST(FileLock, ItsFileSaysForGoodThatThereIsAJournal) {
    const TemporaryFolder folder;
    folder.write("of an older version", "");
    folder.write("of another program", "there is a journalist\n");
    for (const auto* name : {"new", "of an older version", "of another program"})
        EXPECT_FALSE(FileLock::take(folder.path(name))->notes_journal()) << name;
    for (const auto* name : {"new", "of an older version"}) {
        EXPECT_TRUE(FileLock::take(folder.path(name))->note_journal().has_value()) << name;
        EXPECT_TRUE(FileLock::take(folder.path(name))->notes_journal()) << name;
    }
}

TEST(FileLock, ItsFileSaysWhichSaleWasRecordedLastUntilThatIsForgotten) {
    const TemporaryFolder folder;
    SeededRandom random;
    auto held = *FileLock::take(folder.path("l"));
    EXPECT_FALSE(held.recorded_sale()) << "nothing is";
    ASSERT_TRUE(held.note_journal().has_value());
    EXPECT_FALSE(held.recorded_sale());
    for (const std::int64_t history : {123'456, 7}) {
        const auto id = SaleId::make(WallTime(Duration(history)), random);
        ASSERT_TRUE(held.note_recorded_sale({.id = id, .history = history}).has_value());
        EXPECT_EQ(held.recorded_sale()->id, id);
        EXPECT_EQ(held.recorded_sale()->history, history);
        EXPECT_TRUE(held.notes_journal());
    }
    ASSERT_TRUE(held.forget_recorded_sale().has_value());
    EXPECT_FALSE(held.recorded_sale());
    EXPECT_TRUE(held.notes_journal());
}

TEST(FileLock, ItsFileSaysHowTheLastRunStandsAndOnWhichBoot) {
    const TemporaryFolder folder;
    SeededRandom random;
    const std::string boot = "2f1c0a52-7a41-4d6e-9d1b-0c8a5b1f6e33";
    auto held = *FileLock::take(folder.path("l"));
    EXPECT_EQ(held.run_state(), RunState::unknown);
    EXPECT_TRUE(held.run_was_on(boot)) << "it is not known to be another one";
    const RecordedSale sale{.id = SaleId::make(WallTime(Duration(1)), random), .history = 42};
    for (const auto state : {RunState::begun, RunState::ended, RunState::lost_commits, RunState::begun}) {
        ASSERT_TRUE(held.note_run(state, boot).has_value());
        EXPECT_EQ(held.run_state(), state);
        EXPECT_TRUE(held.run_was_on(boot));
        EXPECT_FALSE(held.run_was_on("6d2a7f10-0000-4d6e-9d1b-0c8a5b1f6e33"));
        EXPECT_EQ(held.recorded_sale().has_value(), held.notes_journal()) << "one note is not in the other's way";
        ASSERT_TRUE(held.note_journal().has_value());
        ASSERT_TRUE(held.note_recorded_sale(sale).has_value());
    }
    ASSERT_TRUE(held.forget_recorded_sale().has_value());
    EXPECT_EQ(held.run_state(), RunState::begun);
    ASSERT_TRUE(held.note_run(RunState::begun, "").has_value());
    EXPECT_TRUE(held.run_was_on(boot)) << "of a clock that does not know";
    EXPECT_FALSE(FileLock().note_run(RunState::begun, boot).has_error()) << "without a file there is nothing to note";
    EXPECT_EQ(FileLock().run_state(), RunState::unknown);
}

TEST(FileLock, ARunThatCannotBeNotedLeavesNoOlderNote) {
    const TemporaryFolder folder;
    auto held = *FileLock::take(folder.path("l"));
    ASSERT_TRUE(held.note_run(RunState::begun, "b").has_value());
    struct rlimit before {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto quiet = std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit none { .rlim_cur = 80, .rlim_max = before.rlim_max };
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
    const auto noted = held.note_run(RunState::ended, "b");
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, quiet);
    EXPECT_TRUE(noted.has_error());
    EXPECT_EQ(held.run_state(), RunState::unknown);
}

TEST(FileLock, ItsFileSaysOnWhichFileTheLogStandsBehindTheNoteOfARun) {
    const TemporaryFolder folder;
    auto held = *FileLock::take(folder.path("l"));
    const LogBase base{.log = std::string(16, 'a'), .database = std::string(64, 'b')};
    EXPECT_TRUE(held.note_log(base).has_error()) << "the note of the run before it would be no note";
    EXPECT_EQ(held.noted_log(), std::nullopt);
    ASSERT_TRUE(held.note_run(RunState::begun, "boot").has_value());
    ASSERT_TRUE(held.note_log(base).has_value());
    EXPECT_EQ(held.noted_log(), base);
    EXPECT_EQ(held.run_state(), RunState::begun);
    ASSERT_TRUE(held.note_run(RunState::ended, "boot").has_value());
    EXPECT_EQ(FileLock::look(folder.path("l")).noted_log(), base) << "it stays";
    ASSERT_TRUE(held.note_run(RunState::begun, "another boot").has_value());
    EXPECT_EQ(held.noted_log(), std::nullopt) << "a power cut may have changed the file since";
    EXPECT_EQ(held.run_state(), RunState::begun);
}

TEST(FileLock, ANoteThatMakesNoSenseIsNone) {
    const TemporaryFolder folder;
    const std::string journal = "there is a journal\n";
    const std::string recorded = "last recorded: 01HWQ2Z3J4K5M6N7P8Q9R0S1T2 000000000042\n";
    const auto says = [&](std::string text) {
        folder.write("l", text);
        const auto sale = FileLock::take(folder.path("l"))->recorded_sale();
        return sale ? std::optional(sale->history) : std::nullopt;
    };
    EXPECT_EQ(says(journal + recorded), 42);
    for (const std::size_t at : {0U, 15U, 42U, 54U}) {
        auto damaged = recorded;
        damaged.at(at) = '*';
        EXPECT_EQ(says(journal + damaged), std::nullopt) << damaged;
    }
    EXPECT_EQ(says(journal + recorded.substr(0, recorded.size() - 1)), std::nullopt);
}

TEST(FileLock, SaysWhyAFileCannotBeMade) {
    EXPECT_EQ(FileLock::take("/nonexistent/l").error().value(), ENOENT);
    EXPECT_EQ(FileLock::make_private("/nonexistent/l").error().value(), ENOENT);
}

}  // namespace
}  // namespace gateway::test
