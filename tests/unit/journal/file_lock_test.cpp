#include "journal/file_lock.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

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

TEST(FileLock, KnowsWhetherItsFileIsTheOneThatOthersLock) {
    const TemporaryFolder folder;
    const auto held = std::move(*FileLock::take(folder.path("l")));
    EXPECT_TRUE(held.file().has_name());
    std::filesystem::remove(folder.path("l"));
    const auto of_another = FileLock::take(folder.path("l"));
    ASSERT_TRUE(of_another.has_value());
    EXPECT_FALSE(held.file().has_name());
    EXPECT_TRUE(of_another->file().has_name());
}

TEST(FileLock, WhatItMakesPrivateOnlyItsOwnerMayUse) {
    const TemporaryFolder folder;
    const auto mode_once_private = [](const std::string& path) {
        EXPECT_TRUE(FileLock::make_private(path).has_value());
        return std::filesystem::status(path).permissions();
    };
    constexpr auto owner = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    EXPECT_EQ(mode_once_private(folder.path("new")), owner);
    const auto open = folder.write("there", "as it was");
    std::filesystem::permissions(open,
                                 owner | std::filesystem::perms::group_write | std::filesystem::perms::others_read);
    EXPECT_EQ(mode_once_private(open), owner);
    EXPECT_EQ(std::filesystem::file_size(open), 9U);
}

TEST(FileLock, SaysWhyAFileCannotBeMade) {
    EXPECT_EQ(FileLock::take("/nonexistent/l").error().value(), ENOENT);
    EXPECT_EQ(FileLock::make_private("/nonexistent/l").error().value(), ENOENT);
}

}  // namespace
}  // namespace gateway::test
