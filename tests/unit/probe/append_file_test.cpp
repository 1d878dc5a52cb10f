#include "probe/append_file.hpp"

#include "unit/probe/full_disk.hpp"
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

TEST(AppendFile, WhatAFullDiskCutShortIsTakenAway) {
    const TemporaryFolder folder;
    const auto path = folder.path("lines");
    auto file = AppendFile::open(path);
    EXPECT_TRUE(file->append("one", AppendFile::Lasting::written));
    {
        const FullDisk full(std::filesystem::file_size(path) + 2);
        EXPECT_FALSE(file->append("two", AppendFile::Lasting::written));
    }
    EXPECT_TRUE(file->append("three", AppendFile::Lasting::written));
    EXPECT_THAT(AppendFile::open(path)->take_lines(), ElementsAre("one", "three"));
}

TEST(AppendFile, WhatIsSetAsideIsKept) {
    const TemporaryFolder folder;
    const auto path = folder.write("lines", "one\n");
    EXPECT_EQ(probe::set_aside(path), path + ".1");
    folder.write("lines", "two\n");
    EXPECT_EQ(probe::set_aside(path), path + ".2");
    EXPECT_THAT(AppendFile::open(path)->take_lines(), IsEmpty());
    EXPECT_THAT(AppendFile::open(path + ".1")->take_lines(), ElementsAre("one"));
    EXPECT_THAT(AppendFile::open(path + ".2")->take_lines(), ElementsAre("two"));
    EXPECT_EQ(probe::set_aside(folder.path("nothing")), std::nullopt);
}

}  // namespace
}  // namespace gateway::test
