// How the possible duplicates of the journal on SQLite are kept; what they are is in journal_conformance.hpp.
#include "journal/duplicates.hpp"

#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/journal/tx_rig.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class DuplicatesTableTest : public Test {
  protected:
    DuplicatesTableTest() { open(path); }
    ~DuplicatesTableTest() override { journal.reset(); }

    void open(const std::string& file, std::vector<Secret> keys = {}) {
        journal.reset();
        auto opened = open_sqlite_journal(
            io.get_executor(),
            {.path = file, .keys = std::move(keys), .random = &random, .durability = Durability::inline_}, clock);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
    }
    KeyState begun(std::string key) {
        clock.jump(1ms);
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = std::move(key);
        made.valor = Cents{2500};
        made.duplicate_check = {.likeness = Secret("123.456.789-09"), .window = 5min};
        made.created_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        return clock.run(journal->begin(made)).value();
    }
    static std::string text(const std::string& file, const std::string& query) {
        auto database = *sqlite::Database::open(file, nullptr);
        const auto rows = database.ask(query).value();
        return rows.empty() ? "no row" : std::string(rows.front().text(0));
    }

    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;
};

TEST_F(DuplicatesTableTest, AreFoundThroughAnIndexHoweverManySalesThereAre) {
    auto database = *sqlite::Database::open(path, nullptr);
    const auto plan = database.ask("EXPLAIN QUERY PLAN " + std::string(sql::duplicates_of.sql)).value();
    EXPECT_THAT(std::string(plan.front().text(3)),
                HasSubstr("USING INDEX sales_by_duplicate_hash (duplicate_hash=? AND"));
}

TEST_F(DuplicatesTableTest, TheHashIsOfAKeyThatEachJournalHasForItself) {
    const auto other = folder.path("other.db");
    begun("k1");
    open(other);
    begun("k1");
    const std::string hash = "SELECT duplicate_hash FROM sales";
    EXPECT_EQ(text(path, hash).size(), 64u);
    EXPECT_NE(text(path, hash), text(other, hash));
}

TEST_F(DuplicatesTableTest, TheKeyIsSealedWithTheJournalsAsSoonAsThatHasOne) {
    EXPECT_EQ(text(path, "SELECT 1 FROM duplicate_key"), "no row") << "none is made before it is needed";
    begun("k1");
    const auto key = text(path, "SELECT key FROM duplicate_key");
    EXPECT_EQ(key.size(), 64u);
    open(path, {Secret(std::string(32, 'a'))});
    while (clock.run(journal->rotate_keys()).value() == KeyRotationState::in_progress)
        continue;
    EXPECT_EQ(text(path, "SELECT typeof(key) FROM duplicate_key"), "blob");
    EXPECT_TRUE(begun("k2").duplicate_of) << "it is the same key";
}

TEST(Duplicates, AKeyThatAnotherProgramHasMadeMeanwhileStays) {
    TxRig rig;
    auto tx = rig.tx();
    const auto kept_after = [&](std::string_view made, bool is_damaged) {
        const auto kept = tx.ask(sql::make_duplicate_key, made, is_damaged).await_resume();
        return std::string(kept.front().text(0));
    };
    EXPECT_EQ(kept_after("theirs", false), "theirs");
    EXPECT_EQ(kept_after("ours", false), "theirs");
    EXPECT_EQ(kept_after("ours", true), "ours") << "theirs cannot be read";
}

TEST_F(DuplicatesTableTest, ADamagedKeyIsReplacedAndCostsNoSale) {
    open(path, {Secret(std::string(32, 'a'))});
    begun("k1");
    for (const auto* damage : {"x'01'", "''"}) {
        auto database = *sqlite::Database::open(path, nullptr);
        ASSERT_TRUE(database.run((std::string("UPDATE duplicate_key SET key = ") + damage).c_str()).has_value());
        const auto before = journal->unreadable();
        EXPECT_FALSE(begun("k2" + std::string(damage)).duplicate_of) << "the old hashes say nothing any more";
        EXPECT_TRUE(begun("k3").duplicate_of);
        EXPECT_EQ(journal->unreadable(), before + 1) << "it is counted once";
    }
}

}  // namespace
}  // namespace gateway::test
