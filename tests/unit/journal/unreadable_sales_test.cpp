// One damaged value concerns one sale: whatever a row contains, no operation stops the program or fails for another
// sale.
#include "journal/marked_sales.hpp"
#include "journal/sqlite/backup.hpp"
#include "unit/journal/scripted_transaction.hpp"
#include "unit/journal/sqlite_rig.hpp"

#include <gmock/gmock.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

// SQL that gives the damaged value of a column; @ stands for the column.
const std::vector<std::string> damages{
    "NULL",
    "''",
    "'x'",
    "5",
    "-1",
    "9223372036854775807",
    "1.5",
    "x'00ff'",
    "x''",
    "CAST(x'ff41' AS TEXT)",
    "'{'",
    "'{}'",
    "'[]'",
    "'[{}]'",
    "'[1]'",
    "'\"x\"'",
    "'null'",
    "'{\"code\":7}'",
    "'{\"code\":\"none\"}'",
    "substr(@, 1, length(@) - 1)",
    "substr(@, 2)",
    "upper(@)",
    "@ || @",
    "CAST(@ AS BLOB)",
    "replace(@, ':\"', ':7,\"x\":\"')",
    "replace(@, ':1', ':-1')",
    "replace(@, ':1', ':99999999999999999999')",
    "replace(@, ':1', ':999999999999999999')",
    "replace(@, ':1', ':0.1')",
    "replace(@, ':1', ':{},\"x\":1')",
    "replace(@, 'Time', 'Tine')",
    "replace(@, 'sold', 'sole')",
    "replace(@, char(10), '')",
};

std::string damaged(std::string_view damage, const std::string& column) {
    std::string value;
    for (const char c : damage)
        value += c == '@' ? column : std::string(1, c);
    return value;
}

class UnreadableSalesTest : public SqliteRig {
  protected:
    UnreadableSalesTest() { open({}); }

    void open(std::vector<Secret> with_keys) {
        keys = std::move(with_keys);
        SqliteRig::open(keys);
        sql("PRAGMA synchronous = OFF");
    }
    std::vector<std::string> columns_of(const std::string& table) {
        return texts("SELECT name FROM pragma_table_info('" + table + "') WHERE name <> 'n'");
    }
    // Checks that the operation is done, or refused for this reason.
    template <class T>
    bool is_done_or(errc why, Journal::Awaited<T> operation) {
        const auto failed = error_of(std::move(operation));
        return !failed || failed == why;
    }
    bool is_unreadable(SaleId id) { return error_of(journal->find(id)) == errc::sale_unreadable; }
    // Calls every operation, whatever one of the two sales looks like now.
    void everything_else_goes_on(const Sale& victim, const Sale& other) {
        EXPECT_TRUE(is_done_or(errc::sale_unreadable, journal->find(victim.id)));
        EXPECT_EQ(found(other.id).key, other.key);
        const auto page = ask(journal->list({}));
        EXPECT_EQ(page.sales.size() + page.unreadable.size(), 2u);
        EXPECT_THAT(page.sales, Contains(Field(&Sale::id, other.id)));
        const auto unfinished = ask(journal->adopt());
        EXPECT_LE(unfinished.sales.size() + unfinished.unreadable, 2u);
        ask(journal->marked());
        EXPECT_TRUE(read_marked_sales(path).has_value());
        history(victim);
        ask(journal->callbacks(victim.id));
        EXPECT_EQ(ask(journal->find_key("caixa-01", other.key)).sale, other.id);
        EXPECT_TRUE(is_done_or(errc::sale_unreadable, journal->find_callback(victim.callback_secret.reveal())));
        EXPECT_TRUE(is_done_or(errc::not_found, journal->count_receipt(victim)));
        ask(journal->keep_callback(victim.id, "sale", true, Secret("{}")));
        ask(journal->load_token());
        ask(journal->erase_personal(clock.wall() + 1h));
        ask(journal->rotate_keys());
    }
    void key_stays_taken(const Sale& victim) {
        auto again = victim;
        again.id = SaleId::make(clock.wall(), random);
        for (const auto& state :
             {clock.run(journal->find_key(victim.terminal, victim.key)), clock.run(journal->begin(again)),
              clock.run(journal->cancel_key(victim.terminal, victim.key))})
            EXPECT_TRUE(state.has_value() ? state->sale.has_value() : state.error() == errc::sale_unreadable);
    }
    // Checks that a person is told, whatever else became of the sale, and that the row still has its content.
    void is_marked(const Sale& victim, std::string_view column) {
        if (column == "id") return;
        EXPECT_THAT(marked_ids(), Contains(victim.id.str()));
        const auto kept = [&](const char* one) { return text(fmt::format("SELECT {} FROM sales WHERE n = 1", one)); };
        EXPECT_TRUE(column == "status" || kept("status") == to_string(victim.status));
        EXPECT_TRUE(column == "settled" || kept("settled") == (victim.settled ? "1" : "0"));
    }

    // Damages every column; each family gets another part of the damages.
    void damage_every_column(const std::vector<Family>& families, bool settled) {
        for (const auto family : families) {
            sql("DELETE FROM sales; DELETE FROM id_externos");
            const auto victim = full("k1", family, settled);
            const auto other = full("k2", family, settled);
            for (const auto& column : columns_of("sales")) {
                keep("sales");
                for (auto i = static_cast<std::size_t>(family); i < damages.size(); i += all_families.size()) {
                    const auto& damage = damages[i];
                    SCOPED_TRACE(fmt::format("{} = {}", column, damage));
                    const auto value = damaged(damage, column);
                    sql(fmt::format(
                        "UPDATE OR IGNORE sales SET {} = {} WHERE n = 1; UPDATE erasure SET done_until = ''", column,
                        value));
                    if (is_unreadable(victim.id)) is_marked(victim, column);
                    everything_else_goes_on(victim, other);
                    if (column != "key" && column != "terminal") key_stays_taken(victim);
                    put_back("sales");
                    EXPECT_EQ(found(victim.id).key, "k1") << "it is as it was";
                }
                open(keys);
            }
        }
    }

    std::vector<Secret> keys;
};

TEST_F(UnreadableSalesTest, IsOneWhoseStatusAndAttemptsDoNotBelongTogether) {
    const auto victim = full("k1", Family::tv, false);
    const auto other = full("k2", Family::tv, true);
    for (const auto* altered : {"status = 'EFETIVADA'", "status = 'CANCELADA'", "settled = 1", "family = 'esim'",
                                "attempts = replace(attempts, 'confirming', 'cancelled')"}) {
        keep("sales");
        sql(fmt::format("UPDATE sales SET {} WHERE n = 1", altered));
        EXPECT_TRUE(is_unreadable(victim.id)) << altered;
        EXPECT_FALSE(is_unreadable(other.id));
        put_back("sales");
        EXPECT_FALSE(is_unreadable(victim.id)) << altered;
    }
}

// The row is marked by the statement; this is the mark of the sale that is being read.
TEST(UnreadableValues, MarkASaleUnlessAPersonLooksAtItAnyway) {
    SeededRandom random;
    const auto read = [&](Attention before, std::int64_t marked, bool refuses) {
        ScriptedRig rig;
        rig.script.changes("mark_unreadable", marked);
        if (refuses) rig.script.refuse("mark_unreadable");
        auto sale = new_sale(rig.clock, random);
        sale.attention = before;
        EXPECT_TRUE(rig.run([&](Tx& tx) { return tx.mark_unreadable(sale, 1, {"sales.words/x"}); }));
        EXPECT_EQ(rig.unreadable_counts.met, 1u);
        return sale.attention;
    };
    EXPECT_EQ(read(Attention::none, 1, false), Attention::unreadable);
    EXPECT_EQ(read(Attention::none, 0, false), Attention::none) << "the row says that a person has looked";
    EXPECT_EQ(read(Attention::none, 1, true), Attention::unreadable) << "the next reading writes the mark";
    EXPECT_EQ(read(Attention::unsettled, 1, false), Attention::unreadable) << "that mark goes by itself";
    EXPECT_EQ(read(Attention::contradiction, 1, true), Attention::contradiction);
}

// Each mark is put into the row of a damaged sale, and is then expected to be read as the other one.
TEST_F(UnreadableSalesTest, AMarkThatMeansMoreStaysAndEveryOtherGivesWay) {
    struct Marks {
        const char* damage;
        bool settled;
        std::vector<std::pair<const char*, const char*>> put_and_read;
    };
    const std::vector<Marks> all{
        // Nobody can have dealt with a sale that cannot be read.
        {"attempts = '['", false, {{"contradiction", "contradiction"}, {"none", "unreadable"}, {"none", "unreadable"}}},
        // A mark that goes away by itself would take the news along. After this mark a person has looked.
        {"facts = '{'", false, {{"unsettled", "unreadable"}, {"unsettled", "unsettled"}}},
        // The law takes that mark away when the goods have come, but the damage is still there.
        {"request = '{'", true, {{"undeliverable", "undeliverable"}, {"none", "unreadable"}, {"none", "none"}}},
        // A meaningless mark is a reason to look.
        {"n = n", false, {{"bored", "unreadable"}}},
    };
    for (const auto& [damage, settled, marks] : all) {
        SCOPED_TRACE(damage);
        open({});
        sql("DELETE FROM sales; DELETE FROM id_externos");
        const auto victim = full("k1", settled ? Family::egift : Family::tv, settled);
        sql(fmt::format("UPDATE sales SET {}", damage));
        for (const auto& [put, read] : marks) {
            sql(fmt::format("UPDATE sales SET attention = '{}'", put));
            const auto sale = clock.run(journal->find(victim.id));
            EXPECT_TRUE(sale.has_error() || to_string(sale.value()->attention) == read) << put;
            EXPECT_EQ(text("SELECT attention FROM sales"), read) << put;
        }
        EXPECT_EQ(journal->stats().unreadable, 1u);
    }
}

TEST_F(UnreadableSalesTest, WhateverStandsInAColumnOfAnOpenSaleConcernsThatSaleAlone) {
    damage_every_column({all_families.begin(), all_families.end()}, false);
}

TEST_F(UnreadableSalesTest, WhateverStandsInAColumnOfASettledSaleConcernsThatSaleAlone) {
    damage_every_column({Family::egift, Family::esim}, true);
}

TEST_F(UnreadableSalesTest, WhateverStandsInAColumnOfAnEncryptedJournalConcernsThatSaleAlone) {
    open({first_key});
    damage_every_column({Family::tv, Family::health}, false);
}

TEST_F(UnreadableSalesTest, OneAlteredLetterAnywhereInAttemptsIsReadOrMakesTheSaleUnreadable) {
    const auto victim = full("k1", Family::tv, true);
    const auto other = full("k2", Family::tv, true);
    keep("sales");
    const auto length = std::stoul(text("SELECT length(attempts) FROM sales WHERE n = 1"));
    std::size_t unreadable = 0;
    for (std::size_t at = 1; at <= length; ++at) {
        sql(
            fmt::format("UPDATE sales SET attempts = substr(attempts, 1, {0} - 1) ||"
                        " char(unicode(substr(attempts, {0}, 1)) + 1) || substr(attempts, {0} + 1) WHERE n = 1",
                        at));
        unreadable += is_unreadable(victim.id) ? 1 : 0;
        ask(journal->marked());
        history(victim);
        EXPECT_EQ(found(other.id).key, "k2");
        put_back("sales");
    }
    EXPECT_GT(unreadable, length / 3);
}

// The gateway read the sale before the damage, and does not know of the journal's mark.
TEST_F(UnreadableSalesTest, AMarkStaysWhateverPassesAfterIt) {
    auto victim = full("k1", Family::tv, false);
    sql("UPDATE sales SET facts = '{'");
    EXPECT_EQ(found(victim.id).attention, Attention::unreadable);
    const auto step = [&](Attention before, Attention after) {
        victim.attention = before;
        auto change = change_to(victim, victim.current().state);
        change.attention = after;
        record(victim, change, {.event = "elapsed"});
        return text("SELECT attention FROM sales");
    };
    EXPECT_EQ(step(Attention::none, Attention::unsettled), "unreadable");
    EXPECT_EQ(step(Attention::unsettled, Attention::none), "unreadable");
    EXPECT_EQ(step(Attention::none, Attention::contradiction), "contradiction");
    sql("UPDATE sales SET attention = 'unreadable'");
    EXPECT_EQ(step(Attention::unreadable, Attention::none), "none") << "a person has looked";
}

TEST_F(UnreadableSalesTest, ARowWithoutAUsableIdIsListedAsItStandsAndItsKeyIsTaken) {
    full("k0", Family::tv, true);
    const auto victim = full("k1", Family::tv, true);
    full("k2", Family::tv, true);
    sql("UPDATE sales SET id = 'nonsense' WHERE n = 2");
    EXPECT_FALSE(ask(journal->find(victim.id)));
    EXPECT_EQ(error_of(journal->find_key("caixa-01", "k1")), errc::sale_unreadable);
    key_stays_taken(victim);
    EXPECT_THAT(marked_ids(), ElementsAre("nonsense"));
    SaleFilter filter{.limit = 1};
    std::vector<std::string> unreadable;
    do {
        const auto page = ask(journal->list(filter));
        unreadable.insert(unreadable.end(), page.unreadable.begin(), page.unreadable.end());
        ASSERT_TRUE(!page.next || page.next != filter.after);
        filter.after = page.next;
        filter.limit = 2;
    } while (filter.after);
    EXPECT_THAT(unreadable, Contains("nonsense"));
}

TEST_F(UnreadableSalesTest, ALineOfAHistoryThatCannotBeReadIsLeftOut) {
    const auto victim = full("k1", Family::tv, false);
    const auto whole = history(victim);
    ASSERT_EQ(whole.size(), 4u);
    EXPECT_EQ(whole[3].detail, "Sr. Antonio");
    sql("UPDATE sales SET story = replace(story, '\"event\":\"solicitar\"', '\"event\":solicitar')");
    const auto rest = history(victim);
    ASSERT_EQ(rest.size(), 3u);
    EXPECT_EQ(rest[2].event, "resolved");
    EXPECT_FALSE(is_unreadable(victim.id));
}

TEST_F(UnreadableSalesTest, TheOtherTablesStopNothingEither) {
    open({first_key});
    const auto one = full("k1", Family::esim, true);
    const auto other = full("k2", Family::tv, false);
    ask(journal->cancel_key("caixa-01", "k3"));
    ask(journal->save_token(KeptToken{.access = Secret("a"), .refresh = Secret("r")}));
    sql("INSERT INTO erase_later SELECT id, 0 FROM sales");
    for (const std::string table : {"callbacks", "notes", "token", "cancelled_keys", "erase_later", "erasure"}) {
        for (const auto& column : columns_of(table)) {
            if (column == "one") continue;
            keep(table);
            for (const auto& damage : damages) {
                SCOPED_TRACE(fmt::format("{}.{} = {}", table, column, damage));
                const auto value = damaged(damage, column);
                sql(fmt::format("UPDATE OR IGNORE {} SET {} = {}", table, column, value));
                everything_else_goes_on(one, other);
                EXPECT_FALSE(is_unreadable(one.id));
                put_back(table);
            }
            open(keys);
        }
    }
}

TEST_F(UnreadableSalesTest, HowFarAnErasureHasComeIsNotBelievedWhereItIsNoSale) {
    full("k1", Family::tv, true);
    sql("UPDATE erasure SET done_until = 'x'");
    open({});
    EXPECT_EQ(ask(journal->erase_personal(clock.wall() + 1h)).sales, 1u);
}

TEST_F(UnreadableSalesTest, ARotationThatLostItsPlaceBeginsAnew) {
    open({first_key});
    const auto sale = full("k1", Family::tv, true);
    for (const std::string value : {"'x'", "''", "5", "x'ff'", "'01JD3W4Q8Y0000000000000001'"}) {
        open({second_key, first_key});
        sql("UPDATE sealing_keys SET done_until = " + value + " WHERE current = 1");
        EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::finished) << value;
        open({second_key});
        EXPECT_EQ(found(sale.id).digest, "d") << value;
        open({first_key, second_key});
        EXPECT_EQ(ask(journal->rotate_keys()), KeyRotationState::finished);
    }
    sql("INSERT INTO sealing_keys VALUES ('nonsense', 0, ''), (x'ff', 0, '')");
    open({first_key});
    EXPECT_EQ(found(sale.id).key, "k1");
}

TEST_F(UnreadableSalesTest, AreCopiedAndRestoredWithTheOthersAndMarked) {
    for (const std::string column : {"status", "family", "attempts", "recorded_at"}) {
        for (std::size_t i = column.size() % 3; i < damages.size(); i += 3) {
            const auto& damage = damages[i];
            SCOPED_TRACE(fmt::format("{} = {}", column, damage));
            sql("DELETE FROM sales; DELETE FROM id_externos");
            const auto victim = full("k1", Family::tv, false);
            const auto other = full("k2", Family::tv, false);
            const auto value = damaged(damage, column);
            sql(fmt::format("UPDATE OR IGNORE sales SET {} = {} WHERE n = 1", column, value));
            const auto copy = folder.path("copy.db");
            const auto target = folder.path("restored.db");
            const auto copied = back_up(path, copy);
            ASSERT_TRUE(copied.has_value()) << copied.error();
            EXPECT_EQ(copied->sales, 2);
            const auto restored = restore(copy, target, clock.wall());
            ASSERT_TRUE(restored.has_value()) << restored.error();
            const auto read = read_marked_sales(target);
            ASSERT_TRUE(read.has_value()) << read.error();
            EXPECT_THAT(*read, Contains(AllOf(Field(&MarkedSale::id, other.id.str()),
                                              Field(&MarkedSale::attention, Attention::restored))));
            if (is_unreadable(victim.id)) {
                EXPECT_THAT(*read, Contains(Field(&MarkedSale::id, victim.id.str())));
            }
            EXPECT_GE(restored->unsure, 1);
            for (const auto& file : {copy, target, target + ".lock"})
                std::filesystem::remove(file);
        }
    }
}

}  // namespace
}  // namespace gateway::test
