#include "postgres/tally_file.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

namespace gateway::postgres::test {
namespace {

using gateway::test::TemporaryFolder;
using testing::HasSubstr;

const Acknowledged some{.journal = "3f0e", .gateway = "box-1", .epoch = 1, .commits = {5, 9'000'000'000}};

class TallyFileTest : public testing::Test {
  protected:
    const TemporaryFolder folder;
    const std::string path = folder.path("tally");
};

TEST_F(TallyFileTest, RemembersWhatWasWrittenLast) {
    TallyFile file(path);
    EXPECT_EQ(*file.read(), std::nullopt);
    ASSERT_TRUE(file.write(some).has_value());
    EXPECT_EQ(*TallyFile(path).read(), some);
    auto later = some;
    later.epoch = 1'800'000'000'000;
    later.commits = {6, 1};
    ASSERT_TRUE(file.write(later).has_value());
    EXPECT_EQ(*TallyFile(path).read(), later);
    auto another = later;
    another.journal = "a longer name";
    ASSERT_TRUE(file.write(another).has_value());
    EXPECT_EQ(*TallyFile(path).read(), another);
}

TEST_F(TallyFileTest, IsItsOwnersAlone) {
    ASSERT_TRUE(TallyFile(path).write(some).has_value());
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
}

TEST_F(TallyFileTest, WhatIsNoTallyIsRefusedWithWhatToDo) {
    ASSERT_TRUE(TallyFile(path).write(some).has_value());
    std::ifstream file(path);
    const std::string whole{std::istreambuf_iterator(file), {}};
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto read = TallyFile(folder.write("cut", whole.substr(0, size))).read();
        ASSERT_TRUE(read.has_error()) << size;
        EXPECT_THAT(read.error(), HasSubstr("move it away")) << size;
    }
    auto negative = whole;
    negative.replace(negative.rfind("commits ") + 8, 1, "-");
    EXPECT_TRUE(TallyFile(folder.write("cut", negative)).read().has_error());
    EXPECT_TRUE(TallyFile(folder.write("cut", whole + "x")).read().has_error());
}

TEST_F(TallyFileTest, SaysWhyItCannotBeKept) {
    TallyFile absent(folder.path("absent/tally"));
    const auto written = absent.write(some);
    ASSERT_TRUE(written.has_error());
    EXPECT_THAT(written.error(), HasSubstr("No such file or directory"));
    EXPECT_THAT(TallyFile(folder.path("")).read().error(), HasSubstr("cannot be read: Is a directory"));
}

TEST_F(TallyFileTest, WithoutAPathNothingIsKept) {
    TallyFile file("");
    EXPECT_TRUE(file.write(some).has_value());
    EXPECT_EQ(*file.read(), std::nullopt);
}

}  // namespace
}  // namespace gateway::postgres::test
