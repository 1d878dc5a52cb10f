#include "journal/sqlite/named_file.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace gateway::test {
namespace {

TEST(NamedFile, HasItsNameUntilItIsRenamedReplacedOrRemoved) {
    const TemporaryFolder folder;
    const auto name = folder.write("name", "1");
    const auto elsewhere = folder.path("elsewhere");
    const std::ifstream held(name);
    const auto file = NamedFile::at(name);
    ASSERT_TRUE(file.has_value());
    EXPECT_TRUE(file->has_name());
    folder.write("name", "longer than it was");
    EXPECT_TRUE(file->has_name()) << "what is in it does not matter";
    std::filesystem::rename(name, elsewhere);
    EXPECT_FALSE(file->has_name());
    folder.write("name", "another file");
    EXPECT_FALSE(file->has_name());
    std::filesystem::rename(elsewhere, name);
    EXPECT_TRUE(file->has_name());
    std::filesystem::remove(name);
    EXPECT_FALSE(file->has_name());
    folder.write("name", "a new file");
    EXPECT_FALSE(file->has_name());
}

TEST(NamedFile, WhereNoFileHasTheNameThatIsSaid) {
    const TemporaryFolder folder;
    EXPECT_EQ(NamedFile::at(folder.path("none")).error().value(), ENOENT);
    EXPECT_EQ(NamedFile::opened_as(folder.path("none"), -1).error().value(), EBADF);
}

}  // namespace
}  // namespace gateway::test
