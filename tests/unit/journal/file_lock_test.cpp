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
