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

TEST(FileLock, SaysWhyAFileCannotBeMade) {
    EXPECT_EQ(FileLock::take("/nonexistent/l").error().value(), ENOENT);
    EXPECT_EQ(FileLock::make_private("/nonexistent/l").error().value(), ENOENT);
}

}  // namespace
}  // namespace gateway::test
