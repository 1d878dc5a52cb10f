#include "journal/sqlite/lock_holder.hpp"

#include "journal/sqlite/database.hpp"
#include "unit/support/locking_process.hpp"
#include "unit/support/sqlite_sleep.hpp"
#include "unit/support/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

namespace gateway::test {
namespace {

using namespace testing;

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
    const auto named = [&](const LockingProcess& other) {
        return fmt::format("another program has the journal locked ({}, process {}): let it finish, or close it",
                           own_name(), other.process);
    };
    {
        const LockingProcess writes(path + "-shm", F_WRLCK, 120, 1);
        EXPECT_EQ(who(), named(writes));
        EXPECT_TRUE(sqlite::is_busy(database.run("BEGIN IMMEDIATE").error())) << "SQLite's lock is on these bytes";
        EXPECT_EQ(database.message(), named(writes));
    }
    {
        const LockingProcess recovers(path + "-shm", F_WRLCK, 122, 1);
        EXPECT_EQ(who(), named(recovers));
    }
    {
        database = *sqlite::Database::open(path, nullptr);
        EXPECT_TRUE(database.run("SELECT 1").has_value());
        const LockingProcess has_it_alone(path, F_WRLCK, 0x40000000, 512);
        EXPECT_EQ(database.run("SELECT * FROM t").error().value(), SQLITE_BUSY);
        EXPECT_EQ(who(), named(has_it_alone));
    }
}

TEST_F(LockHolder, IsNobodyThatReads) {
    const LockingProcess reads(path + "-shm", F_RDLCK, 120, 8);
    EXPECT_EQ(who(), "another program has the journal locked: let it finish, or close it");
}

TEST_F(LockHolder, IsNamedWhereItReads) {
    EXPECT_EQ(read_by_another(path), std::nullopt);
    for (const off_t mark : {123, 124, 127}) {
        const LockingProcess reads(path + "-shm", F_RDLCK, mark, 1);
        const auto reader = read_by_another(path);
        ASSERT_TRUE(reader) << mark;
        EXPECT_THAT(reader->message(), StartsWith(fmt::format("another program reads the journal ({}, process {}): let",
                                                              own_name(), reads.process)));
    }
    EXPECT_EQ(read_by_another(path), std::nullopt);
    EXPECT_EQ(read_by_another("/nowhere/at/all"), std::nullopt);
}

TEST_F(LockHolder, IsToldWhereItHasTheJournalOpenByAnotherName) {
    const auto name = folder.path("journal.db");
    std::ofstream(name) << "x";
    const LockingProcess has_it_open(name, F_RDLCK, 0x40000002, 510);
    EXPECT_EQ(open_by_another_name(name), std::nullopt) << "one name: the lock file keeps other gateways away";
    const auto other_name = folder.path("other.db");
    ASSERT_EQ(::link(name.c_str(), other_name.c_str()), 0);
    const auto other = open_by_another_name(other_name);
    ASSERT_TRUE(other);
    EXPECT_THAT(other->message(),
                StartsWith(fmt::format("another program has the journal open, and the journal has several names (hard "
                                       "links) ({}, process {}): end it",
                                       own_name(), has_it_open.process)));
    EXPECT_EQ(open_by_another_name(path), std::nullopt);
}

TEST_F(LockHolder, ThatIsGoneKeepsItsNumberAndThatCannotBeToldHasNone) {
    boost::system::error_code locked;
    {
        const LockingProcess writes(path + "-shm", F_WRLCK, 120, 1);
        locked = locked_by_another(path);
        EXPECT_THAT(locked.message(), HasSubstr(own_name() + ", process"));
    }
    EXPECT_THAT(locked.message(), HasSubstr(" (process "));
    EXPECT_TRUE(locked.failed());
    EXPECT_TRUE(locked_by_another(path).failed()) << "no matter who it was";
    EXPECT_TRUE(locked_by_another("/nowhere/at/all").failed());
}

TEST_F(LockHolder, IsAskedForWithoutLettingGoOfALockOfOnesOwn) {
    ASSERT_TRUE(database.run("BEGIN IMMEDIATE").has_value());
    (void)locked_by_another(path);
    const auto child = ::fork();
    if (child == 0) {
        const auto other = locked_by_another(path);  // it has these descriptors from its parent
        ::_exit(other.value() == ::getppid() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gateway::test
