// Tests how the journal on SQLite keeps possible duplicates. journal_conformance.hpp tests which sales these are.
#include "journal/duplicates.hpp"

#include "unit/journal/sqlite_rig.hpp"
#include "unit/journal/tx_rig.hpp"

namespace gateway::test {
namespace {

class DuplicatesTableTest : public SqliteRig {
  protected:
    DuplicatesTableTest() { open(); }

    KeyState beginning(std::string key) {
        auto made = sale(std::move(key));
        made.duplicate_check = {.likeness = Secret("123.456.789-09"), .window = std::chrono::minutes(5)};
        return ask(journal->begin(made));
    }
};

TEST_F(DuplicatesTableTest, TheHashIsOfAKeyThatEachJournalHasForItself) {
    const auto hash = [&] {
        beginning("k1");
        return text("SELECT duplicate_hash FROM sales");
    };
    const auto of_one = hash();
    path = folder.path("other.db");
    open();
    const auto of_another = hash();
    EXPECT_EQ(of_one.size(), 64u);
    EXPECT_NE(of_one, of_another);
}

TEST_F(DuplicatesTableTest, TheKeyIsEncryptedWithTheJournalsAsSoonAsThatHasOne) {
    EXPECT_EQ(text("SELECT count(*) FROM duplicate_key"), "0") << "none is made before it is needed";
    beginning("k1");
    EXPECT_EQ(text("SELECT key FROM duplicate_key").size(), 64u);
    open({first_key});
    rotate();
    EXPECT_EQ(text("SELECT typeof(key) FROM duplicate_key"), "blob");
    EXPECT_TRUE(beginning("k2").duplicate_of) << "it is the same key";
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
    open({first_key});
    beginning("k1");
    for (const std::string damage : {"x'01'", "''"}) {
        sql("UPDATE duplicate_key SET key = " + damage);
        const auto before = journal->stats().unreadable;
        EXPECT_FALSE(beginning("k2" + damage).duplicate_of) << "the old hashes say nothing any more";
        EXPECT_TRUE(beginning("k3").duplicate_of);
        EXPECT_EQ(journal->stats().unreadable, before + 1) << "it is counted once";
    }
}

}  // namespace
}  // namespace gateway::test
