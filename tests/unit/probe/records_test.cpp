#include "probe/records.hpp"

#include "unit/probe/full_disk.hpp"
#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace testing;
using probe::AppendFile;

TEST(Records, KeepsLinesForTheNextRun) {
    const TemporaryFolder folder;
    const auto path = folder.path("lines");
    {
        AppendFile file(path);
        EXPECT_TRUE(file.append("one", AppendFile::Lasting::written));
        EXPECT_TRUE(file.append("two", AppendFile::Lasting::durable));
    }
    AppendFile file(path);
    EXPECT_THAT(file.take_lines(), ElementsAre("one", "two"));
    const auto mode = std::filesystem::status(path).permissions() & std::filesystem::perms::all;
    EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Records, BeginsANewLineBehindOneThatWasCutShort) {
    const TemporaryFolder folder;
    const auto path = folder.write("lines", "one\ntw");
    AppendFile file(path);
    EXPECT_THAT(file.take_lines(), ElementsAre("one", "tw"));
    EXPECT_TRUE(file.append("three", AppendFile::Lasting::written));
    EXPECT_THAT(AppendFile(path).take_lines(), ElementsAre("one", "tw", "three"));
}

TEST(Records, SaysWhyAFileCannotBeOpened) {
    const std::string nowhere = "/no/such/folder/lines";
    EXPECT_THAT([&] { AppendFile{nowhere}; }, ThrowsMessage<probe::Failed>(HasSubstr(nowhere)));
}

TEST(Records, WhatAFullDiskCutShortIsTakenAway) {
    const TemporaryFolder folder;
    const auto path = folder.path("lines");
    AppendFile file(path);
    EXPECT_TRUE(file.append("one", AppendFile::Lasting::written));
    {
        const FullDisk full(std::filesystem::file_size(path) + 2);
        EXPECT_FALSE(file.append("two", AppendFile::Lasting::written));
    }
    EXPECT_TRUE(file.append("three", AppendFile::Lasting::written));
    EXPECT_THAT(AppendFile(path).take_lines(), ElementsAre("one", "three"));
}

TEST(Records, WhatIsSetAsideIsKept) {
    const TemporaryFolder folder;
    const auto path = folder.write("lines", "one\n");
    EXPECT_EQ(probe::set_aside(path), path + ".1");
    folder.write("lines", "two\n");
    EXPECT_EQ(probe::set_aside(path), path + ".2");
    EXPECT_THAT(AppendFile(path).take_lines(), IsEmpty());
    EXPECT_THAT(AppendFile(path + ".1").take_lines(), ElementsAre("one"));
    EXPECT_THAT(AppendFile(path + ".2").take_lines(), ElementsAre("two"));
    EXPECT_EQ(probe::set_aside(folder.path("nothing")), std::nullopt);
}

TEST(Records, AreJsonObjectsAndWhatWasCutShortIsLeftOut) {
    const TemporaryFolder folder;
    const auto path = folder.write("lines", "{\"a\":\"x\"}\n[1]\n{\"b\":");
    auto records = AppendFile(path).take_records();
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0], (boost::json::object{{"a", "x"}}));
}

}  // namespace
}  // namespace gateway::test
