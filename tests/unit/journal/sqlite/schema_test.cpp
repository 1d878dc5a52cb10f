#include "journal/sqlite/schema.hpp"

#include "unit/journal/sqlite/journal_rig.hpp"
#include "unit/support/zone.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <fstream>
#include <iterator>

namespace gateway::test {
namespace {

using namespace testing;

TEST(Schema, MakesANewJournalOnceAndLeavesItThen) {
    auto database = *sqlite::Database::open(":memory:", nullptr);
    EXPECT_TRUE(bring_up_to_date(database).has_value());
    const auto version = database.number("PRAGMA user_version").value();
    EXPECT_EQ(version, migrations().back().number);
    EXPECT_TRUE(bring_up_to_date(database).has_value());
    EXPECT_EQ(database.number("PRAGMA user_version").value(), version);
}

// The views for people, over sales "A" and "B" of two attempts each, read in Brasília's time.
class ViewsTest : public Test {
    Zone store_{"<-03>3"};

  protected:
    ViewsTest() {
        EXPECT_TRUE(bring_up_to_date(database).has_value());
        for (const std::string sale : {"A", "B"}) {
            const auto attempts = R"([{"idExterno":")" + sale + R"(1"},{"idExterno":")" + sale +
                                  R"(2","idTransacao":"T-)" + sale + R"("}])";
            const auto sql =
                "INSERT INTO sales (id, key, terminal, digest, family, mode, estabelecimento, produto, fornecedor,"
                " valor, segment, redemption, created_at, updated_at, status, settled, attention, reason, receipts,"
                " attempts, recorded_at, story) VALUES ('" +
                sale + "', '" + sale + "', 'caixa-01', '', 'tv', 'auto', '1', 'TV Mensal', '', 4905, '', '', " +
                "1795379825352, 0, 'EFETIVADA', 1, 'none', '{\"code\":\"operator\"}', 0, '" + attempts +
                R"(', 0, '{"at":1795379825352,"attempt":1,"event":"begun"})"
                "\n"
                R"({"at":1795379825400,"attempt":2,"event":"confirmar","known":"sold"}'))";
            EXPECT_TRUE(database.run(sql.c_str()).has_value()) << database.message();
        }
    }

    // Returns the rows, with spaces between the columns.
    std::vector<std::string> rows(const std::string& sql) {
        const auto found = database.ask(sql);
        EXPECT_TRUE(found.has_value()) << sql << ": " << database.message();
        std::vector<std::string> all;
        for (const auto& row : found.value())
            all.emplace_back(row.text(0));
        return all;
    }

    sqlite::Database database = *sqlite::Database::open(":memory:", nullptr);
};

TEST_F(ViewsTest, AreInLocalTimeAndNameASaleAsTheProviderDoes) {
    EXPECT_THAT(rows("SELECT created || ' ' || terminal || ' ' || valor || ' ' || reason || ' ' || id_externo || ' ' ||"
                     " id_transacao FROM sales_now"),
                ElementsAre("2026-11-22 17:37:05 caixa-01 49.05 operator A2 T-A",
                            "2026-11-22 17:37:05 caixa-01 49.05 operator B2 T-B"));
    EXPECT_THAT(
        rows("SELECT at || ' ' || terminal || ' ' || id_externo || ' ' || event FROM story WHERE sale = 'A'"),
        ElementsAre("2026-11-22 17:37:05.352 caixa-01 A1 begun", "2026-11-22 17:37:05.400 caixa-01 A2 confirmar"));
    EXPECT_THAT(rows("SELECT id_externo FROM attempts WHERE sale = 'B' ORDER BY number"), ElementsAre("B1", "B2"));
}

TEST_F(ViewsTest, TellTheSalesOfADayAndTheDayOfASale) {
    EXPECT_THAT(rows("SELECT id FROM sales_by_day"), IsEmpty());
    ASSERT_TRUE(database.run("UPDATE sales SET day = '2026-11-22' WHERE id = 'A'").has_value());
    ASSERT_TRUE(
        database.run("UPDATE sales SET day = '2026-11-21', late_day = '2026-11-22' WHERE id = 'B'").has_value());
    EXPECT_THAT(rows("SELECT day || ' ' || created || ' ' || valor || ' ' || status || ' ' || id_externo || ' ' ||"
                     " coalesce(late_day, '') || estabelecimento FROM sales_by_day ORDER BY day"),
                ElementsAre("2026-11-21 2026-11-22 17:37:05 49.05 EFETIVADA B2 2026-11-221",
                            "2026-11-22 2026-11-22 17:37:05 49.05 EFETIVADA A2 1"));
    EXPECT_THAT(rows("SELECT day FROM sales_now WHERE id = 'B'"), ElementsAre("2026-11-21"));
}

TEST_F(ViewsTest, LoseOnlyTheRowThatWasDamaged) {
    for (const std::string column : {"attempts", "story", "reason"})
        for (const std::string damaged :
             {"''", "'{'", "'null'", "'5'", "'\"abc\"'", "'[\"abc\", 5]'", "x'00ff'", "'{\"attempt\":-4}'",
              "'{\"at\":{},\"attempt\":1.5}'", "'{\"at\":1e300,\"attempt\":\"9e99\"}'"}) {
            SCOPED_TRACE(column + " = " + damaged);
            ASSERT_TRUE(database.run("SAVEPOINT damage").has_value());
            ASSERT_TRUE(database.run(("UPDATE sales SET " + column + " = " + damaged + " WHERE id = 'A'").c_str()));
            EXPECT_THAT(rows("SELECT id || created || coalesce(reason, '') || coalesce(id_externo, '') FROM sales_now"),
                        ElementsAre(StartsWith("A2026"), "B2026-11-22 17:37:05operatorB2"));
            EXPECT_THAT(rows("SELECT sale || coalesce(id_externo, '') FROM attempts WHERE sale <> 'A'"),
                        ElementsAre("BB1", "BB2"));
            EXPECT_THAT(rows("SELECT n || coalesce(at, '') || coalesce(id_externo, '') FROM story WHERE sale <> 'A'"),
                        ElementsAre("12026-11-22 17:37:05.352B1", "22026-11-22 17:37:05.400B2"));
            (void)rows("SELECT sale || coalesce(at, '') || coalesce(id_externo, '') FROM story");
            (void)rows("SELECT sale || coalesce(at, '') FROM events");
            ASSERT_TRUE(database.run("ROLLBACK TO damage; RELEASE damage").has_value());
        }
    ASSERT_TRUE(database.run("UPDATE sales SET story = story || '{' WHERE id = 'A'").has_value());
    EXPECT_THAT(rows("SELECT event FROM story WHERE sale = 'A'"), ElementsAre("unreadable"));
}

TEST_F(ViewsTest, FindOneSaleByAnIndex) {
    for (const std::string question : {"story WHERE sale = 'A'", "attempts WHERE sale = 'A'",
                                       "sales_now WHERE id = 'A'", "sales_by_day WHERE day = '2026-11-22'"}) {
        const auto plan = database.ask("EXPLAIN QUERY PLAN SELECT * FROM " + question).value();
        for (const auto& step : plan)
            EXPECT_THAT(std::string(step.text(3)), Not(HasSubstr("SCAN sales"))) << question;
    }
}

TEST(Schema, TheMigrationsAreNumberedFromOneWithoutAGap) {
    int number = 0;
    for (const auto& migration : migrations()) {
        EXPECT_EQ(migration.number, ++number) << migration.name;
        EXPECT_THAT(migration.sql, Not(StrEq("")));
    }
}

// Registers SQLite's default VFS under the name "full": the shared memory of a write-ahead log finds no room on the
// disk. Only one object may exist at a time.
class FullVfs {
  public:
    FullVfs() {
        sqlite::set_up();
        vfs_ = *sqlite3_vfs_find(nullptr);
        vfs_.zName = name;
        vfs_.xOpen = &open;
        vfs_.pNext = nullptr;
        EXPECT_EQ(sqlite3_vfs_register(&vfs_, 0), SQLITE_OK);
    }
    FullVfs(const FullVfs&) = delete;
    FullVfs& operator=(const FullVfs&) = delete;
    ~FullVfs() { sqlite3_vfs_unregister(&vfs_); }

    static constexpr const char* name = "full";
    static inline int error = ENOSPC;

  private:
    static int map(sqlite3_file*, int, int, int, volatile void**) {
        errno = error;
        return SQLITE_IOERR_SHMSIZE;
    }
    static int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out) {
        auto* const standard = sqlite3_vfs_find(nullptr);
        const int code = standard->xOpen(standard, path, file, flags, out);
        if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
        methods_ = *file->pMethods;
        methods_.xShmMap = &map;
        file->pMethods = &methods_;
        return code;
    }

    static inline sqlite3_io_methods methods_;
    sqlite3_vfs vfs_{};
};

TEST(Schema, AJournalThatCannotBeReadIsNotCalledSoWithoutItsCause) {
    const TemporaryFolder folder;
    ASSERT_TRUE(sqlite::Database::open(folder.path("t.db"), nullptr)
                    ->run("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
                    .has_value());
    const FullVfs vfs;
    const auto why = [&](int error) {
        FullVfs::error = error;
        auto database = *sqlite::Database::open(folder.path("t.db"), FullVfs::name);
        return schema_version(database).error();
    };
    EXPECT_EQ(why(ENOSPC), "SQLite cannot read it (SQLite says: disk I/O error: the disk is full)");
    EXPECT_EQ(why(EDQUOT), "SQLite cannot read it (SQLite says: disk I/O error: the disk is full)");
    EXPECT_EQ(why(EIO), "SQLite cannot read it (SQLite says: disk I/O error: Input/output error)");
    EXPECT_EQ(why(0), "SQLite cannot read it (SQLite says: disk I/O error)");
}

// This is a journal of this version with sales in it, and the programs of future versions.
class UpgradeTest : public JournalRig {
  protected:
    UpgradeTest() {
        open();
        for (const auto* key : {"k1", "k2", "k3"})
            begun(key);
        close();
    }

    // Returns this program's migrations, and one of the next version that runs `sql`.
    static std::vector<Migration> and_then(const char* sql) {
        std::vector<Migration> all(migrations().begin(), migrations().end());
        all.push_back({.number = all.back().number + 1, .name = "the_next.sql", .sql = sql});
        return all;
    }
    std::int64_t number(const char* sql) const { return file().number(sql).value(); }

    static constexpr const char* next_version =
        "ALTER TABLE sales ADD COLUMN shift TEXT; UPDATE sales SET shift = 'of ' || key;"
        "CREATE INDEX sales_by_shift ON sales (shift)";
};

TEST_F(UpgradeTest, TheNextVersionTakesTheSalesAlong) {
    const auto next = and_then(next_version);
    auto database = file();
    const auto upgraded = bring_up_to_date(database, next);
    ASSERT_TRUE(upgraded.has_value()) << upgraded.error();
    EXPECT_EQ(*schema_version(database, next), next.back().number);
    EXPECT_EQ(number("SELECT count(*) FROM sales WHERE shift = 'of ' || key"), 3);
    EXPECT_EQ(number("SELECT count(*) FROM id_externos"), 3);
    ASSERT_TRUE(bring_up_to_date(database, next).has_value()) << "the second start has nothing to do";
}

TEST_F(UpgradeTest, AnOlderProgramRefusesANewerJournalAndLeavesItAlone) {
    {
        auto database = file();
        ASSERT_TRUE(bring_up_to_date(database, and_then(next_version)).has_value());
    }
    const auto before = contents_of(path);
    EXPECT_THAT(why_not(path),
                AllOf(HasSubstr("newer version of this program"), HasSubstr("install that version again"),
                      HasSubstr("restore the copy made before the upgrade")));
    EXPECT_EQ(contents_of(path), before);
    const auto next = and_then(next_version);
    auto database = file();
    EXPECT_TRUE(bring_up_to_date(database, next).has_value()) << "the newer one goes on with it";
    EXPECT_EQ(number("SELECT count(*) FROM sales"), 3);
}

TEST_F(UpgradeTest, AMigrationThatFailsLeavesTheJournalAsItWas) {
    auto database = file();
    const auto failed =
        bring_up_to_date(database, and_then("UPDATE sales SET terminal = 'lost'; UPDATE nothing SET x = 1"));
    ASSERT_TRUE(failed.has_error());
    EXPECT_THAT(failed.error(), AllOf(HasSubstr("the_next.sql"), HasSubstr("nothing")));
    EXPECT_EQ(number("PRAGMA user_version"), migrations().back().number);
    EXPECT_EQ(number("SELECT count(*) FROM sales WHERE terminal = 'caixa-01'"), 3);
    EXPECT_EQ(why_not(path), "") << "the older program goes on";
}

TEST(Schema, WhatEarlierVersionsNeverErasedIsComeBackTo) {
    auto database = *sqlite::Database::open(":memory:", nullptr);
    ASSERT_TRUE(bring_up_to_date(database, migrations().first(2)).has_value());
    ASSERT_TRUE(database
                    .run("UPDATE erasure SET done_until = 'M';"
                         "INSERT INTO erase_later VALUES ('A-open');"
                         "INSERT INTO callbacks VALUES (1, 0, 'D', 'sale', 1, 'x'), (2, 0, 'E', 'sale', 1, NULL);"
                         "INSERT INTO notes VALUES (1, 'D', 'x'), (2, 'F', 'x'), (3, 'N', 'x')")
                    .has_value())
        << database.message();
    for (const auto* sale : {"'A-open', 'x'", "'B', 'x'", "'C', NULL", "'N', 'x'"}) {
        const auto sql =
            "INSERT INTO sales (id, key, request, terminal, digest, family, mode, estabelecimento, produto,"
            " fornecedor, valor, segment, redemption, created_at, updated_at, status, settled, attention,"
            " receipts, attempts, recorded_at, story) SELECT column1, column1, column2, '', '', '', '', '',"
            " '', '', 1, '', '', 0, 0, '', 1, 'none', 0, '', 0, '' FROM (VALUES (" +
            std::string(sale) + "))";
        ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message();
    }
    ASSERT_TRUE(bring_up_to_date(database).has_value());
    const auto later = database.ask("SELECT sale, met_at FROM erase_later ORDER BY sale").value();
    std::vector<std::string> sales;
    for (const auto& row : later)
        sales.push_back(std::string(row.text(0)) + (row.is_null(1) ? "" : " was old enough"));
    EXPECT_THAT(sales, ElementsAre("A-open was old enough", "B", "D", "F"));
}

}  // namespace
}  // namespace gateway::test
