#include "journal/sqlite/file_user.hpp"

#include "unit/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace gateway::test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

constexpr uid_t somebody = 64'321;  // the machine does not know this user
constexpr uid_t another = 64'322;

// Folders in a folder of root's that everybody may enter.
class FileUserTest : public Test {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root becomes somebody else";
        fs::permissions(folder.path(""), fs::perms(0755));
    }
    std::string make_folder(const std::string& name, uid_t owner) const {
        const auto path = folder.path(name);
        fs::create_directories(path);
        give(path, owner);
        return path;
    }
    static void give(const std::string& path, uid_t owner) { ASSERT_EQ(::lchown(path.c_str(), owner, owner), 0); }
    static uid_t owner_of(const std::string& path) {
        struct stat status {};
        EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
        return status.st_uid;
    }
    static uid_t user_of(const std::string& file) {
        const auto user = user_for(file);
        EXPECT_TRUE(user.has_value()) << user.error();
        return user.has_value() ? user->user : static_cast<uid_t>(-1);
    }

    const TemporaryFolder folder;
};

TEST_F(FileUserTest, TheFirstFolderOrLinkThatIsNotRootsDecides) {
    make_folder("own", 0);
    make_folder("theirs/below", somebody);
    give(folder.path("theirs"), somebody);
    give(folder.path("theirs/below"), 0);
    EXPECT_EQ(user_of(folder.path("own/journal.db")), 0U);
    EXPECT_EQ(user_of(folder.path("theirs/journal.db")), somebody);
    EXPECT_EQ(user_of(folder.path("theirs/below/journal.db")), somebody) << "they can put another folder in its place";
    EXPECT_EQ(user_of(folder.path("own/../theirs/journal.db")), somebody);
    EXPECT_EQ(user_of(folder.path("nowhere/journal.db")), 0U);

    fs::create_directory_symlink("theirs", folder.path("of-root"));
    EXPECT_EQ(user_of(folder.path("of-root/journal.db")), somebody) << "a link of root's leads where it leads";
    fs::create_symlink(folder.path("own/journal.db"), folder.path("journal.db"));
    EXPECT_EQ(user_of(folder.path("journal.db")), 0U);
    give(folder.path("journal.db"), another);
    EXPECT_EQ(user_of(folder.path("journal.db")), another) << "who made the link leads root nowhere";
    std::ofstream(folder.path("own/file")) << "x";
    give(folder.path("own/file"), somebody);
    EXPECT_EQ(user_of(folder.path("own/file")), 0U) << "its name is in root's hands";
}

TEST_F(FileUserTest, LinksInACircleAreAnError) {
    fs::create_symlink("b", folder.path("a"));
    fs::create_symlink("a", folder.path("b"));
    EXPECT_THAT(user_for(folder.path("a")).error(), HasSubstr(folder.path("a") + " cannot be found"));
}

TEST_F(FileUserTest, RootMakesAndChangesWhatTheOwnerCouldAndLeavesItToThem) {
    const auto theirs = make_folder("theirs", somebody);
    const auto secret = folder.write("secret", "root's");
    fs::create_symlink(secret, theirs + "/journal.db.lock");
    fs::create_symlink(folder.path("new"), theirs + "/journal.db");
    const auto user = user_for(theirs + "/journal.db.new");
    ASSERT_TRUE(user.has_value()) << user.error();
    {
        const ActingAs acting(*user);
        std::ofstream(theirs + "/journal.db.new") << "x";
        std::ofstream(theirs + "/journal.db.lock") << "written over";
        std::ofstream(theirs + "/journal.db") << "made";
        EXPECT_NE(::chown(secret.c_str(), somebody, somebody), 0);
    }
    EXPECT_EQ(owner_of(theirs + "/journal.db.new"), somebody);
    EXPECT_EQ(fs::file_size(secret), 6U);
    EXPECT_FALSE(fs::exists(folder.path("new")));
    std::ofstream(folder.path("new")) << "root is root again";
    EXPECT_EQ(owner_of(folder.path("new")), 0U);
}

TEST_F(FileUserTest, OneActsWithinTheOtherAndOnlyInItsThread) {
    const auto theirs = make_folder("theirs", somebody);
    const auto user = *user_for(theirs + "/x");
    const auto root = *user_for(folder.path("x"));
    const auto make = [&](const std::string& name) {
        std::ofstream(theirs + "/" + name) << "x";
        return owner_of(theirs + "/" + name);
    };
    const ActingAs acting(user);
    {
        const ActingAs within(root);
        EXPECT_EQ(make("a"), 0U);
    }
    EXPECT_EQ(make("b"), somebody);
    uid_t started = 0;
    std::thread([&] { started = make("c"); }).join();
    EXPECT_EQ(started, somebody);
}

TEST_F(FileUserTest, AFileThatTheOwnerMayNotReadIsNamed) {
    const auto theirs = make_folder("theirs", somebody);
    std::ofstream(theirs + "/copy.db") << "x";
    fs::permissions(theirs + "/copy.db", fs::perms(0600));
    EXPECT_THAT(user_for(theirs + "/copy.db").error(), HasSubstr("chown 64321 " + theirs + "/copy.db"));
    give(theirs + "/copy.db", somebody);
    EXPECT_EQ(user_of(theirs + "/copy.db"), somebody);
    fs::permissions(folder.path(""), fs::perms(0700));
    EXPECT_THAT(user_for(theirs + "/new.db").error(), HasSubstr("may not reach or read it"));
}

}  // namespace
}  // namespace gateway::test
