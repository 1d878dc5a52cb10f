#include "journal/writer.hpp"

#include "unit/support/counting_vfs.hpp"
#include "unit/support/sqlite_sleep.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>

namespace gateway::test {
namespace {

using Access = Writer::Access;

class WriterTest : public testing::TestWithParam<Durability> {
  protected:
    WriterTest() {
        auto database = *sqlite::Database::open(folder.path("t.db"), nullptr);
        EXPECT_TRUE(database.run("PRAGMA journal_mode=WAL; CREATE TABLE t (a INTEGER UNIQUE)").has_value());
        writer = std::make_unique<Writer>(io.get_executor(), std::move(database), GetParam(), clock);
        insert = sqlite::Statement(writer->database(), "INSERT INTO t VALUES (?)");
    }
    // The statement belongs to the writer's thread until that has ended.
    ~WriterTest() override { writer.reset(); }

    boost::asio::awaitable<void> write(int number, std::vector<Result<void>>& results) {
        auto work = [this, number]() -> Result<void> { return insert.run(number); };
        results.push_back(co_await writer->run<void>(Access::write, std::move(work)));
        if (results.size() == expected) io.stop();
    }
    void run() {
        auto guard = boost::asio::make_work_guard(io);
        io.restart();
        io.run();
    }
    std::int64_t rows() {
        return sqlite::Database::open(folder.path("t.db"), nullptr)->number("SELECT count(*) FROM t").value();
    }

    const SqliteSleep sleep;
    TemporaryFolder folder;
    boost::asio::io_context io;
    VirtualClock clock{io};
    std::unique_ptr<Writer> writer;
    sqlite::Statement insert;
    std::size_t expected = 0;
};

TEST_P(WriterTest, AResultIsGivenOnlyWhenTheRowIsInTheFile) {
    std::vector<Result<void>> results;
    expected = 1;
    boost::asio::co_spawn(io, write(1, results), boost::asio::detached);
    run();
    EXPECT_TRUE(results.at(0).has_value());
    EXPECT_EQ(rows(), 1);
}

TEST_P(WriterTest, JobsThatWaitTogetherShareACommit) {
    std::vector<Result<void>> results;
    expected = 100;
    for (int i = 0; i < 100; ++i)
        boost::asio::co_spawn(io, write(i, results), boost::asio::detached);
    run();
    EXPECT_EQ(rows(), 100);
    EXPECT_EQ(writer->stats().steps, 100u);
    EXPECT_LT(writer->stats().commits, 100u);
}

// Thousands, as where a provider that hung answers all of them at once.
TEST_P(WriterTest, JobsThatAreTooManyForOneCommitShareSeveral) {
    constexpr int many = 3'000;
    std::vector<Result<void>> results;
    expected = many;
    std::promise<void> all_wait;
    const auto first = [&]() -> boost::asio::awaitable<void> {
        auto work = [&]() -> Result<void> {
            all_wait.get_future().wait();
            return {};
        };
        (void)co_await writer->run<void>(Access::read, std::move(work));
    };
    if (GetParam() == Durability::threaded) boost::asio::co_spawn(io, first(), boost::asio::detached);
    for (int i = 0; i < many; ++i)
        boost::asio::co_spawn(io, write(i, results), boost::asio::detached);
    boost::asio::post(io, [&] { all_wait.set_value(); });
    run();
    EXPECT_EQ(rows(), many);
    EXPECT_GE(writer->stats().commits, GetParam() == Durability::threaded ? 3u : 1u);
}

TEST_P(WriterTest, AFailureOfSqliteFailsTheWholeCommitAndKeepsNothingOfIt) {
    std::vector<Result<void>> results;
    expected = 1;
    auto both = [this]() -> Result<void> {
        if (auto first = insert.run(1); first.has_error()) return first;
        return insert.run(1);
    };
    const auto one = [&]() -> boost::asio::awaitable<void> {
        results.push_back(co_await writer->run<void>(Access::write, both));
        io.stop();
    };
    boost::asio::co_spawn(io, one(), boost::asio::detached);
    run();
    EXPECT_TRUE(results.at(0).has_error());
    EXPECT_EQ(rows(), 0);
    EXPECT_FALSE(writer->healthy());
    EXPECT_EQ(writer->stats().failures, 1u);
    boost::asio::co_spawn(io, write(2, results), boost::asio::detached);
    expected = 2;
    run();
    EXPECT_TRUE(results.at(1).has_value());
    EXPECT_TRUE(writer->healthy());
}

// The disk may be as full as it was: a key that is known is answered without a write.
TEST_P(WriterTest, AJobThatWroteNothingSaysNothingOfWhatCanBeWritten) {
    std::vector<Result<void>> results;
    const auto perform = [&](const char* sql) {
        const auto one = [&]() -> boost::asio::awaitable<void> {
            auto work = [this, sql] { return writer->database().run(sql); };
            results.push_back(co_await writer->run<void>(Access::write, std::move(work)));
            io.stop();
        };
        boost::asio::co_spawn(io, one(), boost::asio::detached);
        run();
        return results.back();
    };
    ASSERT_TRUE(perform("CREATE TABLE u (b); INSERT INTO u VALUES (1); INSERT INTO t VALUES (1)").has_value());
    const auto failed = perform("INSERT INTO t VALUES (1)");
    ASSERT_TRUE(failed.has_error());
    for (const char* nothing : {"SELECT * FROM t", "INSERT OR IGNORE INTO t VALUES (1)", "UPDATE u SET b = b"}) {
        EXPECT_TRUE(perform(nothing).has_value());
        EXPECT_FALSE(writer->healthy()) << nothing;
        EXPECT_EQ(writer->stats().failure, failed.error()) << nothing;
    }
    EXPECT_TRUE(perform("INSERT INTO t VALUES (2)").has_value());
    EXPECT_TRUE(writer->healthy());
    EXPECT_FALSE(writer->stats().failure);
}

TEST_P(WriterTest, NothingIsWrittenToAFileThatLostItsName) {
    std::vector<Result<void>> results;
    const auto try_to_write = [&](int number) {
        expected = results.size() + 1;
        boost::asio::co_spawn(io, write(number, results), boost::asio::detached);
        run();
        return results.back();
    };
    std::filesystem::rename(folder.path("t.db"), folder.path("elsewhere.db"));
    EXPECT_TRUE(try_to_write(1).has_error());
    EXPECT_TRUE(writer->moved());
    EXPECT_FALSE(writer->healthy());
    std::filesystem::rename(folder.path("elsewhere.db"), folder.path("t.db"));
    EXPECT_TRUE(try_to_write(2).has_value());
    EXPECT_FALSE(writer->moved());
    EXPECT_TRUE(writer->healthy());
    EXPECT_EQ(rows(), 1);
}

// Another program that has the database locked from when it is made until it is let go.
class Another {
  public:
    explicit Another(const std::string& path) : database_(*sqlite::Database::open(path, nullptr)) {
        EXPECT_TRUE(database_.run("BEGIN IMMEDIATE").has_value());
    }
    void let_go() {
        if (!database_.in_transaction()) return;
        EXPECT_TRUE(database_.run("ROLLBACK").has_value());
    }

  private:
    sqlite::Database database_;
};

TEST_P(WriterTest, AnotherProgramThatIsDoneSoonDelaysACommitAndNoMore) {
    using namespace std::chrono_literals;
    Another other(folder.path("t.db"));
    SqliteSleep::meanwhile = [&] {
        if (SqliteSleep::slept >= 1'900ms) other.let_go();
    };
    std::vector<Result<void>> results;
    expected = 1;
    boost::asio::co_spawn(io, write(1, results), boost::asio::detached);
    run();
    EXPECT_TRUE(results.at(0).has_value());
    EXPECT_TRUE(writer->healthy());
    EXPECT_EQ(writer->stats().failures, 0u);
    EXPECT_EQ(writer->stats().waits, 1u);
    EXPECT_EQ(writer->stats().long_waits, 1u);
}

TEST_P(WriterTest, AnotherProgramThatKeepsItsLockFailsWhatWritesAndSaysSo) {
    using namespace std::chrono_literals;
    Another other(folder.path("t.db"));
    std::vector<Result<void>> results;
    expected = 3;
    std::int64_t read = 0;
    auto count = [this]() -> Result<void> { return writer->database().run("SELECT * FROM t"); };
    const auto look = [&]() -> boost::asio::awaitable<void> {
        read += (co_await writer->run<void>(Access::read, count)).has_value() ? 1 : 0;
    };
    for (const auto number : {1, 2, 3}) {
        boost::asio::co_spawn(io, look(), boost::asio::detached);
        boost::asio::co_spawn(io, write(number, results), boost::asio::detached);
    }
    run();
    for (const auto& result : results)
        EXPECT_EQ(result.error().message(), "another program has the journal locked: let it finish, or close it");
    EXPECT_EQ(read, 3) << "nobody's lock keeps anybody from reading";
    EXPECT_FALSE(writer->healthy());
    EXPECT_EQ(writer->stats().failure, results.front().error());
    EXPECT_TRUE(writer->stats().locked);
    EXPECT_EQ(SqliteSleep::slept, 2s * writer->stats().failures) << "so long for a commit, however many wait for it";
    other.let_go();
    boost::asio::co_spawn(io, write(4, results), boost::asio::detached);
    expected = 4;
    run();
    EXPECT_TRUE(results.at(3).has_value());
    EXPECT_TRUE(writer->healthy());
    EXPECT_FALSE(writer->stats().failure);
    EXPECT_FALSE(writer->stats().locked);
}

TEST_P(WriterTest, AJobThatWouldRatherFailWaitsForNobody) {
    using namespace std::chrono_literals;
    Another other(folder.path("t.db"));
    bool waited = false;
    auto checkpoint = [&]() -> Result<void> {
        writer->wait_no_longer();
        return writer->database().run("PRAGMA wal_checkpoint(TRUNCATE)");
    };
    const auto one = [&]() -> boost::asio::awaitable<void> {
        (void)co_await writer->run<void>(Access::read, checkpoint);
        waited = SqliteSleep::slept > 0ms;
        io.stop();
    };
    boost::asio::co_spawn(io, one(), boost::asio::detached);
    run();
    EXPECT_FALSE(waited);
}

TEST_P(WriterTest, AFileThatLosesItsNameWhileItsLockIsWaitedForIsNotWritten) {
    Another other(folder.path("t.db"));
    SqliteSleep::meanwhile = [&] {
        if (std::filesystem::exists(folder.path("t.db")))
            std::filesystem::rename(folder.path("t.db"), folder.path("elsewhere.db"));
        other.let_go();
    };
    std::vector<Result<void>> results;
    expected = 1;
    boost::asio::co_spawn(io, write(1, results), boost::asio::detached);
    run();
    EXPECT_TRUE(results.at(0).has_error());
    EXPECT_TRUE(writer->moved());
}

TEST_P(WriterTest, AnErrorOfTheJobsOwnFailsNobodyElse) {
    std::vector<Result<void>> results;
    auto refusing = []() -> Result<void> { return errc::not_found; };
    const auto one = [&]() -> boost::asio::awaitable<void> {
        const auto refused = co_await writer->run<void>(Access::write, refusing);
        EXPECT_EQ(refused.error(), errc::not_found);
    };
    expected = 1;
    boost::asio::co_spawn(io, one(), boost::asio::detached);
    boost::asio::co_spawn(io, write(5, results), boost::asio::detached);
    run();
    EXPECT_EQ(rows(), 1);
    EXPECT_TRUE(writer->healthy());
}

TEST_P(WriterTest, WhatStillWaitsWhenTheContextDiesIsDestroyedCleanly) {
    std::vector<Result<void>> results;
    expected = 1000;
    for (int i = 0; i < 10; ++i)
        boost::asio::co_spawn(io, write(i, results), boost::asio::detached);
    io.restart();
    io.poll_one();
    writer.reset();
    EXPECT_LT(results.size(), expected);
}

// One whose log may find no room, or whose flushes may fail.
class WriterOnABadDisk : public testing::Test {
  protected:
    WriterOnABadDisk() {
        auto database = *sqlite::Database::open(path, CountingVfs::name);
        EXPECT_TRUE(
            database.run("PRAGMA journal_mode=WAL; CREATE TABLE t (n INTEGER PRIMARY KEY, a TEXT)").has_value());
        writer = std::make_unique<Writer>(io.get_executor(), std::move(database), Durability::inline_, clock,
                                          std::vector<Writer::SidecarFile>(), log_bytes);
    }

    bool insert(int bytes) {
        const auto sql = fmt::format("INSERT INTO t (a) VALUES (hex(randomblob({})))", bytes / 2);
        std::optional<Result<void>> result;
        const auto one = [&]() -> boost::asio::awaitable<void> {
            auto work = [&] { return writer->database().run(sql.c_str()); };
            result.emplace(co_await writer->run<void>(Access::write, work));
        };
        boost::asio::co_spawn(io, one(), boost::asio::detached);
        io.restart();
        io.run();
        return result->has_value();
    }
    // What the next start finds with this log.
    std::int64_t rows_found(const std::string& log) const {
        const TemporaryFolder left;
        std::ofstream(left.path("t.db"), std::ios::binary) << contents_of(path);
        std::ofstream(left.path("t.db-wal"), std::ios::binary) << log;
        return sqlite::Database::open(left.path("t.db"), nullptr)->number("SELECT count(*) FROM t").value();
    }
    std::int64_t after_a_kill() const { return rows_found(contents_of(path + "-wal")); }
    std::int64_t after_a_power_cut() const { return rows_found(counted.on_disk); }

    static constexpr std::int64_t log_bytes = 262'144;
    const CountingVfs vfs;
    CountedWrites& counted = CountingVfs::counted;
    TemporaryFolder folder;
    std::string path = folder.path("t.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    std::unique_ptr<Writer> writer;
};

TEST_F(WriterOnABadDisk, ACommitThatFailedForWantOfRoomIsNotFoundDone) {
    bool met = false;
    for (int room = 0; room < 9'000; room += 512) {
        ASSERT_TRUE(insert(10));
        const auto kept = after_a_kill();
        // The log ends where the last commit does, so that each end of the room is met by some part of the next one.
        ASSERT_TRUE(sqlite::Database::open(path, nullptr)->run("PRAGMA wal_checkpoint(TRUNCATE)"));
        counted.room = 32 + room;
        const bool done = insert(10);
        met = met || !done;
        EXPECT_EQ(after_a_kill(), kept + (done ? 1 : 0)) << room;
        counted.room.reset();
    }
    EXPECT_TRUE(met);
}

TEST_F(WriterOnABadDisk, ACommitWhoseFlushFailedIsNotFoundDone) {
    ASSERT_TRUE(insert(10));
    counted.fails_in = 1;
    for (int nth = 1; nth < 12; ++nth) {
        const auto kept = after_a_kill();
        counted.fails_in = nth;
        const bool done = insert(5'000);
        counted.fails_in = 0;
        EXPECT_EQ(after_a_kill(), kept + (done ? 1 : 0)) << nth;
        EXPECT_EQ(after_a_power_cut(), kept + (done ? 1 : 0)) << nth;
    }
}

TEST_F(WriterOnABadDisk, ACommitWhoseFlushFailedIsNotFoundDoneWhereFurtherOnesFail) {
    ASSERT_TRUE(insert(10));
    const auto kept = after_a_kill();
    counted.flush_fails = true;
    for (int i = 0; i < 3; ++i) {
        ASSERT_FALSE(insert(5'000));
        EXPECT_EQ(after_a_kill(), kept) << i;
    }
    counted.flush_fails = false;
    EXPECT_TRUE(insert(10));
    EXPECT_EQ(after_a_power_cut(), kept + 1);
}

// The padding of a commit is written after its flush, and later commits stand on it.
TEST_F(WriterOnABadDisk, WhatAFlushThatFailedHasForgottenIsMissingFromNoLaterCommit) {
    int kept = 0;
    for (int i = 0; i < 90; ++i) {
        counted.flush_fails = i % 3 == 1;
        const bool done = insert(20 + 37 * i);
        counted.flush_fails = false;
        ASSERT_EQ(done, i % 3 != 1);
        if (done) ++kept;
        if (!done) continue;
        ASSERT_EQ(after_a_power_cut(), kept) << i;
        ASSERT_EQ(after_a_kill(), kept) << i;
    }
    EXPECT_EQ(kept, 60);
}

TEST_F(WriterOnABadDisk, AnEndRightAfterAFlushThatFailedLeavesNoDurableLog) {
    ASSERT_TRUE(insert(10));
    counted.flush_fails = true;
    ASSERT_FALSE(insert(10));
    counted.flush_fails = false;
    EXPECT_FALSE(writer->end());
}

TEST_F(WriterOnABadDisk, AnEndLeavesADurableLogOnceItWasWrittenAgain) {
    ASSERT_TRUE(insert(10));
    counted.flush_fails = true;
    ASSERT_FALSE(insert(10));
    counted.flush_fails = false;
    ASSERT_TRUE(insert(10));
    EXPECT_TRUE(writer->end());
}

TEST_F(WriterOnABadDisk, ALogThatAnotherProgramHasCutGrowsAgain) {
    const auto length = [&] { return std::filesystem::file_size(path + "-wal"); };
    ASSERT_TRUE(insert(10));
    EXPECT_GE(length(), static_cast<std::uintmax_t>(log_bytes));
    ASSERT_TRUE(sqlite::Database::open(path, nullptr)->run("PRAGMA wal_checkpoint(TRUNCATE)"));
    EXPECT_EQ(length(), 0U);
    ASSERT_TRUE(insert(10));
    EXPECT_GE(length(), static_cast<std::uintmax_t>(log_bytes));
    EXPECT_EQ(after_a_power_cut(), 2);
}

TEST_F(WriterOnABadDisk, CountsItsCommitsAndHowLongTheyTook) {
    const auto commits = [&] { return writer->stats().flush_times.value().count(); };
    const auto before = commits();
    ASSERT_TRUE(insert(10));
    ASSERT_TRUE(insert(10));
    EXPECT_EQ(commits(), before + 2);
    counted.flush_fails = true;
    EXPECT_FALSE(insert(10));
    EXPECT_EQ(commits(), before + 2) << "one that failed";
}

INSTANTIATE_TEST_SUITE_P(Both, WriterTest, testing::Values(Durability::threaded, Durability::inline_),
                         [](const auto& which) { return which.param == Durability::threaded ? "Threaded" : "Inline"; });

}  // namespace
}  // namespace gateway::test
