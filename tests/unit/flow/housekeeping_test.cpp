#include "flow/housekeeping.hpp"

#include "journal/field_cipher.hpp"
#include "journal/sqlite/database.hpp"
#include "unit/flow/rig.hpp"
#include "unit/support/locking_process.hpp"
#include "unit/support/sqlite_sleep.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;

class HousekeepingTest : public testing::Test {
  protected:
    void start(Duration retention = 90 * 24h) {
        housekeeping = std::make_unique<Housekeeping>(*rig.journal, *rig.attention, rig.driver->rules(), retention,
                                                      *rig.clock, rig.log);
        housekeeping->start(rig.io->get_executor());
        rig.clock->settle();
    }
    SaleId sold(std::string key) {
        const auto id = rig.sell(std::move(key)).sale->sale().id;
        rig.clock->settle();
        EXPECT_TRUE(rig.kept(id).settled);
        return id;
    }
    sqlite::Database another() { return *sqlite::Database::open(rig.folder.path("journal.db"), nullptr); }

    const SqliteSleep sleep;
    FlowRig rig;
    std::unique_ptr<Housekeeping> housekeeping;
};

TEST_F(HousekeepingTest, RemindsOfWhatNeedsAPersonNowAndThen) {
    const auto id = sold("k1");
    auto sale = rig.kept(id);
    sale.attention = Attention::undeliverable;
    start();
    rig.attention->follow(sale);
    rig.clock->advance(3h + 1s);
    EXPECT_EQ(rig.log.count("warn sale.attention sale=" + id.str()), 3u);
    sale.attention = Attention::none;
    rig.attention->follow(sale);
    rig.clock->advance(3h);
    EXPECT_EQ(rig.log.count("warn sale.attention"), 3u);
}

TEST_F(HousekeepingTest, GivesTheSalesOfAnEarlierVersionTheirDays) {
    const auto id = sold("k1");
    const auto day = rig.kept(id).day;
    EXPECT_EQ(day, rig.driver->rules().zone.day_of(rig.kept(id).updated_at));
    ASSERT_TRUE(another().run("UPDATE sales SET day = NULL; UPDATE dating SET done_down_to = 1000").has_value());
    start();
    rig.clock->advance(1h);
    EXPECT_EQ(rig.kept(id).day, day);
    EXPECT_EQ(rig.log.count("info journal.dated sales=1"), 1u);
}

TEST_F(HousekeepingTest, SaysNothingOfDaysWhereEverySaleHasItsOwn) {
    sold("k1");
    start();
    rig.clock->advance(1h);
    EXPECT_FALSE(rig.log.has("journal.dated"));
}

TEST_F(HousekeepingTest, SaysWhichSaleHasAValueThatDoesNotOpen) {
    const auto id = sold("k1");
    start();
    rig.clock->advance(10s);
    EXPECT_FALSE(rig.log.has("journal.unreadable"));
    ASSERT_TRUE(another().run("UPDATE sales SET goods = x'00'").has_value());
    EXPECT_EQ(rig.kept(id).attention, Attention::unreadable);
    rig.clock->advance(10s);
    EXPECT_EQ(rig.log.count("error journal.unreadable values=1"), 1u);
    EXPECT_EQ(rig.log.count("error sale.attention sale=" + id.str()), 1u);
    EXPECT_EQ(rig.attention->size(), 1u);
}

TEST_F(HousekeepingTest, ListsEveryDamagedSaleFromTheStartOn) {
    constexpr int more_than_a_page = 250;
    std::vector<SaleId> ids;
    for (int i = 0; i < more_than_a_page; ++i)
        ids.push_back(sold("k" + std::to_string(i)));
    const auto damage = [&](SaleId id, const char* what) {
        const auto sql = std::string("UPDATE sales SET ") + what + " WHERE id = ?";
        ASSERT_TRUE(another().ask(sql, id.text()).has_value());
    };
    damage(ids.at(0), "status = 'EFETIVADO'");
    damage(ids.at(1), "goods = x'00'");
    damage(ids.at(2), "day = 'today'");
    damage(ids.at(100), "id = x'fe'");
    damage(ids.at(101), "id = x'ff'");
    damage(ids.at(more_than_a_page - 1), "attempts = '['");
    rig.crash();
    EXPECT_EQ(rig.unreadable, 0u) << "all of them are settled";
    start();
    rig.clock->advance(1s);
    EXPECT_EQ(rig.attention->size(), 6u);
    EXPECT_EQ(rig.clock->run(rig.journal->marked()).value().size(), 6u);
    EXPECT_EQ(rig.log.count("error sale.attention"), 6u);
    EXPECT_EQ(rig.log.count("error journal.unreadable values=6"), 1u);
}

TEST_F(HousekeepingTest, TriesAJournalThatCannotBeWrittenUntilItCan) {
    start();
    auto other = another();
    ASSERT_TRUE(other.run("BEGIN IMMEDIATE").has_value());
    EXPECT_EQ(rig.sell("k1").refusal, SellRefusal::journal_unavailable);
    rig.clock->advance(59s);
    EXPECT_FALSE(rig.journal->healthy());
    EXPECT_EQ(rig.log.count("warn journal.unavailable"), 1u) << "once a minute";
    rig.clock->advance(60s);
    EXPECT_EQ(rig.log.count("warn journal.unavailable"), 2u);
    ASSERT_TRUE(other.run("ROLLBACK").has_value());
    rig.clock->advance(2s);
    EXPECT_TRUE(rig.journal->healthy());
    EXPECT_EQ(rig.log.count("journal.healed"), 1u);
}

TEST_F(HousekeepingTest, CallsAJournalHealedOnlyWhereASaleCanBeWritten) {
    Housekeeping of_full(*rig.doubtful, *rig.attention, rig.driver->rules(), 90 * 24h, *rig.clock, rig.log);
    of_full.start(rig.io->get_executor());
    rig.doubtful->trouble = "the disk is full";
    rig.doubtful->fail();
    rig.clock->advance(10s);
    EXPECT_GT(rig.journal->stats().commits, 0u) << "what is small is written";
    EXPECT_EQ(rig.log.count("warn journal.unavailable detail=\"the disk is full\""), 1u);
    EXPECT_FALSE(rig.log.has("journal.healed"));
    rig.doubtful->mend();
    rig.clock->advance(10s);
    EXPECT_EQ(rig.log.count("journal.healed"), 1u);
}

TEST_F(HousekeepingTest, SaysNowAndThenThatSalesWaitForAnotherProgram) {
    start();
    auto other = another();
    const auto sell_while_it_writes = [&](std::string key, Duration how_long) {
        ASSERT_TRUE(other.run("BEGIN IMMEDIATE").has_value());
        SqliteSleep::meanwhile = [&, until = SqliteSleep::slept + how_long] {
            if (SqliteSleep::slept < until || !other.in_transaction()) return;
            EXPECT_TRUE(other.run("ROLLBACK").has_value());
        };
        sold(std::move(key));
        rig.clock->advance(5s);
    };
    sell_while_it_writes("k1", 900ms);
    EXPECT_FALSE(rig.log.has("journal.waited"));
    sell_while_it_writes("k2", 1'100ms);
    EXPECT_EQ(rig.log.count("warn journal.waited times=1"), 1u);
    EXPECT_TRUE(rig.log.has("another program has the journal locked: let it finish, or close it"));
    sell_while_it_writes("k3", 1'100ms);
    sell_while_it_writes("k4", 1'100ms);
    EXPECT_EQ(rig.log.count("journal.waited"), 1u) << "once a minute";
    rig.clock->advance(60s);
    EXPECT_EQ(rig.log.count("warn journal.waited times=2"), 1u);
    EXPECT_FALSE(rig.log.has("journal.unavailable"));
}

TEST_F(HousekeepingTest, SaysThatTheLogGrowsAndWhichProgramReads) {
    int sales = 0;
    const auto sell = [&](int more) {
        for (; more > 0; --more)
            sold("k" + std::to_string(++sales));
        rig.clock->advance(15s);
        return rig.log.count("warn journal.log_grows");
    };
    start();
    EXPECT_EQ(sell(60), 0u);
    {
        const LockingProcess reader(rig.folder.path("journal.db-shm"), F_RDLCK, 124, 1);
        const auto said = sell(60);
        EXPECT_GT(said, 0u);
        EXPECT_TRUE(rig.log.has(", process " + std::to_string(reader.process) + "): let it finish, or close it"));
        EXPECT_GE(rig.journal->stats().kept_log_bytes, 2 * short_log_bytes / 16 * 15);
        rig.clock->advance(1h);
        EXPECT_EQ(rig.log.count("journal.log_grows"), said) << "it grows no more";
        EXPECT_GT(sell(250), said) << "it is twice as long";
    }
    const auto said = sell(2);
    EXPECT_EQ(rig.log.count("warn journal.log_begins_anew"), 1u);
    EXPECT_EQ(rig.journal->stats().kept_log_bytes, 0);
    EXPECT_EQ(sell(60), said);
}

TEST_F(HousekeepingTest, SaysOnceThatThePagesOfTheJournalAreDamaged) {
    sold("k1");
    const auto page = another().number("SELECT rootpage FROM sqlite_schema WHERE name = 'sales_by_key'").value();
    ASSERT_TRUE(another().run("PRAGMA wal_checkpoint(TRUNCATE)").has_value());
    {
        constexpr std::int64_t page_size = sqlite::page_bytes;
        std::fstream file(rig.folder.path("journal.db"), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp((page - 1) * page_size);
        file << std::string(page_size, '\xff');
        ASSERT_TRUE(file.good());
    }
    rig.crash();
    start();
    EXPECT_FALSE(rig.journal->stats().damaged) << "nobody has looked at the page";
    EXPECT_EQ(rig.sell("k2").refusal, SellRefusal::journal_unavailable);
    rig.clock->advance(5s);
    EXPECT_EQ(rig.sell("k3").refusal, SellRefusal::journal_unavailable);
    rig.clock->advance(5s);
    EXPECT_TRUE(rig.journal->healthy()) << "the probe needs other pages";
    EXPECT_TRUE(rig.journal->stats().damaged);
    EXPECT_EQ(rig.log.count("error journal.damaged"), 1u);
    EXPECT_FALSE(rig.log.has("journal.healed"));
}

TEST_F(HousekeepingTest, NoticesThatTheJournalWasTakenAwayAndThatItIsBack) {
    const auto id = sold("k0");
    start();
    rig.clock->advance(5s);
    EXPECT_FALSE(rig.journal->stats().moved_file);
    const auto place = rig.folder.path("journal.db");
    const auto elsewhere = rig.folder.path("elsewhere.db");
    std::filesystem::rename(place, elsewhere);
    rig.clock->advance(5s);
    EXPECT_TRUE(rig.journal->stats().moved_file) << "nobody sold anything";
    EXPECT_FALSE(rig.journal->healthy());
    rig.folder.write("journal.db", "another file");
    rig.clock->advance(5s);
    EXPECT_EQ(rig.log.count("error journal.moved"), 1u);
    EXPECT_EQ(rig.sell("k1").refusal, SellRefusal::journal_unavailable);
    EXPECT_EQ(rig.sell("k0").sale->sale().id, id) << "what is known is answered";
    EXPECT_FALSE(rig.journal->healthy());
    std::filesystem::rename(elsewhere, place);
    rig.clock->advance(5s);
    EXPECT_FALSE(rig.journal->stats().moved_file);
    EXPECT_EQ(rig.log.count("journal.healed"), 1u);
    sold("k1");
}

TEST_F(HousekeepingTest, ErasesPersonalFieldsWhenTheirTimeIsOver) {
    const auto id = sold("k1");
    start(24h);
    rig.clock->advance(23h);
    EXPECT_FALSE(rig.kept(id).request.empty());
    rig.clock->advance(2h);
    EXPECT_TRUE(rig.kept(id).request.empty());
    EXPECT_EQ(rig.log.count("retention.erased sales=1"), 1u);
}

TEST_F(HousekeepingTest, WhatWasSoldWithAClockThatWasYearsBehindIsNotOld) {
    start(24h);
    const auto id = sold("k1");
    rig.clock->shift_wall(20 * 365 * 24h);
    rig.clock->advance(23h);
    EXPECT_FALSE(rig.kept(id).request.empty());
    rig.clock->advance(2h);
    EXPECT_TRUE(rig.kept(id).request.empty());
}

TEST_F(HousekeepingTest, AClockThatIsYearsAheadAtTheStartErasesNothingIfItIsSetSoon) {
    const auto id = sold("k1");
    rig.clock->shift_wall(10 * 365 * 24h);
    start(24h);
    rig.clock->advance(59min);
    EXPECT_FALSE(rig.kept(id).request.empty());
    rig.clock->shift_wall(-10 * 365 * 24h);
    rig.clock->advance(22h);
    EXPECT_FALSE(rig.kept(id).request.empty());
    rig.clock->advance(3h);
    EXPECT_TRUE(rig.kept(id).request.empty());
}

TEST_F(HousekeepingTest, WhatWasSoldWithAClockThatWasBehindTheErasureIsErasedInItsTime) {
    sold("k1");
    start(24h);
    rig.clock->advance(30h);
    ASSERT_EQ(rig.log.count("retention.erased sales=1"), 1u);
    rig.clock->shift_wall(-365 * 24h);
    const auto id = sold("k2");
    rig.clock->shift_wall(365 * 24h);
    rig.crash();
    rig.clock->shift_wall(30h);
    start(24h);
    rig.clock->advance(23h);
    EXPECT_FALSE(rig.kept(id).request.empty()) << "no time in it tells that it is young";
    rig.clock->advance(4h);
    EXPECT_TRUE(rig.kept(id).request.empty());
}

TEST_F(HousekeepingTest, AShortRetentionIsLookedAfterAsOften) {
    start(2s);
    const auto id = sold("k1");
    EXPECT_FALSE(rig.kept(id).request.empty());
    rig.clock->advance(6s);
    EXPECT_TRUE(rig.kept(id).request.empty());
}

TEST_F(HousekeepingTest, EncryptsAnewWhatWasWrittenInClear) {
    const auto id = sold("k1");
    start();
    EXPECT_EQ(rig.log.count("warn journal.unsealed"), 1u);
    rig.keys = {Secret(std::string(FieldCipher::key_size, 'k'))};
    rig.crash();
    start();
    rig.clock->advance(5s);
    EXPECT_EQ(rig.log.count("journal.resealed"), 1u);
    EXPECT_EQ(rig.log.count("journal.unsealed"), 1u);
    EXPECT_EQ(another().number("SELECT count(*) FROM sales WHERE typeof(request) = 'blob'").value(), 1);
    EXPECT_FALSE(rig.kept(id).request.empty());
}

}  // namespace
}  // namespace gateway::test
