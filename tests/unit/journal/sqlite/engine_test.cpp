#include "journal/sqlite/engine.hpp"

#include "journal/writer.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/sqlite_sleep.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gateway::test {
namespace {

using Access = Writer::Access;
using Work = std::function<Job<void>(Transaction&)>;

constexpr gateway::Statement insert_number{"insert_number", "INSERT INTO t VALUES (?1)", 0};

// Makes a job that runs SQL on the engine's database.
Work sql_of(sqlite::Engine& engine, const std::string& sql) {
    return [&engine, sql](Transaction&) -> Job<void> {
        if (const auto ran = engine.database().run(sql.c_str()); ran.has_error()) throw JobFailed(ran.error());
        co_return;
    };
}

// This is an engine on a database of one table, and jobs for it.
class EngineRig : public testing::Test {
  protected:
    void begin(const char* vfs, const std::string& columns, Durability durability, std::int64_t log_bytes = 0) {
        auto database = *sqlite::Database::open(path, vfs);
        const auto made = database.run(("PRAGMA journal_mode=WAL; CREATE TABLE t (" + columns + ")").c_str());
        EXPECT_TRUE(made.has_value());
        engine = std::make_unique<sqlite::Engine>(std::move(database), clock,
                                                  std::vector<sqlite::Engine::SidecarFile>(), log_bytes);
        writer = std::make_unique<Writer>(io.get_executor(), *engine, durability);
    }
    // Ends the engine before its VFS is gone.
    void end() {
        writer.reset();
        engine.reset();
    }

    // Hands over a job, which is under way until go_on() has returned.
    void hand_over(Access access, Work work) {
        ++under_way;
        boost::asio::co_spawn(io, wait_for(access, std::move(work)), boost::asio::detached);
    }
    // Waits until every job has ended, and returns how the last one to end did.
    Result<void> go_on() {
        auto guard = boost::asio::make_work_guard(io);
        io.restart();
        io.run();
        return results.back();
    }
    Result<void> perform(Access access, Work work) {
        hand_over(access, std::move(work));
        return go_on();
    }
    Result<void> perform(Access access, const std::string& sql) { return perform(access, sql_of(*engine, sql)); }
    static std::int64_t rows_in(const std::string& file) {
        return sqlite::Database::open(file, nullptr)->number("SELECT count(*) FROM t").value();
    }

    TemporaryFolder folder;
    std::string path = folder.path("t.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    std::unique_ptr<sqlite::Engine> engine;
    std::unique_ptr<Writer> writer;
    std::size_t under_way = 0;
    std::vector<Result<void>> results;

  private:
    boost::asio::awaitable<void> wait_for(Access access, Work work) {
        results.push_back(co_await writer->commit(access, work));
        if (--under_way == 0) io.stop();
    }
};

class SqliteEngineTest : public EngineRig, public testing::WithParamInterface<Durability> {
  protected:
    SqliteEngineTest() { begin(nullptr, "a INTEGER UNIQUE", GetParam()); }
    ~SqliteEngineTest() override { end(); }

    void write(int number) {
        hand_over(Access::write, [number](Transaction& tx) -> Job<void> {
            tx.run(insert_number, number);
            co_return;
        });
    }
    Result<void> try_to_write(int number) {
        write(number);
        return go_on();
    }
    std::int64_t rows() const { return rows_in(path); }

    const SqliteSleep sleep;
};

TEST_P(SqliteEngineTest, AResultIsGivenOnlyWhenTheRowIsInTheFile) {
    EXPECT_TRUE(try_to_write(1).has_value());
    EXPECT_EQ(rows(), 1);
}

TEST_P(SqliteEngineTest, AFailureOfSqliteFailsTheWholeCommitAndKeepsNothingOfIt) {
    const Work both = [](Transaction& tx) -> Job<void> {
        tx.run(insert_number, 1);
        tx.run(insert_number, 1);
        co_return;
    };
    EXPECT_TRUE(perform(Access::write, both).has_error());
    EXPECT_EQ(rows(), 0);
    EXPECT_FALSE(engine->healthy());
    EXPECT_EQ(engine->stats().failures, 1u);
    EXPECT_TRUE(try_to_write(2).has_value());
    EXPECT_TRUE(engine->healthy());
}

// A person looks at a sale while another sale finds the disk full.
TEST_P(SqliteEngineTest, AJobThatOnlyReadsSucceedsInABatchWhoseWriteFailed) {
    ASSERT_TRUE(try_to_write(1).has_value());
    std::int64_t seen = 0;
    hand_over(Access::read, [&](Transaction&) -> Job<void> {
        seen = engine->database().number("SELECT sum(a) FROM t").value();
        co_return;
    });
    write(2);
    write(1);
    go_on();
    EXPECT_TRUE(results[1].has_value());
    EXPECT_TRUE(results[2].has_error() && results[3].has_error());
    EXPECT_EQ(seen, 1) << "nothing is read of what was rolled back";
}

TEST_P(SqliteEngineTest, AJobThatCannotReadFailsNobodyElse) {
    const Work meets_damage = [](Transaction&) -> Job<void> {
        throw JobFailed({SQLITE_CORRUPT, sqlite::category()});
        co_return;
    };
    const Work reads = [](Transaction&) -> Job<void> { co_return; };
    hand_over(Access::read, meets_damage);
    write(1);
    EXPECT_TRUE(go_on().has_value());
    EXPECT_TRUE(results.front().has_error());
    EXPECT_TRUE(engine->healthy());
    EXPECT_TRUE(engine->damaged());
    EXPECT_EQ(rows(), 1);
    results.clear();
    hand_over(Access::read, meets_damage);
    hand_over(Access::read, reads);
    EXPECT_TRUE(go_on().has_value());
    EXPECT_TRUE(results.front().has_error());
}

// The disk may still be full: a known key is answered without a write.
TEST_P(SqliteEngineTest, AJobThatWroteNothingSaysNothingOfWhatCanBeWritten) {
    ASSERT_TRUE(
        perform(Access::write, "CREATE TABLE u (b); INSERT INTO u VALUES (1); INSERT INTO t VALUES (1)").has_value());
    const auto failed = perform(Access::write, "INSERT INTO t VALUES (1)");
    ASSERT_TRUE(failed.has_error());
    for (const char* nothing : {"SELECT * FROM t", "INSERT OR IGNORE INTO t VALUES (1)", "UPDATE u SET b = b"}) {
        EXPECT_TRUE(perform(Access::write, nothing).has_value());
        EXPECT_FALSE(engine->healthy()) << nothing;
        EXPECT_EQ(engine->stats().failure, failed.error()) << nothing;
    }
    EXPECT_TRUE(perform(Access::write, "INSERT INTO t VALUES (2)").has_value());
    EXPECT_TRUE(engine->healthy());
    EXPECT_FALSE(engine->stats().failure);
    EXPECT_EQ(engine->stats().last_failure, failed.error());
}

// A start that found no room to begin the log anew leaves the engine in this state.
TEST_P(SqliteEngineTest, WhereTheLastCommitIsExposedNothingIsWrittenUntilTheLogIsBegunAnew) {
    using namespace std::chrono_literals;
    ASSERT_TRUE(perform(Access::write, "INSERT INTO t VALUES (1)").has_value());
    ASSERT_TRUE(engine->database().run("PRAGMA query_only = ON").has_value());
    bool is_written = false;
    engine->protect_last_commit({SQLITE_FULL, sqlite::category()}, [&] { is_written = true; });
    EXPECT_FALSE(engine->healthy());
    EXPECT_TRUE(engine->stats().failure);
    // This reader reads a log whose pages were not moved yet.
    auto reader = *sqlite::Database::open(path, nullptr);
    ASSERT_TRUE(reader.run("PRAGMA wal_autocheckpoint = 0; UPDATE t SET a = 3; BEGIN; SELECT * FROM t").has_value());
    EXPECT_TRUE(perform(Access::write, "INSERT INTO t VALUES (2)").has_error());
    EXPECT_TRUE(perform(Access::read, "SELECT * FROM t").has_value());
    EXPECT_TRUE(perform(Access::write, "SELECT * FROM t").has_value()) << "a key that is known";
    EXPECT_TRUE(perform(Access::read, "INSERT INTO t VALUES (2)").has_error()) << "the mark of what cannot be read";
    EXPECT_EQ(rows(), 1);
    EXPECT_FALSE(is_written);
    ASSERT_TRUE(reader.run("ROLLBACK").has_value());
    clock.advance(1s);
    EXPECT_TRUE(perform(Access::write, "INSERT INTO t VALUES (2)").has_value());
    EXPECT_TRUE(is_written && engine->healthy());
    EXPECT_EQ(rows(), 2);
}

TEST_P(SqliteEngineTest, NothingIsWrittenToAFileThatLostItsName) {
    std::filesystem::rename(path, folder.path("elsewhere.db"));
    EXPECT_TRUE(try_to_write(1).has_error());
    EXPECT_TRUE(engine->moved());
    EXPECT_FALSE(engine->healthy());
    std::filesystem::rename(folder.path("elsewhere.db"), path);
    EXPECT_TRUE(try_to_write(2).has_value());
    EXPECT_FALSE(engine->moved());
    EXPECT_TRUE(engine->healthy());
    EXPECT_EQ(rows(), 1);
}

// Another program that has the database locked, from the making of the object until it lets go.
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

TEST_P(SqliteEngineTest, AnotherProgramThatIsDoneSoonDelaysACommitAndNoMore) {
    using namespace std::chrono_literals;
    Another other(path);
    SqliteSleep::meanwhile = [&] {
        if (SqliteSleep::slept >= 1'900ms) other.let_go();
    };
    EXPECT_TRUE(try_to_write(1).has_value());
    EXPECT_TRUE(engine->healthy());
    EXPECT_EQ(engine->stats().failures, 0u);
    EXPECT_EQ(engine->stats().waits, 1u);
    EXPECT_EQ(engine->stats().long_waits, 1u);
}

TEST_P(SqliteEngineTest, AnotherProgramThatKeepsItsLockFailsWhatWritesAndSaysSo) {
    using namespace std::chrono_literals;
    Another other(path);
    for (const auto number : {1, 2, 3}) {
        hand_over(Access::read, sql_of(*engine, "SELECT * FROM t"));
        write(number);
    }
    (void)go_on();
    std::int64_t read = 0;
    for (const auto& result : results) {
        if (result.has_value() && ++read > 0) continue;
        EXPECT_EQ(result.error().message(), "another program has the journal locked: let it finish, or close it");
        EXPECT_EQ(engine->stats().failure, result.error());
    }
    EXPECT_EQ(read, 3) << "nobody's lock keeps anybody from reading";
    EXPECT_FALSE(engine->healthy());
    EXPECT_TRUE(engine->stats().locked);
    EXPECT_EQ(SqliteSleep::slept, 2s * engine->stats().failures) << "so long for a commit, however many wait for it";
    other.let_go();
    EXPECT_TRUE(try_to_write(4).has_value());
    EXPECT_TRUE(engine->healthy());
    EXPECT_FALSE(engine->stats().failure);
    EXPECT_FALSE(engine->stats().locked);
}

TEST_P(SqliteEngineTest, AJobThatWouldRatherFailWaitsForNobody) {
    using namespace std::chrono_literals;
    Another other(path);
    const Work checkpoint = [&](Transaction&) -> Job<void> {
        engine->wait_no_longer();
        (void)engine->database().run("PRAGMA wal_checkpoint(TRUNCATE)");
        co_return;
    };
    (void)perform(Access::read, checkpoint);
    EXPECT_EQ(SqliteSleep::slept, 0ms);
}

TEST_P(SqliteEngineTest, AFileThatLosesItsNameWhileItsLockIsWaitedForIsNotWritten) {
    Another other(path);
    SqliteSleep::meanwhile = [&] {
        if (std::filesystem::exists(path)) std::filesystem::rename(path, folder.path("elsewhere.db"));
        other.let_go();
    };
    EXPECT_TRUE(try_to_write(1).has_error());
    EXPECT_TRUE(engine->moved());
}

TEST_P(SqliteEngineTest, AnErrorOfTheJobsOwnFailsNobodyElse) {
    hand_over(Access::write, [](Transaction&) -> Job<void> {
        throw JobFailed(errc::not_found);
        co_return;
    });
    write(5);
    EXPECT_TRUE(go_on().has_value());
    EXPECT_EQ(results.front().error(), errc::not_found);
    EXPECT_EQ(rows(), 1);
    EXPECT_TRUE(engine->healthy());
}

// This is an engine whose log may find no room, or whose flushes may fail.
class SqliteEngineOnABadDisk : public EngineRig {
  protected:
    SqliteEngineOnABadDisk() {
        begin(CountingVfs::name, "n INTEGER PRIMARY KEY, a TEXT", Durability::inline_, log_bytes);
    }
    ~SqliteEngineOnABadDisk() override { end(); }

    bool insert(int bytes) {
        return perform(Access::write, fmt::format("INSERT INTO t (a) VALUES (hex(randomblob({})))", bytes / 2))
            .has_value();
    }
    // Returns how many rows the next start finds with this log.
    std::int64_t rows_found(const std::string& log) const {
        const TemporaryFolder left;
        std::ofstream(left.path("t.db"), std::ios::binary) << contents_of(path);
        std::ofstream(left.path("t.db-wal"), std::ios::binary) << log;
        return rows_in(left.path("t.db"));
    }
    std::int64_t after_a_kill() const { return rows_found(contents_of(path + "-wal")); }
    std::int64_t after_a_power_cut() const { return rows_found(counted.on_disk); }

    const Work mark = [](Transaction& tx) -> Job<void> {
        static constexpr gateway::Statement insert_text{"insert_text", "INSERT INTO t (a) VALUES (?1)", 0};
        try {
            co_await tx.ask(insert_text, "mark");
        } catch (const JobFailed&) {
        }
    };

    static constexpr std::int64_t log_bytes = 262'144;
    const CountingVfs vfs;
    CountedWrites& counted = CountingVfs::counted;
};

TEST_F(SqliteEngineOnABadDisk, ACommitThatFailedForWantOfRoomIsNotFoundDone) {
    bool met = false;
    for (int room = 0; room < 9'000; room += 512) {
        ASSERT_TRUE(insert(10));
        const auto kept = after_a_kill();
        // The log ends where the last commit ends, so that the end of the room falls into every part of the next commit
        // in turn.
        ASSERT_TRUE(sqlite::Database::open(path, nullptr)->run("PRAGMA wal_checkpoint(TRUNCATE)"));
        counted.room = 32 + room;
        const bool done = insert(10);
        met = met || !done;
        EXPECT_EQ(after_a_kill(), kept + (done ? 1 : 0)) << room;
        counted.room.reset();
    }
    EXPECT_TRUE(met);
}

TEST_F(SqliteEngineOnABadDisk, ACommitWhoseFlushFailedIsNotFoundDone) {
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

TEST_F(SqliteEngineOnABadDisk, ACommitWhoseFlushFailedIsNotFoundDoneWhereFurtherOnesFail) {
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
TEST_F(SqliteEngineOnABadDisk, WhatAFlushThatFailedHasForgottenIsMissingFromNoLaterCommit) {
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

// A job that reads marks what it cannot read, and goes on where the disk refuses that.
TEST_F(SqliteEngineOnABadDisk, WhatAJobThatReadsCouldNotFlushIsMissingFromNoLaterCommit) {
    int kept = 0;
    for (int i = 0; i < 60; ++i) {
        counted.flush_fails = i % 2 == 1;
        EXPECT_TRUE(perform(Access::read, mark).has_value());
        kept += counted.flush_fails ? 0 : 1;
        EXPECT_EQ(engine->healthy(), !counted.flush_fails);
        EXPECT_EQ(engine->is_log_flushed(), !counted.flush_fails);
        counted.flush_fails = false;
        ASSERT_TRUE(insert(20 + 37 * i));
        ASSERT_EQ(after_a_power_cut(), ++kept) << i;
        ASSERT_EQ(after_a_kill(), kept) << i;
    }
    EXPECT_EQ(engine->stats().failures, 30u);
    EXPECT_TRUE(engine->stats().last_failure);
}

TEST_F(SqliteEngineOnABadDisk, NothingIsMovedOutOfALogThatIsNotOnTheDisk) {
    ASSERT_TRUE(sqlite::Database::open(path, nullptr)->run("PRAGMA wal_checkpoint(TRUNCATE)"));
    ASSERT_TRUE(insert(10));
    counted.flush_fails = true;
    EXPECT_TRUE(perform(Access::read, mark).has_value());
    counted.flush_fails = false;
    writer.reset();
    EXPECT_FALSE(engine->end());
    EXPECT_EQ(rows_found(""), 0);
    EXPECT_EQ(after_a_power_cut(), 1);
}

TEST_F(SqliteEngineOnABadDisk, AnEndRightAfterAFlushThatFailedLeavesNoDurableLog) {
    ASSERT_TRUE(insert(10));
    counted.flush_fails = true;
    ASSERT_FALSE(insert(10));
    counted.flush_fails = false;
    writer.reset();
    EXPECT_FALSE(engine->end());
}

TEST_F(SqliteEngineOnABadDisk, AnEndLeavesADurableLogOnceItWasWrittenAgain) {
    ASSERT_TRUE(insert(10));
    counted.flush_fails = true;
    ASSERT_FALSE(insert(10));
    counted.flush_fails = false;
    ASSERT_TRUE(insert(10));
    writer.reset();
    EXPECT_TRUE(engine->end());
}

TEST_F(SqliteEngineOnABadDisk, ALogThatAnotherProgramHasCutGrowsAgain) {
    const auto length = [&] { return std::filesystem::file_size(path + "-wal"); };
    ASSERT_TRUE(insert(10));
    EXPECT_GE(length(), static_cast<std::uintmax_t>(log_bytes));
    ASSERT_TRUE(sqlite::Database::open(path, nullptr)->run("PRAGMA wal_checkpoint(TRUNCATE)"));
    EXPECT_EQ(length(), 0U);
    ASSERT_TRUE(insert(10));
    EXPECT_GE(length(), static_cast<std::uintmax_t>(log_bytes));
    EXPECT_EQ(after_a_power_cut(), 2);
}

TEST_F(SqliteEngineOnABadDisk, CountsItsCommitsAndHowLongTheyTook) {
    const auto commits = [&] { return engine->stats().flush_times.value().count(); };
    const auto before = commits();
    ASSERT_TRUE(insert(10));
    ASSERT_TRUE(insert(10));
    EXPECT_EQ(commits(), before + 2);
    counted.flush_fails = true;
    EXPECT_FALSE(insert(10));
    EXPECT_EQ(commits(), before + 2) << "one that failed";
}

INSTANTIATE_TEST_SUITE_P(Both, SqliteEngineTest, testing::Values(Durability::threaded, Durability::inline_),
                         [](const auto& which) { return which.param == Durability::threaded ? "Threaded" : "Inline"; });

}  // namespace
}  // namespace gateway::test
