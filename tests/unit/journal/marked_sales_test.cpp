#include "journal/marked_sales.hpp"

#include "journal/field_cipher.hpp"
#include "journal/sqlite/open_sqlite_journal.hpp"
#include "journal/sqlite/schema.hpp"
#include "unit/support/new_sale.hpp"
#include "unit/support/seeded_random.hpp"
#include "unit/support/temporary_folder.hpp"
#include "unit/support/virtual_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gateway::test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class MarkedSalesTest : public Test {
  protected:
    MarkedSalesTest() { open(); }
    ~MarkedSalesTest() override { journal.reset(); }

    void open(std::vector<Secret> keys = {}) {
        journal.reset();
        auto opened = open_sqlite_journal(
            io.get_executor(),
            {.path = path, .keys = std::move(keys), .random = &random, .durability = Durability::inline_}, clock);
        ASSERT_TRUE(opened.has_value()) << opened.error();
        journal = std::move(*opened);
    }
    // Makes a sale that has the mark and this many attempts.
    Sale marked(Attention attention, std::size_t attempts = 1) {
        clock.jump(1ms);
        Sale sale{.id = SaleId::make(clock.wall(), random)};
        sale.terminal = "caixa-01";
        sale.key = sale.id.str();
        sale.digest = "d";
        sale.family = Family::egift;
        sale.estabelecimento = "12345678";
        sale.produto = "Moedas do Jogo";
        sale.valor = Cents{2000};
        sale.request = Secret(R"({"cpf":"123.456.789-09"})");
        sale.created_at = clock.wall();
        sale.attempts.push_back(attempt());
        EXPECT_TRUE(clock.run(journal->begin(sale)).has_value());
        while (sale.attempts.size() < attempts) {
            const auto fresh = attempt();
            record(sale, Attention::none, &fresh);
            sale.attempts.push_back(fresh);
        }
        record(sale, attention, nullptr);
        sale.attention = attention;
        return sale;
    }
    Attempt attempt() { return {.id_externo = IdExterno::make(clock.wall(), random), .created_at = clock.wall()}; }
    void record(Sale& sale, Attention attention, const Attempt* fresh) {
        Change change{.at = clock.wall(), .attempt = sale.attempts.size() - 1, .next = sale.current()};
        change.next.id_transacao = "T" + std::to_string(sale.attempts.size());
        change.next.state = fresh != nullptr ? AttemptState::unsent : AttemptState::sold;
        change.status = fresh != nullptr ? Status::PENDENTE : Status::EFETIVADA;
        change.settled = fresh == nullptr;
        change.attention = attention;
        ASSERT_TRUE(clock.run(journal->record(sale, change, fresh, {.event = "test"})).has_value());
        sale.attempts.back() = change.next;
    }
    std::vector<MarkedSale> in_file() {
        auto sales = read_marked_sales(path);
        EXPECT_TRUE(sales.has_value()) << sales.error();
        return std::move(*sales);
    }
    std::string why_not(const std::string& file) {
        const auto sales = read_marked_sales(file);
        return sales.has_error() ? sales.error() : "";
    }
    void tamper(const std::string& sql) {
        auto database = *sqlite::Database::open(path, nullptr);
        ASSERT_TRUE(database.run(sql.c_str()).has_value()) << database.message();
    }

    TemporaryFolder folder;
    std::string path = folder.path("journal.db");
    boost::asio::io_context io;
    VirtualClock clock{io};
    SeededRandom random;
    std::unique_ptr<Journal> journal;
};

TEST_F(MarkedSalesTest, AreReadOfAFileThatAGatewayRunsOnAndOfOneAtRest) {
    marked(Attention::none);
    const auto sale = marked(Attention::undeliverable);
    for (const bool at_rest : {false, true}) {
        if (at_rest) journal.reset();
        const auto sales = in_file();
        ASSERT_EQ(sales.size(), 1u);
        const auto& one = sales.front();
        EXPECT_EQ(one.id, sale.id.str());
        EXPECT_EQ(one.created_at, sale.created_at);
        EXPECT_EQ(one.terminal, "caixa-01");
        EXPECT_EQ(one.estabelecimento, "12345678");
        EXPECT_EQ(one.family, Family::egift);
        EXPECT_EQ(one.produto, "Moedas do Jogo");
        EXPECT_EQ(one.valor, Cents{2000});
        EXPECT_EQ(one.status, Status::EFETIVADA);
        EXPECT_EQ(one.attention, Attention::undeliverable);
        EXPECT_EQ(one.id_externo, sale.current().id_externo.str());
        EXPECT_EQ(one.id_transacao, "T1");
    }
}

TEST_F(MarkedSalesTest, AreOfEveryMarkOldestFirst) {
    std::vector<std::string> made;
    for (const auto attention : all_attentions)
        if (attention != Attention::none) made.push_back(marked(attention).id.str());
    std::vector<std::string> read;
    for (const auto& sale : in_file())
        read.push_back(sale.id);
    EXPECT_EQ(read, made);
    EXPECT_EQ(clock.run(journal->marked()).value().size(), made.size()) << "the journal lists the same";
}

TEST_F(MarkedSalesTest, NameTheLatestAttempt) {
    const auto sale = marked(Attention::contradiction, 3);
    const auto sales = in_file();
    ASSERT_EQ(sales.size(), 1u);
    EXPECT_EQ(sales.front().id_externo, sale.attempts.at(2).id_externo.str());
    EXPECT_EQ(sales.front().id_transacao, "T3");
}

TEST_F(MarkedSalesTest, NeedNoKey) {
    open({Secret(std::string(FieldCipher::key_size, 'k'))});
    marked(Attention::restored);
    EXPECT_EQ(in_file().size(), 1u);
}

TEST_F(MarkedSalesTest, SayWhatTheHistoryTells) {
    const auto begin = clock.wall();
    const auto sale = marked(Attention::undeliverable);
    const auto history = in_file().at(0).history;
    ASSERT_TRUE(history.marked_since);
    EXPECT_GT(*history.marked_since, begin);
    EXPECT_EQ(history.marked_since, clock.wall());
    EXPECT_EQ(history.tries, 0);
    EXPECT_FALSE(history.last_error);
    EXPECT_EQ(clock.run(journal->marked()).value().at(0).history.marked_since, history.marked_since);
}

TEST_F(MarkedSalesTest, HaveTheCallbacksThatCame) {
    auto sale = marked(Attention::no_callback);
    const auto keep = [&](bool valid) {
        clock.jump(1s);
        ASSERT_TRUE(clock.run(journal->keep_callback(sale.id, "sale", valid, Secret("the body"))).has_value());
    };
    keep(false);
    keep(true);
    clock.jump(1ms);
    Change change{.at = clock.wall(), .attempt = 0, .next = sale.current()};
    change.status = sale.status;
    change.attention = sale.attention;
    const HistoryEntry told{.event = "callback", .verdict = "PENDENTE"};
    ASSERT_TRUE(clock.run(journal->record(sale, change, nullptr, told)).has_value());
    const auto callbacks = in_file().at(0).callbacks;
    ASSERT_EQ(callbacks.size(), 2u);
    EXPECT_EQ(callbacks[0].kind, "sale");
    EXPECT_FALSE(callbacks[0].valid || callbacks[0].said);
    EXPECT_EQ(callbacks[0].body, Secret("the body"));
    EXPECT_EQ(callbacks[1].at, clock.wall() - 1ms);
    EXPECT_TRUE(callbacks[1].valid);
    EXPECT_EQ(callbacks[1].said, Status::PENDENTE) << "as the history has it";
}

TEST_F(MarkedSalesTest, LeaveAnEncryptedCallbackClosed) {
    open({Secret(std::string(FieldCipher::key_size, 'k'))});
    const auto sale = marked(Attention::recharge_failed);
    ASSERT_TRUE(clock.run(journal->keep_callback(sale.id, "recharge", true, Secret("the body"))).has_value());
    const auto callbacks = in_file().at(0).callbacks;
    ASSERT_EQ(callbacks.size(), 1u);
    EXPECT_EQ(callbacks[0].kind, "recharge");
    EXPECT_FALSE(callbacks[0].body);
}

TEST_F(MarkedSalesTest, AreNotReadOfWhatIsNoJournalOfThisVersion) {
    journal.reset();
    EXPECT_THAT(why_not(folder.path("nowhere.db")), HasSubstr("there is no journal"));
    EXPECT_THAT(why_not(std::filesystem::path(path).parent_path()), HasSubstr("cannot be read"));
    std::ofstream(folder.path("empty.db")) << "";
    EXPECT_THAT(why_not(folder.path("empty.db")), HasSubstr("it is empty"));
    std::ofstream(folder.path("rubbish.db")) << std::string(5000, 'x');
    EXPECT_THAT(why_not(folder.path("rubbish.db")), HasSubstr("damaged"));
    std::filesystem::create_directory(path + "-wal");
    EXPECT_THAT(why_not(path), AllOf(HasSubstr("SQLite cannot read it"), Not(HasSubstr("damaged"))));
    std::filesystem::remove(path + "-wal");
    tamper("PRAGMA user_version = 999");
    EXPECT_THAT(why_not(path), HasSubstr("newer version of this program"));
}

TEST_F(MarkedSalesTest, AreShownAsFarAsTheyCanBeRead) {
    const auto sale = marked(Attention::unsettled);
    tamper(
        "UPDATE sales SET attention = 'bored', family = 'radio', status = 'PERHAPS', created_at = 'x', valor = 'x',"
        " produto = CAST(x'41ff' AS TEXT), attempts = '['");
    const auto one = in_file().at(0);
    EXPECT_EQ(one.id, sale.id.str());
    EXPECT_EQ(one.attention, Attention::unreadable);
    EXPECT_TRUE(!one.family && !one.status && !one.created_at && !one.valor);
    EXPECT_EQ(one.terminal, "caixa-01");
    EXPECT_EQ(one.produto, "A?");
    EXPECT_EQ(one.id_externo, "");
    EXPECT_EQ(one.id_transacao, "");
    for (const std::string attempts :
         {"'[]'", "'{}'", "'[1]'", "'[{\"idExterno\":7,\"idTransacao\":{}}]'", "x'00'", "''"}) {
        tamper("UPDATE sales SET attempts = " + attempts);
        EXPECT_EQ(in_file().at(0).id_externo, "") << attempts;
        EXPECT_EQ(clock.run(journal->marked()).value().size(), 1u) << attempts;
    }
}

TEST_F(MarkedSalesTest, AreTheSameOfASaleInMemory) {
    const auto sale = marked(Attention::unsettled, 2);
    const auto kept = clock.run(journal->find(sale.id)).value().value();
    const auto mine = marked_sale(kept);
    const auto read = in_file().front();
    EXPECT_EQ(mine.id, read.id);
    EXPECT_EQ(mine.id_externo, read.id_externo);
    EXPECT_EQ(mine.id_transacao, read.id_transacao);
    EXPECT_EQ(mine.status, read.status);
    EXPECT_EQ(mine.attention, read.attention);
    EXPECT_EQ(mine.created_at, read.created_at);
    EXPECT_EQ(mine.valor, read.valor);
}

// Makes a row of a marked sale that has one attempt, whose cancel was tried twice.
class MarkedRowTest : public MarkedSalesTest {
  protected:
    MarkedRowTest() {
        auto sale = marked(Attention::unsettled);
        for (const int tries : {1, 2}) {
            Change change{.at = clock.wall(), .attempt = 0, .next = sale.current(), .status = Status::CANCELADA};
            change.next.state = AttemptState::cancelling;
            change.next.cancel_time = clock.wall();
            change.next.tries = tries;
            change.attention = Attention::unsettled;
            const HistoryEntry told{.event = "cancelar", .verdict = "unknown"};
            EXPECT_TRUE(clock.run(journal->record(sale, change, nullptr, told)).has_value());
            sale.attempts[0] = change.next;
        }
    }
};

TEST_F(MarkedRowTest, ItsTriesAreToldWhereItsAttemptsCanBeRead) {
    EXPECT_EQ(in_file().at(0).history.tries, 2);
    for (const std::string damage : {"recorded_at = 'x'", "recorded_at = -1", "attempts = CAST(attempts AS BLOB)"}) {
        tamper("CREATE TABLE kept AS SELECT * FROM sales; UPDATE sales SET " + damage);
        EXPECT_EQ(in_file().at(0).history.tries, 0) << damage;
        EXPECT_EQ(in_file().at(0).history.last_error->step, "cancelar") << damage;
        tamper("DELETE FROM sales; INSERT INTO sales SELECT * FROM kept; DROP TABLE kept");
    }
    tamper("UPDATE sales SET story = CAST(story AS BLOB)");
    EXPECT_FALSE(in_file().at(0).history.last_error) << "its history is no text";
}

TEST_F(MarkedRowTest, AnAmountIsOneOfAtLeastACent) {
    const auto valor = [&](const std::string& in_row) {
        tamper("UPDATE sales SET valor = " + in_row);
        return in_file().at(0).valor;
    };
    EXPECT_EQ(valor("1"), Cents{1});
    EXPECT_EQ(valor("0"), std::nullopt);
    EXPECT_EQ(valor("-1"), std::nullopt);
}

TEST_F(MarkedRowTest, HasFiftyCallbacksAtMostAndOneThatSaysNothingOfItselfIsNotValid) {
    const auto id = in_file().at(0).id;
    tamper(
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 60) INSERT INTO callbacks "
        "(received_at, sale, kind, valid, body) SELECT i, '" +
        id + "', 'sale', 'x', NULL FROM c");
    const auto callbacks = in_file().at(0).callbacks;
    EXPECT_EQ(callbacks.size(), 50u);
    EXPECT_FALSE(callbacks.at(0).valid);
}

TEST_F(MarkedRowTest, AFileThatBreaksOffSaysHow) {
    tamper("ALTER TABLE callbacks RENAME TO gone");
    EXPECT_THAT(why_not(path), HasSubstr("cannot be read"));
}

TEST_F(MarkedSalesTest, AreNotReadOfAnOlderJournalOrOneWhosePlaceCannotBeLookedAt) {
    EXPECT_THAT(why_not(folder.path(std::string(300, 'x'))), HasSubstr("File name too long"));
    journal.reset();
    tamper("PRAGMA user_version = 6");
    EXPECT_THAT(why_not(path), HasSubstr("an older version of this program wrote it"));
}

TEST_F(MarkedSalesTest, AreReadOfAJournalThatIsWholeAndInUseAlone) {
    const auto mark = [&](const std::string& state) {
        tamper("INSERT OR REPLACE INTO moving (one, state, copy, place, at) VALUES (1, '" + state + "', 'c', '/a', 1)");
        return why_not(path);
    };
    EXPECT_EQ(mark("leaving"), "");
    EXPECT_THAT(mark("moved"), HasSubstr("cannot be read: it was moved to /a"));
    EXPECT_THAT(mark("lost"), HasSubstr("what copy-journal noted in it cannot be read"));
    EXPECT_THAT(mark("arriving"), HasSubstr("Unless that is at work still, call"));
    journal.reset();
    EXPECT_THAT(mark("arriving"), HasSubstr("Call sales-gateway copy-journal")) << "nobody is at work on it";
}

// Says what each callback said, where callbacks came at these seconds and the history has these entries.
class WhatWasSaid : public Test {
  protected:
    static WallTime at(int seconds) { return WallTime(std::chrono::seconds(seconds)); }
    void came(std::optional<int> seconds, bool valid = true) {
        row.sale.callbacks.push_back({.at = std::nullopt, .kind = "sale", .valid = valid, .body = {}, .said = {}});
        if (seconds) row.sale.callbacks.back().at = at(*seconds);
    }
    void told(int seconds, const std::string& verdict, const std::string& event = "callback") {
        row.history.events.push_back({.at = at(seconds), .id_externo = {}, .event = event, .verdict = verdict});
    }
    std::vector<std::optional<Status>> said() {
        add_what_was_said(row);
        std::vector<std::optional<Status>> all;
        for (const auto& one : row.sale.callbacks)
            all.push_back(one.said);
        return all;
    }

    MarkedRow row;
};

TEST_F(WhatWasSaid, IsWhatTheHistoryHasBetweenACallbackAndTheNext) {
    came(10);
    came(20);
    came(30, false);
    came(40);
    came(std::nullopt);
    told(5, "NEGADA");
    told(11, "CANCELADA", "statement");
    told(12, "");
    told(13, "EFETIVADA");
    told(20, "PENDENTE");
    told(30, "NEGADA");
    told(45, "AUTORIZADA");
    EXPECT_EQ(said(), (std::vector<std::optional<Status>>{Status::EFETIVADA, Status::PENDENTE, std::nullopt,
                                                          Status::AUTORIZADA, std::nullopt}));
}

TEST_F(WhatWasSaid, IsNothingWhereTheHistoryHasItOfTheNextAlone) {
    came(10);
    came(20);
    told(20, "EFETIVADA");
    EXPECT_EQ(said(), (std::vector<std::optional<Status>>{std::nullopt, Status::EFETIVADA}));
}

TEST(MarkedSales, OneThatIsInMemoryIsShownWithoutItsHistory) {
    boost::asio::io_context io;
    VirtualClock clock(io);
    SeededRandom random;
    const auto marked = marked_sale(new_sale(clock, random));
    EXPECT_FALSE(marked.history.more_tries);
    EXPECT_EQ(marked.history.tries, 0);
}

}  // namespace
}  // namespace gateway::test
