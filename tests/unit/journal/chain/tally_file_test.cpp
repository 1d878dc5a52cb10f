#include "journal/chain/tally_file.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace gateway::postgres::test {
namespace {

using gateway::test::contents_of;
using gateway::test::TemporaryFolder;
using testing::HasSubstr;

const Acknowledged some{.journal = "3f0e", .gateway = "box-1", .epoch = 1, .commits = {5, 9'000'000'000}};

class TallyFileTest : public testing::Test {
  protected:
    const TemporaryFolder folder;
    const std::string path = folder.path("tally");
};

TEST_F(TallyFileTest, RemembersWhatWasWrittenLast) {
    const auto write = [&](const Acknowledged& what) {
        TallyFile file(path, "f");
        EXPECT_TRUE(file.open().has_value());
        EXPECT_TRUE(file.write(what).has_value());
    };
    EXPECT_EQ(*TallyFile(path, "f").open(), std::nullopt);
    write(some);
    EXPECT_EQ(*TallyFile(path, "f").open(), some);
    auto later = some;
    later.epoch = 1'800'000'000'000;
    later.commits = {6, 1};
    write(later);
    EXPECT_EQ(*TallyFile(path, "f").open(), later);
    auto another = later;
    another.journal = "a longer name";
    write(another);
    EXPECT_EQ(*TallyFile(path, "f").open(), another);
}

TEST_F(TallyFileTest, HasOneIdForEver) {
    {
        TallyFile file(path, "1");
        ASSERT_TRUE(file.open().has_value());
        EXPECT_EQ(file.id(), "1");
        ASSERT_TRUE(std::filesystem::remove(path));
        ASSERT_TRUE(file.write(some).has_value()) << "it is made anew";
    }
    TallyFile again(path, "2");
    EXPECT_EQ(*again.open(), some);
    EXPECT_EQ(again.id(), "1");
}

TEST_F(TallyFileTest, OneOfAnEarlierVersionIsGivenAnId) {
    folder.write("tally",
                 "what the journal has acknowledged to this sales-gateway\njournal 3f0e\ngateway box-1\n"
                 "epoch 00000000000000000001\ncommits 00000000000000000005\ncommits 00000000009000000000\n");
    EXPECT_EQ(*TallyFile(path, "1").open(), some);
    TallyFile again(path, "2");
    EXPECT_EQ(*again.open(), some);
    EXPECT_EQ(again.id(), "1");
}

TEST_F(TallyFileTest, IsOneProcessesAlone) {
    TallyFile first(path, "1");
    ASSERT_TRUE(first.open().has_value());
    EXPECT_THAT(TallyFile(path, "2").open().error(), HasSubstr("is in use by another process"));
    ASSERT_TRUE(std::filesystem::remove(path));
    TallyFile second(path, "2");
    ASSERT_TRUE(second.open().has_value());
    const auto written = first.write(some);
    ASSERT_TRUE(written.has_error()) << "the file in its place is the other one's";
    EXPECT_THAT(written.error(), HasSubstr("is in use by another process"));
}

TEST_F(TallyFileTest, IsItsOwnersAlone) {
    ASSERT_TRUE(TallyFile(path, "f").open().has_value());
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
}

TEST_F(TallyFileTest, WhatIsNoTallyIsRefusedWithWhatToDo) {
    {
        TallyFile file(path, "f");
        ASSERT_TRUE(file.open().has_value());
        ASSERT_TRUE(file.write(some).has_value());
    }
    const auto whole = contents_of(path);
    const auto only_an_id = whole.find("\njournal ") + 1;
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const auto read = TallyFile(folder.write("cut", whole.substr(0, size)), "f").open();
        if (size == only_an_id) continue;
        ASSERT_TRUE(read.has_error()) << size;
        EXPECT_THAT(read.error(), HasSubstr("move it away")) << size;
    }
    auto negative = whole;
    negative.replace(negative.rfind("commits ") + 8, 1, "-");
    EXPECT_TRUE(TallyFile(folder.write("cut", negative), "f").open().has_error());
    EXPECT_TRUE(TallyFile(folder.write("cut", whole + "x"), "f").open().has_error());
}

// What a start refuses, a look says in the same words, and changes nothing.
TEST_F(TallyFileTest, ALookSaysWhatAStartWouldRefuse) {
    EXPECT_EQ(look_at_tally_file(path, "box-1"), "") << "a start makes it";
    EXPECT_FALSE(std::filesystem::exists(path));
    folder.write("tally", "");
    EXPECT_EQ(look_at_tally_file(path, "box-1"), "");
    {
        TallyFile file(path, "f");
        ASSERT_TRUE(file.open().has_value());
        EXPECT_EQ(look_at_tally_file(path, "box-1"), "") << "it remembers nothing yet, and is a gateway's that runs";
        ASSERT_TRUE(file.write(some).has_value());
    }
    EXPECT_EQ(look_at_tally_file(path, "box-1"), "");
    EXPECT_THAT(look_at_tally_file(path, "box-2"), HasSubstr("is the gateway box-1's, and this one is box-2"));
    EXPECT_EQ(look_at_tally_file(path, "box-2"), why_not_of(some, "box-2"));
    const auto cut = folder.write("cut", contents_of(path).substr(0, 80));
    EXPECT_EQ(look_at_tally_file(cut, "box-1"), TallyFile(cut, "f").open().error());
    EXPECT_EQ(look_at_tally_file(folder.path(""), "box-1"), TallyFile(folder.path(""), "f").open().error());
}

TEST_F(TallyFileTest, SaysWhyItCannotBeKept) {
    TallyFile absent(folder.path("absent/tally"), "f");
    EXPECT_EQ(*absent.open(), std::nullopt);
    const auto written = absent.write(some);
    ASSERT_TRUE(written.has_error());
    EXPECT_THAT(written.error(), HasSubstr("No such file or directory"));
    EXPECT_THAT(TallyFile(folder.path(""), "f").open().error(), HasSubstr("cannot be read: Is a directory"));
}

TEST_F(TallyFileTest, WithoutAPathNothingIsKept) {
    TallyFile file("", "f");
    EXPECT_EQ(*file.open(), std::nullopt);
    EXPECT_TRUE(file.write(some).has_value());
    EXPECT_EQ(file.id(), "f");
}

}  // namespace
}  // namespace gateway::postgres::test
