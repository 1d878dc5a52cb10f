#include "probe/append_file.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;
using probe::AppendFile;

TEST(AppendFile, KeepsLinesForTheNextRun) {
    const TemporaryFolder folder;
    const auto path = folder.path("lines");
    {
        auto file = AppendFile::open(path);
        ASSERT_TRUE(file.has_value());
        EXPECT_TRUE(file->append("one", AppendFile::Lasting::written));
        EXPECT_TRUE(file->append("two", AppendFile::Lasting::durable));
    }
    auto file = AppendFile::open(path);
    EXPECT_THAT(file->take_lines(), ElementsAre("one", "two"));
    const auto mode = std::filesystem::status(path).permissions() & std::filesystem::perms::all;
    EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(AppendFile, BeginsANewLineBehindOneThatWasCutShort) {
    const TemporaryFolder folder;
    const auto path = folder.write("lines", "one\ntw");
    auto file = AppendFile::open(path);
    EXPECT_THAT(file->take_lines(), ElementsAre("one", "tw"));
    EXPECT_TRUE(file->append("three", AppendFile::Lasting::written));
    EXPECT_THAT(AppendFile::open(path)->take_lines(), ElementsAre("one", "tw", "three"));
}

TEST(AppendFile, SaysWhyAFileCannotBeOpened) {
    const auto nowhere = AppendFile::open("/no/such/folder/lines");
    ASSERT_TRUE(nowhere.has_error());
    EXPECT_THAT(nowhere.error(), HasSubstr("/no/such/folder/lines"));
}

}  // namespace
}  // namespace gateway::test
