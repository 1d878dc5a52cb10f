// One damaged value concerns one sale: whatever stands in a row, no operation stops the program or fails for another
// sale.
#include "journal/marked_sales.hpp"
#include "journal/sqlite/backup.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "unit/support/counting_vfs.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/short_log.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

const Secret first_key(std::string(32, 'a'));
const Secret second_key(std::string(32, 'b'));

// What is put into a column in the place of its value: SQL, in which @ is the column.
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

template <class T>
bool says_unreadable(const Result<T>& result) {
    return result.has_error() && result.error() == errc::sale_unreadable;
}

class UnreadableSalesTest : public Test {
  protected:
    UnreadableSalesTest() {
        CountingVfs::counted.flush_skipped = true;
        open({});
        sql("PRAGMA synchronous = OFF");
    }
    ~UnreadableSalesTest() override { journal.reset(); }

    void open(std::vector<Secret> with_keys) {
        journal.reset();
        keys = std::move(with_keys);
        auto opened = open_sqlite_journal(io.get_executor(),
                                          {.path = path,
                                           .keys = keys,
                                           .random = &random,
                                           .vfs = CountingVfs::name,
                                           .durability = Durability::inline_,
                                           .log_bytes = short_log_bytes},
                                          clock);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
    }
    Sale begun(std::string key, Family family) {
        clock.jump(1ms);
        Sale made{.id = SaleId::make(clock.wall(), random)};
        made.terminal = "caixa-01";
        made.key = std::move(key);
        made.digest = "d1";
        made.family = family;
        made.estabelecimento = "12345678";
        made.produto = "TV Mensal";
        made.fornecedor = "F";
        made.valor = Cents{2500};
        made.segment = "s";
        made.request = Secret(R"({"cpf":"123.456.789-09"})");
        made.redemption = "at the counter";
        made.cashier = "Rita";
        made.duplicate_check = {.likeness = Secret("l"), .window = 5min, .wanted = true};
        made.callback_secret = Secret("secret of " + made.key);
        made.created_at = clock.wall();
        made.attempts.push_back({.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()});
        EXPECT_TRUE(clock.run(journal->begin(made)).has_value());
        return made;
    }
    // With something in every column, and a decision by hand in its history.
    Sale full(std::string key, Family family, bool settled) {
        auto made = begun(std::move(key), family);
        Change change{.at = clock.wall(), .attempt = 0, .next = made.current(), .status = Status::PENDENTE};
        change.next.state = AttemptState::unsent;
        change.again = true;
        const Attempt fresh{.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()};
        record(made, change, &fresh, {.event = "solicitar", .verdict = "unknown", .http_status = 502});
        change = {.at = clock.wall(), .attempt = 1, .next = made.current(), .status = Status::AUTORIZADA};
        const auto open_state = family == Family::esim ? AttemptState::awaiting : AttemptState::confirming;
        change.next.state = settled ? AttemptState::sold : open_state;
        if (settled) change.status = Status::EFETIVADA;
        change.settled = settled;
        change.next.id_transacao = "T1";
        change.next.confirm_time = clock.wall();
        change.next.cancel_time = clock.wall();
        change.next.deadline = clock.now() + 2min;
        change.next.attention_at = clock.now() + 10min;
        change.reason = Reason{.code = ReasonCode::refused, .detail = "no", .provider_status = 422};
        change.reason->provider_body = Secret("1");
        change.reason->retry_after = 17s;
        change.details = TransactionDetails{.estabelecimento_nome = "Loja", .cnpj_cpf = "1", .fornecedor = "F"};
        change.details->instrucao = Secret("PIN 1");
        change.esim = EsimDetails{.uuid = "1", .nsu_recarga = "1"};
        record(made, change, nullptr,
               {.event = "resolved", .http_status = 200, .duration = 12ms, .detail = "Maria said so"});
        EXPECT_TRUE(clock.run(journal->keep_callback(made.id, "sale", true, Secret("{}"))).has_value());
        return made;
    }
    void record(Sale& made, const Change& change, const Attempt* fresh, const HistoryEntry& entry) {
        ASSERT_TRUE(clock.run(journal->record(made, change, fresh, entry)).has_value());
        made.attempts.at(change.attempt) = change.next;
        if (fresh != nullptr) made.attempts.push_back(*fresh);
        made.status = change.status;
        made.settled = change.settled;
    }

    // Of a database beside the journal's own.
    void sql(const std::string& statements) {
        ASSERT_TRUE(beside.run(statements.c_str()).has_value()) << statements << ": " << beside.message();
    }
    std::string text(const std::string& query) {
        const auto rows = beside.ask(query).value();
        return rows.empty() ? "no row" : std::string(rows.front().text(0));
    }
    std::vector<std::string> columns_of(const std::string& table) {
        const auto columns = beside.ask("SELECT name FROM pragma_table_info(?) WHERE name <> 'n'", table).value();
        std::vector<std::string> names;
        for (const auto& column : columns)
            names.emplace_back(column.text(0));
        return names;
    }
    void keep(const std::string& table) {
        sql(fmt::format("DROP TABLE IF EXISTS temp.kept_{0}; CREATE TEMP TABLE kept_{0} AS SELECT * FROM {0}", table));
    }
    void put_back(const std::string& table) {
        sql(fmt::format("DELETE FROM {0}; INSERT INTO {0} SELECT * FROM temp.kept_{0}", table));
    }

    bool is_unreadable(SaleId id) { return says_unreadable(clock.run(journal->find(id))); }
    std::vector<std::string> marked_ids() {
        std::vector<std::string> ids;
        for (const auto& sale : clock.run(journal->marked()).value())
            ids.push_back(sale.id);
        return ids;
    }
    // Every operation, whatever one of the two sales looks like now.
    void everything_else_goes_on(const Sale& victim, const Sale& other) {
        const auto found = clock.run(journal->find(victim.id));
        EXPECT_TRUE(found.has_value() || found.error() == errc::sale_unreadable) << found.error().message();
        EXPECT_TRUE(clock.run(journal->find(other.id)).value());
        const auto page = clock.run(journal->list({})).value();
        EXPECT_EQ(page.sales.size() + page.unreadable.size(), 2u);
        EXPECT_THAT(page.sales, Contains(Field(&Sale::id, other.id)));
        const auto unfinished = clock.run(journal->adopt()).value();
        EXPECT_LE(unfinished.sales.size() + unfinished.unreadable, 2u);
        EXPECT_TRUE(clock.run(journal->marked()).has_value());
        EXPECT_TRUE(read_marked_sales(path).has_value());
        EXPECT_TRUE(clock.run(journal->history(victim.id)).has_value());
        EXPECT_TRUE(clock.run(journal->callbacks(victim.id)).has_value());
        EXPECT_EQ(clock.run(journal->find_key("caixa-01", other.key))->sale, other.id);
        const auto called = clock.run(journal->find_callback(victim.callback_secret.reveal()));
        EXPECT_TRUE(called.has_value() || called.error() == errc::sale_unreadable);
        const auto counted = clock.run(journal->count_receipt(victim));
        EXPECT_TRUE(counted.has_value() || counted.error() == errc::not_found);
        EXPECT_TRUE(clock.run(journal->keep_callback(victim.id, "sale", true, Secret("{}"))).has_value());
        EXPECT_TRUE(clock.run(journal->load_token()).has_value());
        EXPECT_TRUE(clock.run(journal->erase_personal(clock.wall() + 1h)).has_value());
        EXPECT_TRUE(clock.run(journal->rotate_keys()).has_value());
    }
    void key_stays_taken(const Sale& victim) {
        const auto known = clock.run(journal->find_key(victim.terminal, victim.key));
        EXPECT_TRUE(says_unreadable(known) || known->sale);
        auto again = victim;
        again.id = SaleId::make(clock.wall(), random);
        const auto begun_again = clock.run(journal->begin(again));
        EXPECT_TRUE(says_unreadable(begun_again) || begun_again->sale);
        const auto cancelled = clock.run(journal->cancel_key(victim.terminal, victim.key));
        EXPECT_TRUE(says_unreadable(cancelled) || cancelled->sale);
    }
    // Whatever else became of it, a person is told, and what stands in the row still stands there.
    void is_marked(const Sale& victim, std::string_view column) {
        if (column == "id") return;
        EXPECT_THAT(marked_ids(), Contains(victim.id.str()));
        const auto kept = [&](const char* one) { return text(fmt::format("SELECT {} FROM sales WHERE n = 1", one)); };
        EXPECT_TRUE(column == "status" || kept("status") == to_string(victim.status));
        EXPECT_TRUE(column == "settled" || kept("settled") == (victim.settled ? "1" : "0"));
    }

    // Every family meets another part of the damages.
    void damage_every_column(const std::vector<Family>& families, bool settled) {
        for (const auto family : families) {
            sql("DELETE FROM sales; DELETE FROM id_externos");
            const auto victim = full("k1", family, settled);
            const auto other = full("k2", family, settled);
            keep("sales");
            for (const auto& column : columns_of("sales")) {
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
                    EXPECT_TRUE(clock.run(journal->find(victim.id)).value()) << "it is as it was";
                }
                open(keys);
            }
        }
    }

    CountingVfs vfs;
    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::vector<Secret> keys;
    std::unique_ptr<Journal> journal;
    sqlite::Database beside = *sqlite::Database::open(path, nullptr);
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

// The law takes that mark away when the goods have come, and the damage is still there.
TEST_F(UnreadableSalesTest, AValueIsMarkedOnceWhenTheMarkThatStoodBeforeItIsGone) {
    const auto victim = full("k1", Family::egift, true);
    sql("UPDATE sales SET attention = 'undeliverable', request = '{' WHERE n = 1");
    EXPECT_EQ(clock.run(journal->find(victim.id)).value()->attention, Attention::undeliverable);
    sql("UPDATE sales SET attention = 'none' WHERE n = 1");
    EXPECT_EQ(clock.run(journal->find(victim.id)).value()->attention, Attention::unreadable);
    EXPECT_EQ(text("SELECT attention FROM sales WHERE n = 1"), "unreadable");
    sql("UPDATE sales SET attention = 'none' WHERE n = 1");
    EXPECT_EQ(clock.run(journal->find(victim.id)).value()->attention, Attention::none) << "a person cleared it";
}

TEST_F(UnreadableSalesTest, WhateverStandsInAColumnOfAnOpenSaleConcernsThatSaleAlone) {
    damage_every_column({all_families.begin(), all_families.end()}, false);
}

TEST_F(UnreadableSalesTest, WhateverStandsInAColumnOfASettledSaleConcernsThatSaleAlone) {
    damage_every_column({Family::egift, Family::esim}, true);
}

TEST_F(UnreadableSalesTest, WhateverStandsInAColumnOfASealedJournalConcernsThatSaleAlone) {
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
        EXPECT_TRUE(clock.run(journal->marked()).has_value());
        EXPECT_TRUE(clock.run(journal->history(victim.id)).has_value());
        EXPECT_TRUE(clock.run(journal->find(other.id)).value());
        put_back("sales");
    }
    EXPECT_GT(unreadable, length / 3);
}

TEST_F(UnreadableSalesTest, AnUnreadableSaleIsMarkedOnceAndCountedOnceAndReadAgainOnceRepaired) {
    const auto victim = full("k1", Family::tv, false);
    sql("UPDATE sales SET attempts = replace(attempts, 'confirming', 'confirmin')");
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(says_unreadable(clock.run(journal->find(victim.id))));
        EXPECT_TRUE(says_unreadable(clock.run(journal->reread(victim.id))));
        const auto page = clock.run(journal->list({})).value();
        EXPECT_TRUE(page.sales.empty());
        EXPECT_THAT(page.unreadable, ElementsAre(victim.id.str()));
        const auto unfinished = clock.run(journal->adopt()).value();
        EXPECT_TRUE(unfinished.sales.empty());
        EXPECT_EQ(unfinished.unreadable, 1u);
    }
    EXPECT_EQ(journal->unreadable(), 1u);
    EXPECT_THAT(clock.run(journal->list({.status = Status::NEGADA})).value().unreadable, IsEmpty());
    EXPECT_EQ(clock.run(journal->find_key("caixa-01", "k1"))->sale, victim.id);
    const auto history = clock.run(journal->history(victim.id)).value();
    EXPECT_EQ(std::ranges::count_if(history, [](const auto& line) { return line.at("event") == "unreadable"; }), 1);
    EXPECT_EQ(text("SELECT attention || status || settled FROM sales"), "unreadableAUTORIZADA0");
    const auto marked = clock.run(journal->marked()).value();
    ASSERT_EQ(marked.size(), 1u);
    EXPECT_EQ(marked[0].attention, Attention::unreadable);
    EXPECT_EQ(marked[0].id_externo, victim.current().id_externo.str());
    sql("UPDATE sales SET attempts = replace(attempts, 'confirmin', 'confirming')");
    EXPECT_EQ(clock.run(journal->find(victim.id)).value()->current().state, AttemptState::confirming);
    EXPECT_EQ(clock.run(journal->adopt()).value().sales.size(), 1u);
}

TEST_F(UnreadableSalesTest, AMarkThatMeansSomethingStays) {
    const auto victim = full("k1", Family::tv, false);
    sql("UPDATE sales SET attention = 'contradiction', attempts = '['");
    EXPECT_TRUE(is_unreadable(victim.id));
    EXPECT_EQ(text("SELECT attention FROM sales"), "contradiction");
    sql("UPDATE sales SET attention = 'none'");
    EXPECT_TRUE(is_unreadable(victim.id));
    EXPECT_EQ(text("SELECT attention FROM sales"), "unreadable") << "nobody can have dealt with it";
}

// It would take the news along when it goes by itself.
TEST_F(UnreadableSalesTest, AMarkThatPassesGivesWay) {
    const auto victim = full("k1", Family::tv, false);
    sql("UPDATE sales SET attention = 'unsettled', facts = '{'");
    EXPECT_EQ(clock.run(journal->find(victim.id)).value()->attention, Attention::unreadable);
    EXPECT_EQ(text("SELECT attention FROM sales"), "unreadable");
    sql("UPDATE sales SET attention = 'unsettled'");
    EXPECT_EQ(clock.run(journal->find(victim.id)).value()->attention, Attention::unsettled)
        << "a person has looked, and something else has come since";
}

// What carries the sale read it before the damage, and does not know of the journal's mark.
TEST_F(UnreadableSalesTest, AMarkStaysWhateverPassesAfterIt) {
    auto victim = full("k1", Family::tv, false);
    sql("UPDATE sales SET facts = '{'");
    EXPECT_EQ(clock.run(journal->find(victim.id)).value()->attention, Attention::unreadable);
    const auto step = [&](Attention before, Attention after) {
        victim.attention = before;
        auto change = Change{.at = clock.wall(), .attempt = victim.attempts.size() - 1, .next = victim.current()};
        change.status = victim.status;
        change.settled = victim.settled;
        change.attention = after;
        record(victim, change, nullptr, {.event = "elapsed"});
        return text("SELECT attention FROM sales");
    };
    EXPECT_EQ(step(Attention::none, Attention::unsettled), "unreadable");
    EXPECT_EQ(step(Attention::unsettled, Attention::none), "unreadable");
    EXPECT_EQ(step(Attention::none, Attention::contradiction), "contradiction");
    sql("UPDATE sales SET attention = 'unreadable'");
    EXPECT_EQ(step(Attention::unreadable, Attention::none), "none") << "a person has looked";
}

TEST_F(UnreadableSalesTest, AMarkThatMeansNothingIsOneToLookAt) {
    const auto victim = full("k1", Family::tv, false);
    sql("UPDATE sales SET attention = 'bored'");
    EXPECT_EQ(clock.run(journal->find(victim.id)).value()->attention, Attention::unreadable);
    EXPECT_EQ(text("SELECT attention FROM sales"), "unreadable");
    EXPECT_EQ(journal->unreadable(), 1u);
}

TEST_F(UnreadableSalesTest, ARowWithoutAUsableIdIsListedAsItStandsAndItsKeyIsTaken) {
    full("k0", Family::tv, true);
    const auto victim = full("k1", Family::tv, true);
    full("k2", Family::tv, true);
    sql("UPDATE sales SET id = 'nonsense' WHERE n = 2");
    EXPECT_FALSE(clock.run(journal->find(victim.id)).value());
    EXPECT_TRUE(says_unreadable(clock.run(journal->find_key("caixa-01", "k1"))));
    key_stays_taken(victim);
    EXPECT_THAT(marked_ids(), ElementsAre("nonsense"));
    SaleFilter filter{.limit = 1};
    std::vector<std::string> unreadable;
    std::vector<std::string> readable;
    do {
        const auto page = clock.run(journal->list(filter)).value();
        unreadable.insert(unreadable.end(), page.unreadable.begin(), page.unreadable.end());
        for (const auto& sale : page.sales)
            readable.push_back(sale.key);
        ASSERT_TRUE(!page.next || page.next != filter.after);
        filter.after = page.next;
        filter.limit = 2;
    } while (filter.after);
    EXPECT_THAT(unreadable, Contains("nonsense"));
}

TEST_F(UnreadableSalesTest, ALineOfAHistoryThatCannotBeReadIsLeftOut) {
    const auto victim = full("k1", Family::tv, false);
    const auto whole = clock.run(journal->history(victim.id)).value();
    ASSERT_EQ(whole.size(), 4u);
    EXPECT_EQ(whole[3].at("detail"), "Maria said so");
    sql("UPDATE sales SET story = replace(story, '\"event\":\"solicitar\"', '\"event\":solicitar')");
    const auto rest = clock.run(journal->history(victim.id)).value();
    ASSERT_EQ(rest.size(), 3u);
    EXPECT_EQ(rest[2].at("event"), "resolved");
    EXPECT_FALSE(is_unreadable(victim.id));
}

TEST_F(UnreadableSalesTest, TheOtherTablesStopNothingEither) {
    open({first_key});
    const auto one = full("k1", Family::esim, true);
    const auto other = full("k2", Family::tv, false);
    ASSERT_TRUE(clock.run(journal->cancel_key("caixa-01", "k3")).has_value());
    const std::optional<KeptToken> token = KeptToken{.access = Secret("a"), .refresh = Secret("r")};
    ASSERT_TRUE(clock.run(journal->save_token(token)).has_value());
    sql("INSERT INTO erase_later SELECT id, 0 FROM sales");
    for (const std::string table : {"callbacks", "notes", "token", "cancelled_keys", "erase_later", "erasure"}) {
        keep(table);
        for (const auto& column : columns_of(table)) {
            if (column == "one") continue;
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
    EXPECT_EQ(clock.run(journal->erase_personal(clock.wall() + 1h)).value().sales, 1u);
}

TEST_F(UnreadableSalesTest, ARotationThatLostItsPlaceBeginsAnew) {
    open({first_key});
    const auto sale = full("k1", Family::tv, true);
    for (const std::string value : {"'x'", "''", "5", "x'ff'", "'01JD3W4Q8Y0000000000000001'"}) {
        open({second_key, first_key});
        sql("UPDATE sealing_keys SET done_until = " + value + " WHERE current = 1");
        EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::finished) << value;
        open({second_key});
        EXPECT_EQ(clock.run(journal->find(sale.id)).value()->digest, "d1") << value;
        open({first_key, second_key});
        EXPECT_EQ(clock.run(journal->rotate_keys()).value(), KeyRotationState::finished);
    }
    sql("INSERT INTO sealing_keys VALUES ('nonsense', 0, ''), (x'ff', 0, '')");
    open({first_key});
    EXPECT_TRUE(clock.run(journal->find(sale.id)).value());
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
            const auto& marked = *read;
            EXPECT_THAT(marked, Contains(AllOf(Field(&MarkedSale::id, other.id.str()),
                                               Field(&MarkedSale::attention, Attention::restored))));
            if (is_unreadable(victim.id)) {
                EXPECT_THAT(marked, Contains(Field(&MarkedSale::id, victim.id.str())));
            }
            EXPECT_GE(restored->unsure, 1);
            for (const auto& file : {copy, target, target + ".lock"})
                std::filesystem::remove(file);
        }
    }
}

}  // namespace
}  // namespace gateway::test
