#include "journal/sqlite/file_identity.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

namespace gateway::test {
namespace {

TEST(FileIdentity, IsTheSameUnderEveryNameAndWhateverIsWritten) {
    const TemporaryFolder folder;
    const auto path = folder.write("t.db", "one");
    const auto before = FileIdentity::of(path).value();
    EXPECT_EQ(FileIdentity::of(path).value(), before);
    folder.write("t.db", "another, and a longer one");
    std::filesystem::rename(path, folder.path("renamed.db"));
    std::filesystem::create_hard_link(folder.path("renamed.db"), folder.path("hard.db"));
    std::filesystem::create_symlink(folder.path("renamed.db"), folder.path("soft.db"));
    for (const auto* name : {"renamed.db", "hard.db", "soft.db"})
        EXPECT_EQ(FileIdentity::of(folder.path(name)).value(), before) << name;
}

TEST(FileIdentity, OfACopyIsAnotherOne) {
    const TemporaryFolder folder;
    const auto path = folder.write("t.db", "one");
    std::filesystem::copy_file(path, folder.path("copy.db"));
    EXPECT_NE(FileIdentity::of(folder.path("copy.db")).value(), FileIdentity::of(path).value());
}

TEST(FileIdentity, IsDecidedByWhenAFileWasMadeWhereThatIsKnown) {
    const FileIdentity made_at_noon{.made_at = 12, .inode = 7, .file_system = 70};
    EXPECT_TRUE(are_same(made_at_noon, {.made_at = 12, .inode = 8, .file_system = 80})) << "numbered anew by a mount";
    EXPECT_FALSE(are_same(made_at_noon, {.made_at = 13, .inode = 7, .file_system = 70})) << "the number was free again";
}

TEST(FileIdentity, IsDecidedByTheNumbersWhereItIsNotKnownOfBoth) {
    const FileIdentity unknown{.made_at = {}, .inode = 7, .file_system = 70};
    for (const auto made_at : {std::optional<std::int64_t>(), std::optional<std::int64_t>(12)}) {
        EXPECT_TRUE(are_same(unknown, {.made_at = made_at, .inode = 7, .file_system = 70}));
        EXPECT_FALSE(are_same(unknown, {.made_at = made_at, .inode = 8, .file_system = 70}));
        EXPECT_FALSE(are_same({.made_at = made_at, .inode = 7, .file_system = 80}, unknown));
    }
}

TEST(FileIdentity, OfNoFileIsTheSystemsError) {
    EXPECT_EQ(FileIdentity::of("/nonexistent/t.db").error().value(), ENOENT);
}

}  // namespace
}  // namespace gateway::test
