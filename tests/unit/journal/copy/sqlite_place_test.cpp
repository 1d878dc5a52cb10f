#include "journal/sqlite/file_lock.hpp"
#include "unit/journal/copy/rig.hpp"

#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

namespace gateway::moving::test {
namespace {

using namespace testing;

class SqlitePlaceTest : public MovingTest {
  protected:
    void remove(const std::string& file) const {
        for (const auto* ending : {"", "-wal", "-shm", "-journal", ".lock"})
            std::filesystem::remove(folder.path(file) + ending);
    }
};

// Keeps every file of this process below this many bytes, as long as the object lives.
class FilesEndAt {
  public:
    explicit FilesEndAt(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        auto limit = before_;
        limit.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    FilesEndAt(const FilesEndAt&) = delete;
    FilesEndAt& operator=(const FilesEndAt&) = delete;
    ~FilesEndAt() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

  private:
    void (*handler_)(int);
    rlimit before_{};
};

// Lets the first commits of this process to the file succeed, and none after them, as long as the object lives.
class CommitsEndAfter {
  public:
    CommitsEndAfter(std::string file, int commits) {
        file_ = std::move(file);
        left_ = commits;
        ::sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch));
    }
    CommitsEndAfter(const CommitsEndAfter&) = delete;
    CommitsEndAfter& operator=(const CommitsEndAfter&) = delete;
    ~CommitsEndAfter() { ::sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watch)); }

  private:
    static int watch(sqlite3* database, const char**, const void*) {
        const auto may_not = [](void* watched) {
            const auto* const name = ::sqlite3_db_filename(static_cast<sqlite3*>(watched), "main");
            return name != nullptr && file_ == name && left_-- <= 0 ? 1 : 0;
        };
        ::sqlite3_commit_hook(database, may_not, database);
        return SQLITE_OK;
    }

    static inline std::string file_;
    static inline int left_ = 0;
};

TEST_F(SqlitePlaceTest, AJournalThatAGatewayRunsOnIsLeftAlone) {
    ASSERT_EQ(start_sqlite("a.db"), "");
    EXPECT_THAT(why_not("a.db", "b.db"), HasSubstr("is working on " + folder.path("a.db") + ": stop it first"));
    journal.reset();
    EXPECT_EQ(why_not("a.db", "b.db"), "");
}

TEST_F(SqlitePlaceTest, NoGatewayStartsOnEitherFileMeanwhile) {
    make_odd_journal("a.db", 0);
    std::string source, target;
    progress.on_begin = [&](const std::string& what) {
        if (what != "copying sales") return;
        source = start_sqlite("a.db");
        target = start_sqlite("b.db");
    };
    ASSERT_EQ(why_not("a.db", "b.db"), "");
    EXPECT_THAT(source, HasSubstr("copy-journal, holds it"));
    EXPECT_THAT(target, HasSubstr("copy-journal, holds it"));
}

// A change that another program makes to a row that was compared already would be in one of the two files only.
TEST_F(SqlitePlaceTest, NobodyWritesIntoTheJournalMeanwhileNorIntoTheCopyFromItsComparisonOn) {
    make_odd_journal("a.db", 0);
    const auto is_held = [&](const std::string& file) {
        auto other = sqlite::Database::open(folder.path(file), nullptr);
        other->wait_by(nullptr, nullptr);
        const auto written = other->run("UPDATE sales SET valor = 5");
        return written.has_error() && sqlite::is_busy(written.error());
    };
    bool is_compared = false;
    progress.on_begin = [&](const std::string& what) {
        EXPECT_TRUE(is_held("a.db")) << what;
        is_compared = is_compared || what.starts_with("comparing");
        EXPECT_TRUE(!is_compared || is_held("b.db")) << what;
    };
    ASSERT_EQ(why_not("a.db", "b.db"), "");
    EXPECT_TRUE(is_compared);
    EXPECT_EQ(everything("a.db"), everything("b.db"));
}

TEST_F(SqlitePlaceTest, OnlyItsOwnerReadsTheFile) {
    make_odd_journal("a.db", 0);
    ASSERT_EQ(why_not("a.db", "b.db"), "");
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(folder.path("b.db")).permissions(), perms::owner_read | perms::owner_write);
    EXPECT_FALSE(std::filesystem::exists(folder.path("b.db-wal"))) << "one file";
}

TEST_F(SqlitePlaceTest, ACopyThatWasMadeByHandIsNotMoved) {
    make_odd_journal("a.db", 0);
    sqlite("a.db", "DELETE FROM sealing_keys");
    std::filesystem::copy_file(folder.path("a.db"), folder.path("b.db"));
    EXPECT_THAT(why_not("b.db", "c.db"), HasSubstr("is taken for a copy that does not know what happened since"));
    ASSERT_EQ(start_sqlite("b.db"), "");
    journal.reset();
    EXPECT_EQ(why_not("b.db", "c.db"), "") << "a gateway has marked what is not known";
}

TEST_F(SqlitePlaceTest, ALogThatBelongsToAnotherFileIsNotMoved) {
    ASSERT_EQ(start_sqlite("a.db"), "");
    for (const std::string ending : {"", "-wal", ".lock"})
        std::filesystem::copy_file(folder.path("a.db") + ending, folder.path("b.db") + ending);
    {
        auto lock = *FileLock::take(folder.path("b.db.lock"));
        auto noted = lock.noted_log().value();
        noted.database = std::string(64, '0');
        ASSERT_TRUE(lock.note_log(noted).has_value());
    }
    EXPECT_THAT(why_not("b.db", "c.db"), HasSubstr("a copy was written over it"));
    EXPECT_TRUE(std::filesystem::exists(folder.path("b.db-wal"))) << "it is left as it was";
}

TEST_F(SqlitePlaceTest, AnotherProgramsFileAndALogWithoutItsJournalAreLeftAlone) {
    make_journal("a.db");
    sqlite("other.db", "CREATE TABLE t (x)");
    EXPECT_THAT(why_not("a.db", "other.db"), HasSubstr("another program's database"));
    EXPECT_THAT(why_not("other.db", "c.db"), HasSubstr("another program's database"));
    folder.write("d.db-wal", "x");
    EXPECT_THAT(why_not("a.db", "d.db"), HasSubstr("d.db-wal, which belongs to a journal, is"));
    EXPECT_THAT(why_not("a.db", "no/folder/e.db"), HasSubstr("there is no folder"));
}

TEST_F(SqlitePlaceTest, AValueThatDoesNotBelongThereIsNamed) {
    make_odd_journal("a.db", 0);
    sqlite("a.db", "UPDATE sales SET valor = 'much' WHERE n = 7");
    EXPECT_THAT(why_not("a.db", "b.db"),
                HasSubstr("table sales, row n 7: the column valor holds what does not belong"));
    sqlite("a.db", "UPDATE sales SET valor = 1, status = x'00' WHERE n = 7");
    EXPECT_THAT(why_not("a.db", "b.db"), HasSubstr("the column status holds"));
    sqlite("a.db", "UPDATE sales SET status = '' WHERE n = 7");
    EXPECT_EQ(why_not("a.db", "b.db"), "");
}

TEST_F(SqlitePlaceTest, ADamagedFileIsNotMoved) {
    make_odd_journal("a.db", 0);
    sqlite("a.db",
           "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '(id)', '(key)')"
           " WHERE name = 'sales_by_id'");
    EXPECT_THAT(why_not("a.db", "b.db"), HasSubstr("is damaged"));
    EXPECT_THAT(start_sqlite("b.db"), HasSubstr("that is not whole yet")) << "a failed copy is marked, too";
    const OwnDatabase database;
    EXPECT_THAT(why_not("a.db", database.url()), HasSubstr("is damaged"));
    EXPECT_THAT(start_postgres(database.url()), HasSubstr("that is not whole yet"));
}

TEST_F(SqlitePlaceTest, NoGatewayStartsOnWhatACopyThatFailedHasLeft) {
    make_odd_journal("a.db", 500);
    const auto before = everything("a.db");
    constexpr rlim_t step = 4 * sqlite::page_bytes;
    int failed_on_the_way = 0;
    int failed_in_rows = 0;
    for (rlim_t bytes = sqlite::page_bytes;; bytes += step) {
        ASSERT_LT(bytes, 1'000 * step);
        remove("b.db");
        std::string why;
        {
            const FilesEndAt end(bytes);
            why = why_not("a.db", "b.db");
        }
        if (why.empty()) break;
        std::error_code none;
        const auto size = std::filesystem::file_size(folder.path("b.db"), none);
        if (none || size == 0) continue;
        ++failed_on_the_way;
        EXPECT_THAT(why, Not(HasSubstr("not an error"))) << bytes;
        if (why.starts_with("table ")) {
            ++failed_in_rows;
            const auto the_folder = std::filesystem::path(folder.path("b.db")).parent_path().string();
            EXPECT_THAT(why,
                        AllOf(AnyOf(HasSubstr("are free in " + the_folder + ", and the journal that is copied takes"),
                                    HasSubstr("disk I/O error")),
                              HasSubstr("b.db is marked as a copy that is not whole"),
                              HasSubstr("a.db is the journal still. When the cause is gone, call the same")))
                << bytes;
        }
        ASSERT_THAT(start_sqlite("b.db"),
                    AllOf(HasSubstr("that is not whole yet"), Not(HasSubstr("at work still")),
                          HasSubstr("Call sales-gateway copy-journal --from " + folder.path("a.db") + " --to " +
                                    folder.path("b.db") + ". That goes on")))
            << bytes;
    }
    EXPECT_GT(failed_in_rows, 0);
    EXPECT_GT(failed_on_the_way, 3);
    EXPECT_EQ(everything("b.db"), before);
}

TEST_F(SqlitePlaceTest, NoCommitOfACopyLeavesWhatAGatewayWouldStartOn) {
    make_odd_journal("a.db", 5);
    int commits = 0;
    for (;; ++commits) {
        ASSERT_LT(commits, 100);
        remove("b.db");
        {
            const CommitsEndAfter end(folder.path("b.db"), commits);
            const auto why = why_not("a.db", "b.db");
            if (why.empty() || why == "earlier") break;
        }
        if (commits == 0) continue;
        ASSERT_THAT(start_sqlite("b.db"), HasSubstr("that is not whole yet")) << commits;
    }
    EXPECT_GT(commits, 3);
}

TEST_F(SqlitePlaceTest, TheLockFileOfAJournalThatWasThereSaysNothingOfTheNewOne) {
    make_odd_journal("a.db", 0);
    sqlite("a.db", "DELETE FROM sealing_keys");
    ASSERT_EQ(start_sqlite("b.db"), "");
    journal.reset();
    {
        auto lock = FileLock::take(folder.path("b.db.lock"));
        ASSERT_TRUE(lock->note_recorded_sale({SaleId::make(clock.wall(), random), 5}).has_value());
    }
    std::filesystem::remove(folder.path("b.db"));
    ASSERT_EQ(why_not("a.db", "b.db"), "");
    ASSERT_EQ(start_sqlite("b.db"), "");
    journal.reset();
    EXPECT_EQ(sqlite_text("b.db", "SELECT attention FROM sales WHERE attention = 'restored'"), "");
}

}  // namespace
}  // namespace gateway::moving::test
