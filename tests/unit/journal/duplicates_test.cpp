// Tests how the journal on SQLite keeps possible duplicates. journal_conformance.hpp tests which sales these are.
#include "journal/duplicates.hpp"

#include "unit/journal/scripted_transaction.hpp"
#include "unit/journal/sqlite_rig.hpp"
#include "unit/journal/tx_rig.hpp"

#include <gmock/gmock.h>

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

TEST(Duplicates, GatewaysThatMakeAKeyAtOnceHaveTheOneThatWasKept) {
    const auto kept_is = [](const std::string& kept) {
        ScriptedRig rig;
        SeededRandom random;
        rig.script.answer("make_duplicate_key", {{kept}});
        const auto key = rig.run([&](Tx& tx) { return duplicates::key(tx, &random); }).value();
        EXPECT_THAT(rig.script.did, testing::ElementsAre("hold duplicate key", "duplicate_key", "make_duplicate_key"));
        return key;
    };
    EXPECT_EQ(kept_is("theirs"), "theirs");
    EXPECT_EQ(kept_is("").size(), 64u) << "this one has its own where theirs cannot be read";
}

// The hash of a sale stays what it was, or a duplicate would be sold after an upgrade.
TEST(Duplicates, TheHashIsThatOfTheFieldsAsAnArray) {
    boost::asio::io_context io;
    VirtualClock clock(io);
    SeededRandom random;
    auto made = new_sale(clock, random);
    made.duplicate_check = {.likeness = Secret("123"), .window = std::chrono::minutes(5)};
    EXPECT_EQ(duplicate_hash(made, "key"), "d0eeb94a3018848f8211f338dfb3f1e057f3e5c00a63676da429f7c80cf5552d");
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
