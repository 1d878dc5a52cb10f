#include "journal/lock_holder.hpp"

#include "journal/sqlite.hpp"
#include "unit/support/sqlite_sleep.hpp"
#include "unit/support/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace gateway::test {
namespace {

using namespace testing;

// Another process that has some bytes of a file locked, as SQLite locks them, for as long as the object lives.
class Locking {
  public:
    Locking(const std::string& path, short type, off_t start, off_t length) {
        int told[2] = {-1, -1};
        EXPECT_EQ(::pipe(told), 0);
        process = ::fork();
        if (process == 0) {
            struct flock lock {};
            lock.l_type = type;
            lock.l_whence = SEEK_SET;
            lock.l_start = start;
            lock.l_len = length;
            const int file = ::open(path.c_str(), O_RDWR);
            const char done = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
            (void)!::write(told[1], &done, 1);
            while (true)
                ::pause();
        }
        char done = 'n';
        EXPECT_EQ(::read(told[0], &done, 1), 1);
        EXPECT_EQ(done, 'y');
        for (const int end : told)
            ::close(end);
    }
    Locking(const Locking&) = delete;
    Locking& operator=(const Locking&) = delete;
    ~Locking() {
        ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, 0);
    }

    pid_t process = -1;
};

class LockHolder : public Test {
  protected:
    LockHolder() { EXPECT_TRUE(database.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a)").has_value()); }

    std::string who() const { return locked_by_another(path).message(); }
    static std::string own_name() {
        std::string name;
        std::getline(std::ifstream("/proc/self/comm"), name);
        return name;
    }

    const SqliteSleep sleep;
    TemporaryFolder folder;
    std::string path = folder.path("t.db");
    sqlite::Database database = *sqlite::Database::open(path, nullptr);
};

TEST_F(LockHolder, IsNamedWithItsProcessWhateverItDoes) {
    const auto named = [&](const Locking& other) {
        return fmt::format("another program has the journal locked ({}, process {}): let it finish, or close it",
                           own_name(), other.process);
    };
    {
        const Locking writes(path + "-shm", F_WRLCK, 120, 1);
        EXPECT_EQ(who(), named(writes));
        EXPECT_TRUE(sqlite::is_busy(database.run("BEGIN IMMEDIATE").error())) << "SQLite's lock is on these bytes";
        EXPECT_EQ(database.message(), named(writes));
    }
    {
        const Locking recovers(path + "-shm", F_WRLCK, 122, 1);
        EXPECT_EQ(who(), named(recovers));
    }
    {
        database = *sqlite::Database::open(path, nullptr);
        EXPECT_TRUE(database.run("SELECT 1").has_value());
        const Locking has_it_alone(path, F_WRLCK, 0x40000000, 512);
        EXPECT_EQ(database.run("SELECT * FROM t").error().value(), SQLITE_BUSY);
        EXPECT_EQ(who(), named(has_it_alone));
    }
}

TEST_F(LockHolder, IsNobodyThatReads) {
    const Locking reads(path + "-shm", F_RDLCK, 120, 8);
    EXPECT_EQ(who(), "another program has the journal locked: let it finish, or close it");
}

TEST_F(LockHolder, ThatIsGoneKeepsItsNumberAndThatCannotBeToldHasNone) {
    boost::system::error_code locked;
    {
        const Locking writes(path + "-shm", F_WRLCK, 120, 1);
        locked = locked_by_another(path);
        EXPECT_THAT(locked.message(), HasSubstr(own_name() + ", process"));
    }
    EXPECT_THAT(locked.message(), HasSubstr(" (process "));
    EXPECT_TRUE(locked.failed());
    EXPECT_TRUE(locked_by_another(path).failed()) << "whoever it was";
    EXPECT_TRUE(locked_by_another("/nowhere/at/all").failed());
}

TEST_F(LockHolder, IsAskedForWithoutLettingGoOfALockOfOnesOwn) {
    ASSERT_TRUE(database.run("BEGIN IMMEDIATE").has_value());
    (void)locked_by_another(path);
    const auto child = ::fork();
    if (child == 0) {
        const auto other = locked_by_another(path);  // by the descriptors that it has from its parent
        ::_exit(other.value() == ::getppid() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gateway::test
