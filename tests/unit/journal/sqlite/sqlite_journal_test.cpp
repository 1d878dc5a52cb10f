#include "journal/list_query.hpp"
#include "journal/tx.hpp"
#include "unit/journal/sqlite/journal_rig.hpp"
#include "unit/support/sqlite_sleep.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class JournalTest : public JournalRig {
  protected:
    JournalTest() { open(); }

    static unsigned mode(const std::string& file) {
        struct stat status {};
        EXPECT_EQ(::stat(file.c_str(), &status), 0);
        return status.st_mode & 0777u;
    }
    std::vector<std::string> keys(const SaleFilter& filter) {
        std::vector<std::string> all;
        for (const auto& one : clock.run(journal->list(filter)).value().sales)
            all.push_back(one.key);
        return all;
    }
};

TEST_F(JournalTest, NothingIsWrittenWhileAFileBesideItHasLostItsName) {
    for (const std::string ending : {"-wal", "-shm", ".lock"}) {
        const auto place = path + ending;
        const auto elsewhere = folder.path("elsewhere");
        EXPECT_EQ(journal->stats().moved_file, std::nullopt);
        std::filesystem::rename(place, elsewhere);
        EXPECT_TRUE(clock.run(journal->probe()).has_error()) << ending;
        EXPECT_EQ(journal->stats().moved_file, ending);
        EXPECT_FALSE(journal->healthy());
        EXPECT_TRUE(clock.run(journal->begin(sale("while " + ending))).has_error());
        std::filesystem::rename(elsewhere, place);
        EXPECT_TRUE(clock.run(journal->probe()).has_value()) << ending;
        EXPECT_FALSE(journal->stats().moved_file);
        EXPECT_TRUE(journal->healthy());
        begun("after " + ending);
    }
}

TEST_F(JournalTest, AFileBesideItThatIsAnotherOneIsNotItsOwn) {
    begun("k1");
    std::filesystem::rename(path + "-wal", folder.path("elsewhere"));
    std::filesystem::copy_file(folder.path("elsewhere"), path + "-wal");
    EXPECT_TRUE(clock.run(journal->check_files()).has_value());
    EXPECT_EQ(journal->stats().moved_file, "-wal");
}

TEST_F(JournalTest, OfAllFilesThatAreGoneTheJournalIsTheOneToSpeakOf) {
    for (const std::string ending : {"", "-wal", "-shm", ".lock"})
        std::filesystem::remove(path + ending);
    EXPECT_TRUE(clock.run(journal->check_files()).has_value());
    EXPECT_EQ(journal->stats().moved_file, "");
}

TEST_F(JournalTest, WhatItHoldsWithoutTheFilesBesideItIsInItOnceItIsClosed) {
    const auto made = begun("k1");
    for (const std::string ending : {"-wal", "-shm", ".lock"})
        std::filesystem::remove(path + ending);
    EXPECT_TRUE(clock.run(journal->probe()).has_error());
    open();
    EXPECT_EQ(clock.run(journal->find_key("caixa-01", "k1"))->sale, made.id);
    begun("k2");
}

TEST_F(JournalTest, NoneIsMadeInThePlaceOfOneThatSold) {
    begun("k1");
    const auto log = folder.path("log");
    std::filesystem::copy_file(path + "-wal", log);
    journal.reset();
    const auto elsewhere = folder.path("elsewhere.db");
    std::filesystem::rename(path, elsewhere);
    std::filesystem::rename(log, path + "-wal");
    const auto size_of_log = std::filesystem::file_size(path + "-wal");
    EXPECT_THAT(why_not(path), AllOf(HasSubstr("it is missing"), HasSubstr("Put it back"),
                                     HasSubstr("sales-gateway restore"), HasSubstr("remove " + path + ".lock")));
    EXPECT_FALSE(std::filesystem::exists(path));
    folder.write("journal.db", "");
    EXPECT_THAT(why_not(path), HasSubstr("it is empty"));
    EXPECT_EQ(std::filesystem::file_size(path + "-wal"), size_of_log) << "SQLite would have removed it";
    std::filesystem::rename(elsewhere, path);
    open();
    EXPECT_TRUE(clock.run(journal->find_key("caixa-01", "k1"))->sale);
}

TEST_F(JournalTest, OneOfAVersionThatNotedNothingIsNotedAtItsNextStart) {
    journal.reset();
    std::filesystem::resize_file(path + ".lock", 0);
    open();
    journal.reset();
    std::filesystem::remove(path);
    EXPECT_THAT(why_not(path), HasSubstr("it is missing"));
}

TEST_F(JournalTest, OneThatWasNeverFinishedOrIsWantedEmptyIsMade) {
    const auto unfinished = folder.write("unfinished.db", "");
    folder.write("unfinished.db.lock", "");
    EXPECT_EQ(why_not(unfinished), "");
    journal.reset();
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".lock");
    open();
}

TEST_F(JournalTest, AProbeReachesTheDiskAndChangesNothing) {
    const auto flushes = [&] { return journal->stats().flush_times.value().count(); };
    for (int i = 0; i < 3; ++i) {
        const auto before = flushes();
        ASSERT_TRUE(clock.run(journal->probe()).has_value());
        EXPECT_EQ(flushes(), before + 1);
    }
    EXPECT_EQ(clock.run(journal->erase_personal(clock.wall()))->sales, 0U)
        << "how far the erasure has come is as it was";
}

TEST_F(JournalTest, TheLogsPagesAreMovedBeforeItIsTooShort) {
    JournalOptions options;
    options.log_bytes = 524'288;
    open(options);
    const auto before = std::filesystem::file_size(path);
    for (int i = 0; i < 100; ++i)
        begun("k" + std::to_string(i));
    EXPECT_LT(std::filesystem::file_size(path + "-wal"), 700'000U);
    EXPECT_GT(std::filesystem::file_size(path), before + 40'000);
}

TEST_F(JournalTest, OneWithPagesThatShareABlockIsRefusedInWords) {
    begun("k1");
    journal.reset();
    const auto rewrite = [&](int page_bytes) {
        auto database = file();
        ASSERT_TRUE(
            database.run(fmt::format("PRAGMA journal_mode = DELETE; PRAGMA page_size = {}; VACUUM", page_bytes).c_str())
                .has_value());
    };
    rewrite(512);
    EXPECT_THAT(why_not(path), HasSubstr("it has pages of 512 bytes"));
    EXPECT_THAT(why_not(path),
                HasSubstr("sqlite3 '" + path + "' 'PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096"));
    rewrite(4096);
    open();
}

TEST_F(JournalTest, ACallbackFindsItsSaleByItsSecretAndTheFileDoesNotHoldTheSecret) {
    auto made = sale();
    made.callback_secret = Secret("a-secret-nobody-guesses");
    ASSERT_TRUE(clock.run(journal->begin(made)).has_value());
    EXPECT_EQ(clock.run(journal->find_callback("a-secret-nobody-guesses")).value(), made.id);
    EXPECT_EQ(clock.run(journal->find_callback("another")).value(), std::nullopt);
    journal.reset();
    EXPECT_EQ(contents_of(path).find("a-secret-nobody-guesses"), std::string::npos);
}

TEST_F(JournalTest, IsItsOwnersAloneAndBecomesSoWhereOthersCouldReadIt) {
    begun();
    const auto left = folder.path("left.db");  // a process that was killed leaves it like this
    for (const auto* ending : {"", "-wal", "-shm"}) {
        EXPECT_EQ(mode(path + ending), 0600u) << ending;
        std::filesystem::copy_file(path + ending, left + ending);
        ASSERT_EQ(::chmod((left + ending).c_str(), 0666), 0);
    }
    path = left;
    open();
    for (const auto* ending : {"", "-wal", "-shm"})
        EXPECT_EQ(mode(path + ending), 0600u) << ending;
    EXPECT_TRUE(clock.run(journal->find_key("caixa-01", "k1")).value().sale);
}

// What another program commits shares a block of the disk with the next commit, and a power cut could destroy both.
TEST_F(JournalTest, AnotherProgramThatReadsTheUnpaddedEndOfTheLogKeepsItFromStarting) {
    begun();
    journal.reset();
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE t (n); DROP TABLE t; BEGIN; SELECT count(*) FROM sales", nullptr,
                           nullptr, nullptr),
              SQLITE_OK);
    const auto log = std::filesystem::file_size(path + "-wal");
    EXPECT_THAT(why_not(path), HasSubstr("another program reads it"));
    EXPECT_EQ(std::filesystem::file_size(path + "-wal"), log) << "nothing was written behind that commit";
    ASSERT_EQ(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(why_not(path), "");
    sqlite3_close(other);
}

TEST_F(JournalTest, AnotherProgramThatHasItLockedIsWaitedForAndThenSaid) {
    begun();
    journal.reset();
    const SqliteSleep sleep;
    for (const auto* lock : {"BEGIN IMMEDIATE", "BEGIN EXCLUSIVE; DELETE FROM token"}) {
        auto other = *sqlite::Database::open(path, nullptr);
        ASSERT_TRUE(other.run(lock).has_value());
        SqliteSleep::meanwhile = nullptr;
        SqliteSleep::slept = 0ms;
        EXPECT_THAT(why_not(path), HasSubstr("another program has the journal locked"));
        EXPECT_GE(SqliteSleep::slept, 5s);
        SqliteSleep::meanwhile = [&] {
            if (!other.in_transaction()) return;
            EXPECT_TRUE(other.run("COMMIT").has_value());
        };
        EXPECT_EQ(why_not(path), "");
    }
}

TEST_F(JournalTest, IsTheSameBehindEveryLinkThatLeadsToIt) {
    const auto folder_link = folder.path("folder");
    const auto file_link = folder.path("link.db");
    std::filesystem::create_directory_symlink(folder.path(""), folder_link);
    std::filesystem::create_symlink(path, file_link);
    for (const auto& name : {path, folder_link + "/journal.db", file_link})
        EXPECT_THAT(why_not(name), HasSubstr("another sales-gateway process, a gateway or copy-journal, holds it"))
            << name;
    begun();
    for (const auto& name : {folder_link + "/journal.db", file_link}) {
        path = name;
        open();
        EXPECT_TRUE(clock.run(journal->find_key("caixa-01", "k1")).value().sale) << name;
    }
}

TEST_F(JournalTest, IsMadeWhereALinkLeads) {
    path = folder.path("link.db");
    std::filesystem::create_symlink(folder.path("other.db"), path);
    open();
    EXPECT_TRUE(std::filesystem::exists(folder.path("other.db")));
    EXPECT_EQ(mode(folder.path("other.db-wal")), 0600u);
}

TEST_F(JournalTest, AnotherProgramsDatabaseAndADamagedFileAreRefusedAndLeftAlone) {
    const auto foreign = folder.path("foreign.db");
    ASSERT_TRUE(sqlite::Database::open(foreign, nullptr)->run("CREATE TABLE x (y)").has_value());
    EXPECT_THAT(why_not(foreign), HasSubstr("another program's database"));
    const auto damaged = folder.write("damaged.db", std::string(8192, 'x'));
    EXPECT_THAT(why_not(damaged), HasSubstr("damaged"));
    EXPECT_EQ(contents_of(damaged), std::string(8192, 'x'));
}

TEST_F(JournalTest, RemembersEveryPrefixOfItsIdExternos) {
    for (const auto* prefix : {"AB12", "", "CD34", "AB12"}) {
        JournalOptions options;
        options.id_prefix = prefix;
        open(options);
    }
    const auto known = file().ask("SELECT group_concat(prefix) FROM id_prefixes");
    EXPECT_EQ(known->front().text(0), "AB12,CD34");
}

TEST_F(JournalTest, TheOpenSalesAreFoundAmongTheirOwn) {
    auto database = file();
    for (const auto& statement : {sql::unsettled_sales, sql::open_sales}) {
        const auto plan = database.ask("EXPLAIN QUERY PLAN " + std::string(statement.sql)).value();
        EXPECT_EQ(plan.size(), 1U) << statement.name;
        EXPECT_THAT(std::string(plan.front().text(3)), HasSubstr("SEARCH sales USING INDEX sales_open"))
            << statement.name;
    }
}

TEST_F(JournalTest, EveryQueryOfAListUsesAnIndex) {
    using Choices = std::vector<void (*)(SaleFilter&)>;
    const auto nothing = [](SaleFilter&) {};
    // Combines every choice of one list with every choice of the others.
    const std::vector<Choices> all = {
        {nothing, [](SaleFilter& f) { f.estabelecimento = "e"; },
         [](SaleFilter& f) {
             f.estabelecimento = "e";
             f.among = SaleFilter::Among{.families = {Family::esim}, .or_terminal = "t"};
         }},
        {nothing, [](SaleFilter& f) { f.key = "k"; },
         [](SaleFilter& f) {
             f.key = "k";
             f.terminal = "t";
         }},
        {nothing, [](SaleFilter& f) { f.id_externo = "i"; }},
        {nothing, [](SaleFilter& f) { f.status = Status::PENDENTE; }, [](SaleFilter& f) { f.status = Status::NEGADA; },
         [](SaleFilter& f) { f.status = Status::EFETIVADA; }},
        {nothing, [](SaleFilter& f) { f.attention = true; }, [](SaleFilter& f) { f.attention = false; }},
        {nothing, [](SaleFilter& f) { f.from = WallTime(1h); }, [](SaleFilter& f) { f.to = WallTime(2h); },
         [](SaleFilter& f) {
             f.from = WallTime(1h);
             f.to = WallTime(2h);
         }},
        {nothing, [](SaleFilter& f) { f.after = SaleId(Ulid::first_at(WallTime(90min))); }},
    };
    std::vector<SaleFilter> filters(1);
    for (const auto& choices : all) {
        std::vector<SaleFilter> more;
        for (const auto& filter : filters)
            for (const auto choose : choices)
                choose(more.emplace_back(filter));
        filters = std::move(more);
    }
    auto database = file();
    for (const auto& filter : filters) {
        const auto query = list_query(filter);
        // These lists are about few sales, whatever was sold, so they may be read as a whole, and sorted.
        const bool few = query.sql.find("INDEXED BY sales_open ") != std::string::npos ||
                         query.sql.find("INDEXED BY sales_by_key ") != std::string::npos;
        const auto plan = database.ask("EXPLAIN QUERY PLAN " + query.sql).value();
        EXPECT_FALSE(plan.empty()) << query.sql;
        for (const auto& one : plan) {
            const std::string step(one.text(3));
            EXPECT_TRUE(!step.starts_with("SCAN") || step.find("USING") != std::string::npos) << query.sql << step;
            EXPECT_TRUE(few || step.find("TEMP B-TREE") == std::string::npos) << query.sql << step;
        }
    }
}

// This is a journal in which `sold` sales of tv lie above one of eSIM, and as many below it.
class LongJournalTest : public JournalTest {
  protected:
    static constexpr std::size_t sold = 2 * rows_per_page;

    LongJournalTest() {
        const auto below = begun("below").id;
        esim = begun("esim", Family::esim).id;
        const auto above = begun("above").id;
        auto database = file();
        for (const auto& id : {below, above})
            EXPECT_TRUE(database.run(copies(database, id).c_str()).has_value()) << database.message();
    }
    // Makes copies of a sale that follow it: the last digits of its id count.
    std::string copies(sqlite::Database& database, const SaleId& id) {
        std::string columns;
        std::string values;
        const auto names = database.ask("SELECT name FROM pragma_table_info('sales') WHERE name <> 'n'").value();
        for (const auto& row : names) {
            const std::string name(row.text(0));
            columns += (columns.empty() ? "" : ", ") + name;
            values += values.empty() ? "" : ", ";
            if (name == "id")
                values += "substr(id, 1, 10) || printf('%016d', 9000000 + i)";
            else if (name == "key")
                values += "key || i";
            else
                values += name;
        }
        return "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < " + std::to_string(sold) +
               ") INSERT INTO sales (" + columns + ") SELECT " + values + " FROM sales, c WHERE id = '" + id.str() +
               "'";
    }

    std::optional<SaleId> esim;
};

TEST_F(LongJournalTest, AListLooksAtSoManySalesAndSaysWhereItGoesOn) {
    SaleFilter filter{.estabelecimento = "12345678",
                      .among = SaleFilter::Among{.families = {Family::esim}, .or_terminal = "quiosque"},
                      .limit = 10};
    auto page = clock.run(journal->list(filter)).value();
    EXPECT_THAT(page.sales, IsEmpty());
    ASSERT_TRUE(page.next) << "nothing was found yet, and that is not the end";
    std::vector<SaleId> found;
    std::size_t pages = 1;
    while (page.next) {
        EXPECT_TRUE(!filter.after || *page.next < *filter.after);
        filter.after = page.next;
        page = clock.run(journal->list(filter)).value();
        ++pages;
        for (const auto& one : page.sales)
            found.push_back(one.id);
    }
    EXPECT_THAT(found, ElementsAre(*esim));
    EXPECT_EQ(pages, 2 * sold / rows_per_page + 1);
}

TEST_F(LongJournalTest, WhereSalesBelongToTheListEveryPageIsFullWhateverWasSold) {
    SaleFilter filter{.estabelecimento = "12345678", .limit = 200};
    std::size_t found = 0;
    std::optional<SaleId> last;
    do {
        const auto page = clock.run(journal->list(filter)).value();
        EXPECT_TRUE(page.sales.size() == filter.limit || !page.next);
        for (const auto& one : page.sales) {
            EXPECT_TRUE(!last || one.id < *last);
            last = one.id;
        }
        found += page.sales.size();
        filter.after = page.next;
    } while (filter.after);
    EXPECT_EQ(found, 2 * sold + 3);
}

TEST_F(LongJournalTest, AKeyAnIdExternoAndWhatIsUnderWayAreFoundAtOnce) {
    const auto sale = found(*esim);
    EXPECT_THAT(keys({.key = "esim"}), ElementsAre("esim"));
    EXPECT_THAT(keys({.estabelecimento = "12345678", .id_externo = sale.current().id_externo.str()}),
                ElementsAre("esim"));
    auto database = file();
    ASSERT_TRUE(database.run("UPDATE sales SET settled = 1, status = 'EFETIVADA' WHERE family = 'tv'").has_value());
    EXPECT_THAT(keys({.estabelecimento = "12345678", .status = Status::PENDENTE}), ElementsAre("esim"));
}

}  // namespace
}  // namespace gateway::test
